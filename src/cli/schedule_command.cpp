#include <memory>

#include "base/check.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cost/estimate.h"
#include "io/document.h"
#include "io/schedule_json.h"
#include "io/schedule_reader.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "report/schedule_report.h"
#include "schedule/exact.h"
#include "schedule/ilp.h"
#include "search/layer_schedule.h"
#include "verify/schedule.h"

namespace phaze::cli {
namespace {

struct ScheduleOptions : CommonOptions {
  ModelOptions model;
  std::string chip;
  std::string cluster = "dgx-h100";
  std::string problem;
  std::string method = "exact";
  std::int64_t work_limit = 5'000'000;
  double time_limit_s = 300;
  bool exclusive_wide = false;
  std::vector<std::string> settings;
};

plan::Schedule solve(const ScheduleOptions& options, const plan::ScheduleProblem& problem) {
  plan::Schedule schedule;
  if (options.method == "list") {
    schedule = schedule::solve_list(problem);
  } else if (options.method == "ilp") {
    schedule::IlpOptions ilp;
    ilp.time_limit = Seconds(options.time_limit_s);
    schedule = schedule::solve_ilp(problem, ilp);
  } else {
    schedule::ExactOptions exact;
    exact.work_limit = options.work_limit;
    schedule = schedule::solve_exact(problem, exact);
  }
  const std::vector<std::string> faults = verify::find_faults(problem, schedule);
  CHECK(faults.empty(), faults.empty() ? "" : faults.front());
  return schedule;
}

int run_problem(const ScheduleOptions& options, Diagnostics& diagnostics) {
  const auto text = io::read_text_file(options.problem, diagnostics);
  const auto document =
      text ? io::parse_document(*text, options.problem, diagnostics) : std::nullopt;
  const auto problem = document ? io::read_schedule_problem(*document, diagnostics) : std::nullopt;
  if (!problem) {
    return report_bad_input(diagnostics);
  }
  const plan::Schedule schedule = solve(options, *problem);
  return print(options.json ? io::write_schedule(*problem, schedule)
                            : report::schedule_text(*problem, schedule));
}

int run_model(const ScheduleOptions& options, Diagnostics& diagnostics) {
  const std::optional<hw::Chip> chip =
      presets::load_chip(options.chip, options.settings, diagnostics);
  const std::optional<graph::Model> model =
      chip ? make_graph(options.model, false, diagnostics) : std::nullopt;
  if (!model) {
    return report_bad_input(diagnostics);
  }
  cost::CostContext context = cost::make_context(*chip);
  std::optional<hw::Cluster> cluster;
  if (model->tensor_width > 1) {
    cluster = presets::load_cluster(options.cluster, {}, diagnostics);
    if (!cluster) {
      return report_bad_input(diagnostics);
    }
    const auto group = cost::place_group(*cluster, model->tensor_width, 1, cost::Company::kAll);
    if (!group) {
      return report_no_answer("cluster " + cluster->name + " has no place for groups of " +
                              std::to_string(model->tensor_width) + " devices");
    }
    context.network = cost::Network{&*cluster, *group};
  }
  if (const auto why = cost::find_obstacle(context, *model)) {
    return report_no_answer(chip->name + " cannot train this: " + *why);
  }
  std::vector<plan::LayerSchedule> layers;
  for (const graph::Layer& layer : model->layers) {
    for (const plan::LayerPass pass : {plan::LayerPass::kForward, plan::LayerPass::kBackward}) {
      layers.push_back(search::schedule_layer(
          context, layer, pass, options.exclusive_wide,
          [&options](const plan::ScheduleProblem& problem) { return solve(options, problem); }));
    }
  }
  return print(options.json ? io::write_layer_schedules(model->name, chip->name, layers)
                            : report::layer_schedules_text(model->name, chip->name, layers));
}

int run_schedule(const ScheduleOptions& options) {
  Diagnostics diagnostics;
  if (options.method != "exact" && options.method != "ilp" && options.method != "list") {
    diagnostics.error({"command line", 0, 0, "--method"},
                      "expected exact, ilp or list, found \"" + options.method + "\"" +
                          did_you_mean(options.method, {"exact", "ilp", "list"}));
  }
  if (options.method == "ilp" && !schedule::has_ilp()) {
    diagnostics.error({"command line", 0, 0, "--method"}, "this build has no CBC");
  }
  const bool has_problem = !options.problem.empty();
  if (has_problem == !options.model.model.empty()) {
    diagnostics.error({"command line", 0, 0, "MODEL"}, "expected a model or --problem FILE");
  } else if (!has_problem && options.chip.empty()) {
    diagnostics.error({"command line", 0, 0, "--chip"}, "a model needs a chip");
  }
  for (const std::string& name : options.model.given) {
    if (has_problem) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing with --problem");
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  return has_problem ? run_problem(options, diagnostics) : run_model(options, diagnostics);
}

}  // namespace

void add_schedule_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "schedule", "When each operator of a layer runs on which cores of a chip, with a proof");
  const auto options = std::make_shared<ScheduleOptions>();
  const std::vector<CLI::Option*> added = add_model_options(*command, options->model, false);
  command->add_option("--chip", options->chip,
                      "Built-in name or YAML file (default: none; a model needs one)");
  command
      ->add_option("--set", options->settings,
                   "FIELD=VALUE of the chip, absolute or relative; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--cluster", options->cluster,
                      "Network of the tensor-parallel devices: built-in name or YAML file "
                      "(default: dgx-h100)");
  command->add_option("--problem", options->problem,
                      "A problem file in place of a model, see docs/formats.md (default: none)");
  command->add_option("--method", options->method,
                      "exact: proved where the limit of work allows; ilp: by integer programming; "
                      "list: by priorities (default: exact)");
  command
      ->add_option("--work-limit", options->work_limit,
                   "Nodes of the exact search for each schedule (default: 5000000)")
      ->check(whole_number());
  command
      ->add_option("--time-limit", options->time_limit_s,
                   "Seconds for each integer program (default: 300)")
      ->check(positive_number());
  command->add_flag("--exclusive-wide", options->exclusive_wide,
                    "While an operator runs on all cores of a kind, nothing else runs");
  add_common_options(*command, *options);
  command->callback([options, added, &action] {
    note_given(added, options->model);
    action = [options] { return run_schedule(*options); };
  });
}

}  // namespace phaze::cli
