#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/check.h"
#include "base/text.h"
#include "cli/assumptions.h"
#include "cli/commands.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cost/estimate.h"
#include "io/document.h"
#include "io/file_writer.h"
#include "io/schedule_json.h"
#include "io/schedule_reader.h"
#include "io/schedule_trace.h"
#include "presets/chips.h"
#include "report/schedule_report.h"
#include "schedule/exact.h"
#include "schedule/ilp.h"
#include "search/layer_schedule.h"
#include "verify/layer_schedule.h"
#include "verify/schedule.h"

namespace phaze::cli {
namespace {

struct ScheduleOptions : CommonOptions {
  ModelOptions model;
  std::string chip;
  std::string cluster;  // when given
  std::string problem;
  std::string method = "exact";
  std::string assumptions = "modern";
  std::string trace;
  std::int64_t work_limit = 5'000'000;
  double time_limit_s = 300;
  bool exclusive_wide = false;  // when given
  bool all_operators = false;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // of all options but those of the model
};

bool is_given(const ScheduleOptions& options, std::string_view name) {
  return std::ranges::find(options.given, name) != options.given.end();
}

// `what` is being done, for people.
plan::Schedule solve(const ScheduleOptions& options, const plan::ScheduleProblem& problem,
                     std::optional<Picoseconds> cutoff, Progress& progress,
                     const std::string& what) {
  progress.show(what);
  plan::Schedule schedule;
  if (options.method == "list") {
    schedule = schedule::solve_list(problem);
  } else if (options.method == "ilp") {
    schedule::IlpOptions ilp;
    ilp.time_limit = Seconds(options.time_limit_s);
    schedule = schedule::solve_ilp(problem, ilp);
  } else {
    schedule::ExactOptions exact;
    exact.work_limit = was_interrupted() ? 0 : options.work_limit;
    exact.cutoff = cutoff;
    exact.is_cancelled = [&](Picoseconds best, Picoseconds bound, std::int64_t work) {
      progress.show(what + ": best " + with_prefix(to_seconds(best).value(), "s") + ", bound " +
                    with_prefix(to_seconds(bound).value(), "s") + ", " + with_thousands(work) +
                    " of " + with_thousands(options.work_limit) + " nodes");
      return was_interrupted();
    };
    schedule = schedule::solve_exact(problem, exact);
  }
  const std::vector<std::string> faults = verify::find_faults(problem, schedule);
  CHECK(faults.empty(), faults.empty() ? "" : faults.front());
  return schedule;
}

// The exact method can stop and show what it has.
std::optional<NoteInterrupts> note_interrupts(const ScheduleOptions& options) {
  return options.method == "exact" ? std::optional<NoteInterrupts>(std::in_place) : std::nullopt;
}

// What `solve` is at, for people.
std::string solving_text(const ScheduleOptions& options, const plan::ScheduleProblem& problem) {
  const std::string size = std::to_string(problem.tasks.size()) + " operators";
  return options.method == "ilp"
             ? "integer program of " + size + ", at most " + shortest(options.time_limit_s) + " s"
             : options.method + " schedule of " + size;
}

// Writes the trace, where one is asked for, and then the answer.
template <class Trace, class Answer>
int finish(const ScheduleOptions& options, std::int64_t events, const Trace& trace,
           const Answer& answer) {
  if (is_given(options, "--trace")) {
    Diagnostics diagnostics;
    if (events > io::kMostTraceEvents) {
      diagnostics.error({"command line", 0, 0, "--trace"},
                        "the schedule has " + with_thousands(events) +
                            " events, one for each operator and core; expected at most " +
                            with_thousands(io::kMostTraceEvents));
      return report_bad_input(diagnostics);
    }
    const std::string text = trace();
    bool is_written = false;
    {
      const HoldInterrupts hold;
      is_written = io::write_text_file(options.trace, text, diagnostics);
    }
    if (!is_written) {
      return report_bad_input(diagnostics);
    }
  }
  const int exit_code = print(answer());
  if (!was_interrupted()) {
    return exit_code;
  }
  report_note("interrupted: this is the best so far");
  return kInterrupted;
}

int run_problem(const ScheduleOptions& options, Diagnostics& diagnostics) {
  const auto text = options.problem == "-" ? io::read_text(std::cin, "standard input", diagnostics)
                                           : io::read_text_file(options.problem, diagnostics);
  const auto document =
      text ? io::parse_document(*text, options.problem, diagnostics) : std::nullopt;
  auto problem = document ? io::read_schedule_problem(*document, diagnostics) : std::nullopt;
  if (!problem) {
    return report_bad_input(diagnostics);
  }
  if (is_given(options, "--exclusive-wide")) {
    problem->exclusive_wide = options.exclusive_wide;
  }
  plan::Schedule schedule;
  {
    Progress progress;
    const auto note = note_interrupts(options);
    schedule = solve(options, *problem, std::nullopt, progress, solving_text(options, *problem));
  }
  return finish(
      options, io::trace_events(schedule), [&] { return io::write_trace(*problem, schedule); },
      [&] {
        return options.json ? io::write_schedule(*problem, schedule)
                            : report::schedule_text(*problem, schedule, chart_width());
      });
}

// The passes of all layers, one after another.
void schedule_layers(const ScheduleOptions& options, const cost::CostContext& context,
                     plan::ModelSchedule& answer) {
  Progress progress;
  const auto note = note_interrupts(options);
  const std::size_t count = 2 * answer.model.layers.size();
  for (const graph::Layer& layer : answer.model.layers) {
    for (const plan::LayerPass pass : {plan::LayerPass::kForward, plan::LayerPass::kBackward}) {
      const std::string which = "layer " + std::to_string(answer.layers.size() + 1) + " of " +
                                std::to_string(count) + ", " + layer.name + " " +
                                std::string(plan::to_string(pass));
      std::optional<Picoseconds> best;
      const auto solver = [&](const plan::ScheduleProblem& problem,
                              std::optional<Picoseconds> cutoff) {
        plan::Schedule schedule =
            solve(options, problem, cutoff, progress,
                  which + ": " + solving_text(options, problem) +
                      (best ? ", so far " + with_prefix(to_seconds(*best).value(), "s") : ""));
        best = std::min(best.value_or(schedule.makespan), schedule.makespan);
        return schedule;
      };
      answer.layers.push_back(
          search::schedule_layer(context, layer, pass, answer.exclusive_wide, solver));
      const std::vector<std::string> faults = verify::find_faults(answer.layers.back());
      CHECK(faults.empty(), faults.empty() ? "" : faults.front());
    }
  }
}

int run_model(const ScheduleOptions& options, Assumptions assumptions, Diagnostics& diagnostics) {
  std::vector<std::string> settings = chip_settings(assumptions);
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  const std::optional<hw::Chip> chip = presets::load_chip(options.chip, settings, diagnostics);
  ModelOptions model_options = options.model;
  assume(assumptions, model_options);
  const std::optional<graph::Model> model =
      chip ? make_graph(model_options, false, diagnostics) : std::nullopt;
  if (!model) {
    return report_bad_input(diagnostics);
  }
  const auto [device, exit_code] = make_device(
      *chip, is_given(options, "--cluster") ? options.cluster : default_cluster(assumptions),
      *model);
  if (!device) {
    return exit_code;
  }
  if (const auto why = cost::find_obstacle(device->context, *model)) {
    return report_no_answer(chip->name + " cannot train this: " + *why);
  }
  plan::ModelSchedule answer;
  answer.model = *model;
  answer.chip = *chip;
  answer.exclusive_wide =
      is_given(options, "--exclusive-wide") ? options.exclusive_wide : exclusive_wide(assumptions);
  answer.assumptions = to_string(assumptions);
  answer.chip_settings = options.settings;
  answer.cluster = device->cluster ? device->cluster->name : "";
  answer.method = options.method;
  schedule_layers(options, device->context, answer);
  return finish(
      options, io::trace_events(answer), [&] { return io::write_trace(answer); },
      [&] {
        return options.json
                   ? io::write_model_schedule(answer)
                   : report::model_schedule_text(answer, options.all_operators, chart_width());
      });
}

int run_schedule(const ScheduleOptions& options) {
  Diagnostics diagnostics;
  const auto fault = [&diagnostics](const std::string& option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  const auto expect_one_of = [&fault](const std::string& option, const std::string& found,
                                      const std::string& list,
                                      const std::vector<std::string>& names) {
    if (std::ranges::find(names, found) == names.end()) {
      fault(option, "expected " + list + ", found \"" + found + "\"" + did_you_mean(found, names));
    }
  };
  expect_one_of("--method", options.method, "exact, ilp or list", {"exact", "ilp", "list"});
  expect_one_of("--assumptions", options.assumptions, "modern or phaze2024",
                {"modern", "phaze2024"});
  if (options.method == "ilp" && !schedule::has_ilp()) {
    fault("--method", "this build has no CBC");
  }
  const bool has_problem = is_given(options, "--problem");
  if (has_problem == !options.model.model.empty()) {
    fault("MODEL", has_problem ? "expected a model or --problem FILE, found both"
                               : "expected a model or --problem FILE");
  } else if (!has_problem && options.chip.empty()) {
    fault("--chip", "a model needs a chip");
  }
  if (has_problem) {
    std::vector<std::string> given = options.model.given;
    given.insert(given.end(), options.given.begin(), options.given.end());
    for (const std::string& name : given) {
      if (name != "--problem" && name != "--method" && name != "--work-limit" &&
          name != "--time-limit" && name != "--trace" && name != "--exclusive-wide") {
        fault(name, "means nothing with --problem");
      }
    }
  } else if (is_given(options, "--cluster") && options.model.tensor == 1) {
    fault("--cluster", "means nothing without --tensor");
  }
  if (has_problem && options.problem.empty()) {
    fault("--problem", "expected the name of a file");
  }
  std::error_code ignored;
  if (is_given(options, "--trace") && (options.trace.empty() || options.trace == "-")) {
    fault("--trace", "expected the name of a file");
  } else if (has_problem && is_given(options, "--trace") &&
             std::filesystem::equivalent(options.trace, options.problem, ignored)) {
    fault("--trace", "is the problem's own file");
  } else if (is_given(options, "--trace") && !diagnostics.has_errors()) {
    io::check_writable(options.trace, diagnostics);
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  return has_problem ? run_problem(options, diagnostics)
                     : run_model(options, *parse_assumptions(options.assumptions), diagnostics);
}

}  // namespace

void add_schedule_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "schedule", "When each operator of a layer runs on which cores of a chip, with a proof");
  const auto options = std::make_shared<ScheduleOptions>();
  const std::vector<CLI::Option*> added = add_model_options(*command, options->model, false);
  const std::vector<CLI::Option*> own = {
      command->add_option("--chip", options->chip,
                          "Built-in name or YAML file (default: none; a model needs one)"),
      command
          ->add_option("--set", options->settings,
                       "FIELD=VALUE of the chip, absolute or relative, such as "
                       "chip.tensor_cores.count=16; may be given several times")
          ->allow_extra_args(false),
      command->add_option("--cluster", options->cluster,
                          "Network of the tensor-parallel devices: built-in name or YAML file "
                          "(default: dgx-h100; of phaze2024: flat)"),
      command->add_option(
          "--problem", options->problem,
          "A problem file in place of a model, - for standard input, see docs/formats.md "
          "(default: none)"),
      command->add_option("--assumptions", options->assumptions,
                          "What options mean that are not given. modern: as they say; phaze2024: "
                          "--execution eager, --attention eager, --precision bf16, --optimizer "
                          "sgd, --exclusive-wide, --cluster flat, and the chip reaches its peaks "
                          "(default: modern)"),
      command
          ->add_flag("--exclusive-wide,!--no-exclusive-wide", options->exclusive_wide,
                     "While an operator runs on all cores of a kind, nothing else runs on any core "
                     "(default: by --assumptions, of modern no; of a problem: as the file says)")
          ->disable_flag_override(false),
      command->add_option("--method", options->method,
                          "exact: proved where the limit of work allows; ilp: by integer "
                          "programming; list: by priorities (default: exact)"),
      command
          ->add_option("--work-limit", options->work_limit,
                       "Nodes of the exact search for each schedule (default: 5000000)")
          ->check(whole_number()),
      command
          ->add_option("--time-limit", options->time_limit_s,
                       "Seconds for each integer program (default: 300)")
          ->check(positive_number()),
      command->add_flag("--operators", options->all_operators,
                        "A table of the operators of each layer too"),
      command->add_option("--trace", options->trace,
                          "Also write the schedule to this file, as events for ui.perfetto.dev or "
                          "chrome://tracing (default: none)"),
  };
  add_common_options(*command, *options);
  command->callback([options, added, own, &action] {
    note_given(added, options->model);
    for (const CLI::Option* option : own) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
      }
    }
    action = [options] { return run_schedule(*options); };
  });
}

}  // namespace phaze::cli
