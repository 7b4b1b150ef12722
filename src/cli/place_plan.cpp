#include "cli/place_plan.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/check.h"
#include "base/text.h"
#include "cli/assumptions.h"
#include "cli/experts.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/value_lists.h"
#include "cost/machine.h"
#include "io/file_writer.h"
#include "io/plan_json.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "report/plan_report.h"
#include "search/plan_record.h"
#include "verify/training_plan.h"

namespace phaze::cli {
namespace {

using place::PlanLimits;
using place::PlannerAnswer;
using place::PlanProblem;
using plan::TrainingPlan;

bool is_given(const PlanOptions& options, std::string_view name) {
  return std::ranges::find(options.given, name) != options.given.end();
}

// Values by name, such as "none,full".
template <class T, class Parser>
std::vector<T> parse_names(const std::string& option, const std::string& text,
                           const std::string& expected, Parser parser, Diagnostics& diagnostics) {
  std::vector<T> values;
  for (const std::string& part : text.empty() ? std::vector<std::string>() : split_list(text)) {
    if (const auto value = parser(part)) {
      values.push_back(*value);
    } else {
      diagnostics.error({"command line", 0, 0, option},
                        "expected " + expected + ", found \"" + part + "\"");
    }
  }
  return values;
}

PlanLimits read_limits(const PlanOptions& options, Diagnostics& diagnostics) {
  PlanLimits limits;
  limits.tensor = parse_numbers("--tensor", options.tensor, 1, diagnostics);
  limits.pipeline = parse_numbers("--pipeline", options.pipeline, 1, diagnostics);
  limits.data = parse_numbers("--data", options.data, 1, diagnostics);
  limits.microbatch = parse_numbers("--microbatch", options.microbatch, 1, diagnostics);
  limits.interleave = parse_numbers("--interleave", options.interleave, 1, diagnostics);
  limits.zero = parse_numbers("--zero", options.zero, 0, diagnostics);
  if (!limits.zero.empty() && limits.zero.back() > 3) {
    diagnostics.error({"command line", 0, 0, "--zero"}, "expected stages from 0 to 3");
  }
  limits.recompute =
      parse_names<plan::Recompute>("--recompute", options.recompute, "none, selective or full",
                                   plan::parse_recompute, diagnostics);
  limits.schedule = parse_names<plan::PipelineSchedule>("--schedule", options.schedule,
                                                        "1f1b, gpipe or interleaved",
                                                        plan::parse_pipeline_schedule, diagnostics);
  limits.order = parse_names<plan::AxisOrder>(
      "--order", options.order, "the letters t, d and p from the innermost group out, such as tdp",
      plan::parse_axis_order, diagnostics);
  limits.sequence_parallel = parse_names<bool>(
      "--sequence-parallel", options.sequence_parallel, "on or off",
      [](std::string_view text) {
        return text == "on"    ? std::optional(true)
               : text == "off" ? std::optional(false)
                               : std::nullopt;
      },
      diagnostics);
  return limits;
}

// All that a plan is made from. Stays where it was made.
struct Setting {
  hw::Chip chip;
  hw::Cluster cluster;
  Workload workload;
  search::ProfileRequest request;
  std::vector<std::int64_t> widths;
  std::int64_t sequence = 0;
  FlopsPerSecond peak;
  PlanProblem problem;
};

plan::StateBytes states_of(const graph::TrainingOptions& training) {
  plan::StateBytes states;
  states.weight = Bytes(graph::bytes_per_element(graph::weight_type(training.precision)));
  states.gradient = Bytes(graph::bytes_per_element(graph::gradient_type(training.precision)));
  states.optimizer = graph::state_per_parameter(training.precision, training.optimizer) -
                     states.weight - states.gradient;
  return states;
}

// Fills in what follows from the parts; false after it was said why not.
bool complete(Setting& s, const PlanOptions& options, Diagnostics& diagnostics) {
  if (s.chip.links.count > 0) {
    s.cluster = hw::with_link_limit(s.cluster, hw::link_bandwidth(s.chip));
  }
  s.request.model = &s.workload.model;
  s.request.build = s.workload.build;
  s.request.training = s.workload.training;
  s.request.context = cost::make_context(s.chip);
  s.request.cluster = &s.cluster;
  const graph::ElementType type = graph::weight_type(s.workload.training.precision);
  const auto format = cost::matrix_format(s.chip, type);
  if (!format) {
    diagnostics.error(
        {"command line", 0, 0, "--precision"},
        s.chip.name + " has no matrix units for " + std::string(graph::to_string(type)));
    return false;
  }
  s.peak = hw::peak_flops(s.chip, *format);
  if (const auto* spec = std::get_if<models::ModelSpec>(&s.workload.model)) {
    s.widths = models::tensor_widths(*spec);
  } else {
    s.widths = {std::get<graph::Model>(s.workload.model).tensor_width};
  }
  for (const std::int64_t width : s.problem.limits.tensor) {
    if (std::ranges::find(s.widths, width) == s.widths.end() &&
        s.problem.limits.tensor.size() == 1) {
      diagnostics.error({"command line", 0, 0, "--tensor"},
                        "a width of " + std::to_string(width) +
                            " does not divide the model's heads, feed-forward width or vocabulary");
    }
  }
  s.problem.devices = options.devices;
  s.problem.global_batch = options.global_batch;
  s.problem.capacity = hw::hbm_capacity(s.chip);
  s.problem.other = s.chip.reserved + s.chip.workspace;
  s.problem.states = states_of(s.workload.training);
  s.problem.overlap = !options.no_overlap;
  if (const auto most = hw::device_count(s.cluster); most && *most < options.devices) {
    diagnostics.error({"command line", 0, 0, "--devices"},
                      "cluster " + s.cluster.name + " has " + with_thousands(*most) + " devices");
  }
  const auto divides = [&](const std::vector<std::int64_t>& values, const char* option) {
    if (values.size() == 1 && options.global_batch % values.front() != 0) {
      diagnostics.error({"command line", 0, 0, option},
                        std::to_string(values.front()) + " does not divide the global batch of " +
                            std::to_string(options.global_batch));
    }
  };
  divides(s.problem.limits.data, "--data");
  divides(s.problem.limits.microbatch, "--microbatch");
  return !diagnostics.has_errors();
}

PlannerAnswer solve(Setting& s, search::ClusterCosts& costs, std::size_t keep) {
  Progress progress;
  place::PlannerOptions options;
  options.keep = keep;
  options.is_cancelled = [&progress](std::int64_t done, Seconds best) {
    progress.show("pricing strategies: " + with_thousands(done) + " done, best " +
                  (std::isfinite(best.value()) ? with_prefix(best.value(), "s") : "none yet"));
    return was_interrupted();
  };
  progress.show("pricing layers");
  const NoteInterrupts note;
  return place::solve_plan(s.problem, costs, options);
}

std::string title_of(const Setting& s, const PlanOptions& options) {
  return printable(options.model.model) + " on " + with_thousands(options.devices) + " " +
         printable(s.chip.name) + ", cluster " + printable(s.cluster.name) + ", global batch " +
         with_thousands(options.global_batch) + " sequences of " + with_thousands(s.sequence) +
         " tokens";
}

// Why nothing fits, and what would.
std::string why_no_plan(Setting& s, search::ClusterCosts& costs, const PlannerAnswer& answer) {
  if (answer.strategies == 0 && answer.unplaced > 0) {
    return "no strategy is left: the groups of devices asked for do not fill the levels of "
           "cluster " +
           s.cluster.name + " evenly";
  }
  if (answer.strategies == 0) {
    return "no strategy is left: " +
           (costs.reason().empty() ? std::string("widths, stages and devices do not go together")
                                   : costs.reason());
  }
  std::string text = "no plan fits " + with_thousands(s.problem.devices) + " devices of " +
                     report::gibibytes(s.problem.capacity);
  const auto fits = [&](std::int64_t devices, Bytes capacity) {
    PlanProblem other = s.problem;
    other.devices = devices;
    other.capacity = capacity;
    return !place::solve_plan(other, costs, {}).plans.empty();
  };
  // By doubling, then by halving the gap.
  Bytes low = s.problem.capacity, high = low * 2;
  for (int i = 0; i < 12 && !fits(s.problem.devices, high); ++i) {
    low = high;
    high = high * 2;
  }
  if (fits(s.problem.devices, high)) {
    for (int i = 0; i < 7; ++i) {
      const Bytes middle((low.value() + high.value()) / 2);
      (fits(s.problem.devices, middle) ? high : low) = middle;
    }
    text += "; it would with " + report::gibibytes(high) + " a device";
  }
  const std::int64_t most =
      hw::device_count(s.cluster).value_or(std::numeric_limits<std::int64_t>::max() / 4);
  std::int64_t few = s.problem.devices, many = few;
  bool found = false;
  for (int i = 0; i < 10 && !found && many < most; ++i) {
    many = std::min(most, many * 2);
    found = fits(many, s.problem.capacity);
    few = found ? few : many;
  }
  if (found) {
    while (many - few > 1) {
      const std::int64_t middle = (few + many) / 2;
      (fits(middle, s.problem.capacity) ? many : few) = middle;
    }
    text += ", or on " + with_thousands(many) + " devices";
  }
  return text;
}

// The one strategy that is asked for, where every choice is fixed; others at their least.
std::optional<plan::Strategy> find_only_strategy(const PlanLimits& limits) {
  const auto is_fixed = [](const auto& values) { return values.size() == 1; };
  if (!is_fixed(limits.tensor) || !is_fixed(limits.pipeline) || !is_fixed(limits.data) ||
      !is_fixed(limits.microbatch)) {
    return std::nullopt;
  }
  plan::Strategy only;
  only.tensor = limits.tensor.front();
  only.pipeline = limits.pipeline.front();
  only.data = limits.data.front();
  only.microbatch = limits.microbatch.front();
  only.sequence_parallel = !limits.sequence_parallel.empty() && limits.sequence_parallel.front();
  only.zero = limits.zero.empty() ? 0 : static_cast<int>(limits.zero.front());
  only.interleave = limits.interleave.empty() ? 1 : limits.interleave.front();
  only.schedule = !limits.schedule.empty() ? limits.schedule.front()
                  : only.interleave > 1    ? plan::PipelineSchedule::kInterleaved
                                           : plan::PipelineSchedule::k1F1B;
  only.order = limits.order.empty() ? plan::kTensorDataPipeline : limits.order.front();
  return only;
}

// The best time with a little more of each resource.
std::vector<report::Sensitivity> find_sensitivities(const Setting& s, const PlanOptions& options) {
  std::vector<report::Sensitivity> all;
  const auto with = [&](const std::string& what, auto change) {
    Setting other = s;
    change(other);
    other.request.model = &other.workload.model;
    other.request.context = cost::make_context(other.chip);
    other.request.cluster = &other.cluster;
    search::ClusterCosts costs(other.request, other.widths);
    const PlannerAnswer answer = place::solve_plan(other.problem, costs, {});
    all.push_back({what, answer.plans.empty() ? std::nullopt
                                              : std::optional(answer.plans.front().iteration)});
  };
  with("10 % more memory",
       [](Setting& o) { o.problem.capacity = Bytes(o.problem.capacity.value() * 11 / 10); });
  with("10 % more HBM bandwidth",
       [](Setting& o) { o.chip.hbm.stack_bandwidth = o.chip.hbm.stack_bandwidth * 1.1; });
  with("10 % higher clock", [](Setting& o) { o.chip.clock = o.chip.clock * 1.1; });
  for (std::size_t i = 0; i < s.cluster.levels.size(); ++i) {
    with("10 % more bandwidth of " + s.cluster.levels[i].name,
         [i](Setting& o) { o.cluster.levels[i].bandwidth = o.cluster.levels[i].bandwidth * 1.1; });
  }
  with(with_thousands(options.devices * 11 / 10) + " devices",
       [&](Setting& o) { o.problem.devices = options.devices * 11 / 10; });
  return all;
}

void check_plans(const Setting& s, search::ClusterCosts& costs, const PlannerAnswer& answer) {
  const PlanProblem& asked = s.problem;
  const verify::PlanTerms terms{asked.devices, asked.global_batch, asked.capacity,
                                asked.other,   asked.states,       answer.bound};
  for (const TrainingPlan& plan : answer.plans) {
    const auto faults = verify::find_faults(terms, *costs.chain(plan.strategy), plan);
    CHECK(faults.empty(), "a plan is unsound: " + faults.front());
  }
}

int show(Setting& s, search::ClusterCosts& costs, const PlanOptions& options,
         const PlannerAnswer& answer, double seconds) {
  check_plans(s, costs, answer);
  report::PlanReport report;
  const bool fits = answer.plans.front().fits;
  report.record = search::make_record(answer.plans.front(), costs, s.chip, s.peak, answer.bound,
                                      answer.is_complete && fits);
  report.record.model = options.model.model;
  report.record.cluster = s.cluster.name;
  report.record.sequence = s.sequence;
  report.title = title_of(s, options);
  if (fits) {
    report.search = report::PlanSearch{answer.strategies, answer.excluded, answer.priced, seconds,
                                       answer.is_complete};
  }
  report.others.assign(answer.plans.begin() + 1, answer.plans.end());
  if (options.why) {
    report.why = find_sensitivities(s, options);
  }
  const std::string json = io::write_plan(report.record);
  if (!options.output.empty()) {
    Diagnostics diagnostics;
    const HoldInterrupts hold;
    if (!io::write_text_file(options.output, json, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  const int exit_code = print(options.json ? json : report::plan_text(report));
  if (was_interrupted()) {
    report_note("interrupted: this is the best so far");
    return kInterrupted;
  }
  return report.record.plan.fits ? exit_code : std::max(exit_code, kNoAnswer);
}

}  // namespace

int run_plan(const PlanOptions& options) {
  Diagnostics diagnostics;
  const auto fault = [&diagnostics](const std::string& option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  const std::optional<Assumptions> assumptions = parse_assumptions(options.assumptions);
  if (!assumptions) {
    fault("--assumptions", "expected modern or phaze2024, found \"" + options.assumptions + "\"");
  }
  if (options.chip.empty()) {
    fault("--chip", "a plan needs a chip");
  }
  auto s = std::make_unique<Setting>();
  s->problem.limits = read_limits(options, diagnostics);
  if (!options.strategy.empty()) {
    const auto expert =
        options.strategy == "expert" ? find_expert_strategy(options.model.model) : std::nullopt;
    if (options.strategy != "expert") {
      fault("--strategy", "expected expert, found \"" + options.strategy + "\"");
    } else if (!expert) {
      fault("--strategy", "no expert's strategy is known for " + options.model.model);
    } else {
      s->problem.limits.tensor = {expert->tensor};
      s->problem.limits.pipeline = {expert->pipeline};
      s->problem.limits.data = {expert->data};
    }
  }
  if (!options.output.empty() && !diagnostics.has_errors()) {
    io::check_writable(options.output, diagnostics);
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  PlanOptions asked = options;
  assume(*assumptions, asked.model);
  asked.devices = options.devices > 0 ? options.devices : 1024;
  asked.global_batch = options.global_batch > 0                  ? options.global_batch
                       : *assumptions == Assumptions::kPhaze2024 ? 4096
                                                                 : 2048;
  std::vector<std::string> settings = chip_settings(*assumptions);
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  const auto chip = presets::load_chip(options.chip, settings, diagnostics);
  const auto cluster = presets::load_cluster(
      is_given(options, "--cluster") ? options.cluster : default_cluster(*assumptions), {},
      diagnostics);
  auto workload = load_workload(asked.model, diagnostics);
  if (!chip || !cluster || !workload) {
    return report_bad_input(diagnostics);
  }
  s->chip = *chip;
  s->cluster = *cluster;
  s->workload = *std::move(workload);
  s->request.scheduling.exclusive_wide = exclusive_wide(*assumptions);
  const auto* spec = std::get_if<models::ModelSpec>(&s->workload.model);
  s->sequence = s->workload.build.sequence > 0 ? s->workload.build.sequence
                : spec != nullptr              ? spec->default_sequence
                                               : std::get<graph::Model>(s->workload.model).sequence;
  if (!complete(*s, asked, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  if (s->problem.limits.data == std::vector<std::int64_t>{1} && !s->problem.limits.zero.empty()) {
    report_note("ZeRO changes nothing with a data width of 1");
    s->problem.limits.zero.clear();
  }
  search::ClusterCosts costs(s->request, s->widths);
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t keep = static_cast<std::size_t>(options.alternatives) + 1;
  PlannerAnswer answer = solve(*s, costs, keep);
  if (answer.strategies == 0 &&
      s->problem.limits.recompute == std::vector{plan::Recompute::kSelective}) {
    // Layers without an attention core that keeps anything.
    s->problem.limits.recompute = {plan::Recompute::kNone};
    answer = solve(*s, costs, keep);
    if (answer.strategies > 0) {
      report_note("selective recomputation saves nothing here: this is without it");
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto only = find_only_strategy(s->problem.limits);
  if (answer.plans.empty() && only && devices_of(*only) <= s->problem.devices) {
    // A given strategy is priced even when it does not fit.
    if (auto plan = place::price_strategy(s->problem, costs, *only)) {
      answer.bound = plan->iteration;
      answer.plans.push_back(*std::move(plan));
    }
  }
  if (!answer.plans.empty()) {
    return show(*s, costs, asked, answer, seconds);
  }
  const std::string why = why_no_plan(*s, costs, answer);
  if (options.json) {
    print(io::write_no_plan(why));
  }
  return report_no_answer(why);
}

}  // namespace phaze::cli
