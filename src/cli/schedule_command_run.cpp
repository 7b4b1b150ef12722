#include "cli/schedule_command_run.h"

#include <algorithm>
#include <iostream>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "cli/device.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cost/estimate.h"
#include "cost/layer.h"
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
#include "search/original_layers.h"
#include "verify/layer_schedule.h"
#include "verify/schedule.h"

namespace phaze::cli {
namespace {

// `what` is being done, for people.
plan::Schedule solve(const ScheduleOptions& options, const plan::ScheduleProblem& problem,
                     const search::Wanted& wanted, Progress& progress, const std::string& what) {
  progress.show(what);
  plan::Schedule schedule;
  if (options.method == "list" || (options.method == "ilp" && wanted.is_glance())) {
    schedule = schedule::solve_list(problem);
  } else if (options.method == "ilp") {
    schedule::IlpOptions ilp;
    ilp.time_limit = Seconds(options.time_limit_s);
    ilp.is_cancelled = was_interrupted;
    schedule = schedule::solve_ilp(problem, ilp);
  } else {
    schedule::ExactOptions exact =
        search::exact_options(wanted, was_interrupted() ? 0 : options.work_limit);
    exact.is_cancelled = [&](Picoseconds best, Picoseconds bound, std::int64_t work) {
      progress.show(what + ": best " + with_prefix(to_seconds(best).value(), "s") + ", bound " +
                    with_prefix(to_seconds(bound).value(), "s") + ", " + with_thousands(work) +
                    " of " + counted(options.work_limit, "node"));
      return was_interrupted();
    };
    schedule = schedule::solve_exact(problem, exact);
  }
  const std::vector<std::string> faults = verify::find_faults(problem, schedule);
  CHECK(faults.empty(), faults.empty() ? "" : faults.front());
  return schedule;
}

// What options ask for that the chip has no use for.
void note_options_without_effect(const ScheduleOptions& options, const hw::Chip& chip) {
  std::string names;
  for (const char* name : {"--method", "--exclusive-wide", "--work-limit", "--time-limit"}) {
    if (!chip.concurrent_operators && is_given(options, name)) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (!names.empty()) {
    report_note(names + ": without effect, " + chip.name +
                " runs one operator at a time and a layer takes the sum of their times");
  }
}

// Schedules count picoseconds in 64 bits, which end at 9.2e6 s.
constexpr double kMostLayerSeconds = 4e6;

// The first layer whose operators take too long together for schedules to be counted, on one core
// each where they may run so.
std::optional<std::string> find_too_long(const cost::CostContext& context,
                                         const graph::Model& model) {
  cost::CostContext one = context;
  one.share = {false, std::max(context.chip->tensor.count, context.chip->vector.count)};
  for (const graph::Layer& layer : model.layers) {
    const auto placements = cost::compute_placements(layer, *context.chip);
    double seconds = 0;
    for (const graph::OpId id : ids_of(layer.operators)) {
      const auto time = [&](const cost::CostContext& on) {
        return cost::compute_operator_cost(on, layer, layer.operators[id], placements[id])
            .time.value();
      };
      const bool may_be_alone = context.chip->concurrent_operators;
      seconds += std::max(time(context), may_be_alone ? time(one) : 0);
    }
    if (!(seconds <= kMostLayerSeconds)) {
      return "the operators of layer " + printable(layer.name) + " take " +
             with_prefix(seconds, "s") + " together" +
             (context.chip->concurrent_operators ? ", on one core each" : "") +
             "; schedules are counted up to " + with_prefix(kMostLayerSeconds, "s");
    }
  }
  return std::nullopt;
}

// Methods that can stop and show what they have; the list is made at once.
std::optional<NoteInterrupts> note_interrupts(const ScheduleOptions& options) {
  return options.method == "list" ? std::nullopt : std::optional<NoteInterrupts>(std::in_place);
}

// What `solve` is at, for people.
std::string solving_text(const ScheduleOptions& options, const plan::ScheduleProblem& problem) {
  const std::string size = counted(problem.tasks.size(), "operator");
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
                        "the schedule has " + counted(events, "event") +
                            ", one for each operator and core; expected at most " +
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
  report_note(options.method == "ilp"
                  ? "interrupted: these are the schedules that integer programs were done with, or "
                    "began from"
                  : "interrupted: this is the best so far");
  return kInterrupted;
}

// The passes of all layers, one after another.
void schedule_layers(const ScheduleOptions& options, const cost::CostContext& context,
                     plan::ModelSchedule& answer) {
  Progress progress;
  const auto note = note_interrupts(options);
  const std::size_t count = 2 * answer.model.layers.size();
  for (const graph::Layer& layer : answer.model.layers) {
    for (const plan::LayerPass pass : {plan::LayerPass::kForward, plan::LayerPass::kBackward}) {
      // Short, to leave room on a line of a terminal for what is known.
      const std::string which = std::to_string(answer.layers.size() + 1) + " of " +
                                std::to_string(count) + ", " + layer.name + " " +
                                std::string(plan::to_string(pass));
      const auto solver = [&](const plan::ScheduleProblem& problem, const search::Wanted& wanted) {
        const bool is_exact = options.method == "exact";
        return solve(options, problem, wanted, progress,
                     is_exact ? which : which + ": " + solving_text(options, problem));
      };
      answer.layers.push_back(
          search::schedule_layer(context, layer, pass, answer.exclusive_wide, solver));
      const std::vector<std::string> faults = verify::find_faults(answer.layers.back());
      CHECK(faults.empty(), faults.empty() ? "" : faults.front());
    }
  }
}

}  // namespace

bool is_given(const ScheduleOptions& options, std::string_view name) {
  return std::ranges::find(options.given, name) != options.given.end();
}

int run_schedule_problem(const ScheduleOptions& options) {
  Diagnostics diagnostics;
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
    schedule = solve(options, *problem, {}, progress, solving_text(options, *problem));
  }
  return finish(
      options, io::trace_events(schedule), [&] { return io::write_trace(*problem, schedule); },
      [&] {
        return options.json ? io::write_schedule(*problem, schedule)
                            : for_people(report::schedule_text(*problem, schedule, chart_width()));
      });
}

int run_schedule_model(const ScheduleOptions& options, Assumptions assumptions) {
  Diagnostics diagnostics;
  std::vector<std::string> settings = chip_settings(assumptions);
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  const std::optional<hw::Chip> chip = presets::load_chip(options.chip, settings, diagnostics);
  ModelOptions model_options = options.model;
  assume(assumptions, model_options);
  std::optional<graph::Model> model =
      chip ? make_graph(model_options, false, diagnostics) : std::nullopt;
  if (!model) {
    return report_bad_input(diagnostics);
  }
  if (!search::has_weight_gradients(assumptions)) {
    std::ranges::for_each(model->layers, search::drop_weight_gradients);
  }
  const auto [device, exit_code] = make_device(
      *chip, is_given(options, "--cluster") ? options.cluster : default_cluster(assumptions),
      *model, assumptions);
  if (!device) {
    return exit_code;
  }
  if (const auto why = cost::find_obstacle(device->context, *model)) {
    return report_no_answer(chip->name + " cannot train this: " + *why);
  }
  if (const auto why = find_too_long(device->context, *model)) {
    diagnostics.error({"command line", 0, 0, "MODEL"}, *why);
    return report_bad_input(diagnostics);
  }
  note_options_without_effect(options, *chip);
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
        return options.json ? io::write_model_schedule(answer)
                            : for_people(report::model_schedule_text(answer, options.all_operators,
                                                                     chart_width()));
      });
}

}  // namespace phaze::cli
