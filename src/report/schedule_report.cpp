#include "report/schedule_report.h"

#include "base/plural.h"
#include "base/text.h"
#include "report/schedule_lines.h"

namespace phaze::report {
namespace {

using plan::LayerSchedule;
using plan::ModelSchedule;
using plan::Schedule;
using plan::ScheduleProblem;

constexpr const char* kLegend =
    "t: tensor cores, v: vector cores, net: the network; |name=== runs wide, on all cores of its "
    "kind, |name--- on one, ... idle\n";

std::string proof_text(const Schedule& s) {
  if (s.status == plan::SolveStatus::kOptimal) {
    return "proved optimal";
  }
  const double gap = s.makespan > Picoseconds()
                         ? 1 - to_seconds(s.lower_bound).value() / to_seconds(s.makespan).value()
                         : 0;
  return "not proved: bound " + time_text(s.lower_bound) + ", gap " + share_text(gap);
}

std::string header(const ModelSchedule& s) {
  std::string text = printable(s.model.name) + " on " + printable(s.chip.name);
  for (const std::string& setting : s.chip_settings) {
    text += " " + printable(setting);
  }
  text += " (" + counted(s.chip.tensor.count, "tensor core") + ", " +
          counted(s.chip.vector.count, "vector core") + "), sequence " +
          with_thousands(s.model.sequence) + ", micro-batch " + with_thousands(s.model.microbatch);
  if (s.model.tensor_width > 1) {
    text += ", one of " + with_thousands(s.model.tensor_width) + " tensor-parallel devices of " +
            printable(s.cluster);
  }
  text += "\nassumptions " + s.assumptions + ": ";
  for (const char* key : {"execution", "attention", "precision", "recompute"}) {
    const auto setting = s.model.settings.find(key);
    if (setting != s.model.settings.end()) {
      text += std::string(key) + " " + printable(setting->second) + ", ";
    }
  }
  if (!s.chip.concurrent_operators) {
    text += "one operator at a time, on all cores of its kind\n";
  } else if (s.exclusive_wide) {
    text += "nothing runs beside a wide operator\n";
  } else {
    text += "wide operators leave the other kind of core free\n";
  }
  return text;
}

std::string layer_table(const ModelSchedule& s) {
  Table table({{"layer", Align::kLeft},
               {"pass", Align::kLeft},
               {"repeat", Align::kRight},
               {"time", Align::kRight},
               {"all repeats", Align::kRight},
               {"tensor busy", Align::kRight},
               {"vector busy", Align::kRight},
               {"schedule", Align::kLeft}});
  for (const LayerSchedule& layer : s.layers) {
    const plan::CoreUtilisation busy =
        plan::core_utilisation(layer.problem, layer.schedule, layer.time());
    const double all = to_seconds(layer.time()).value() * static_cast<double>(layer.repeat);
    table.add_row({layer.name, std::string(plan::to_string(layer.pass)),
                   with_thousands(layer.repeat), time_text(layer.time()), time_text(Seconds(all)),
                   share_text(busy.tensor), share_text(busy.vector),
                   layer.is_serial     ? "one after another"
                   : layer.is_proved() ? "proved optimal"
                                       : proof_text(layer.schedule)});
  }
  table.add_rule();
  for (const plan::LayerPass pass : {plan::LayerPass::kForward, plan::LayerPass::kBackward}) {
    table.add_row(
        {"all", std::string(plan::to_string(pass)), "", "", time_text(plan::total_time(s, pass))});
  }
  return table.to_string(2);
}

std::string layer_text(const LayerSchedule& layer, bool all_operators, std::size_t width) {
  std::string text = printable(layer.name) +
                     (layer.repeat > 1 ? " x " + with_thousands(layer.repeat) : "") + ", " +
                     std::string(plan::to_string(layer.pass)) + ": " + time_text(layer.time());
  if (layer.is_serial) {
    text += ", the sum of its operators\n";
  } else if (layer.floor.value() - layer.schedule.makespan.value() > layer.floor.value() / 1000) {
    text += ", the time of all bytes through " + floor_text(layer.floor_reason) +
            "; operators end after " + time_text(layer.schedule.makespan) + "\n";
  } else {
    text += ", " + proof_text(layer.schedule) + "\n";
  }
  text += core_lines(layer.problem, layer.schedule, layer.time(), plan::idle_times(layer),
                     layer.floor_reason);
  bool has_single = false;
  for (const plan::TaskRun& run : layer.schedule.runs) {
    has_single = has_single || (!run.wide && run.tensor_cores.size() + run.vector_cores.size() > 0);
  }
  if (has_single && !layer.is_serial) {
    text += layer.busy_cores == 1
                ? "  operators on one core: one of a kind at a time, with all of the bandwidths\n"
                : "  operators on one core: at most " + with_thousands(layer.busy_cores) +
                      " of a kind at a time, each with 1/" + with_thousands(layer.busy_cores) +
                      " of the bandwidths\n";
  }
  text += schedule_chart(layer.problem, layer.schedule, layer.time(), width);
  if (all_operators) {
    text += "\n" + operator_table(layer.problem, layer.schedule).to_string(2);
  }
  return text;
}

}  // namespace

std::string schedule_text(const ScheduleProblem& problem, const Schedule& schedule,
                          std::size_t width) {
  return counted(static_cast<std::int64_t>(problem.tasks.size()), "operator") + " in " +
         time_text(schedule.makespan) + ", " + proof_text(schedule) +
         (problem.exclusive_wide ? "; nothing runs beside a wide operator\n"
                                 : "; wide operators leave the other kind of core free\n") +
         core_lines(problem, schedule, schedule.makespan, plan::idle_times(problem, schedule),
                    plan::TimeFloor::kNone) +
         kLegend + "\n" + schedule_chart(problem, schedule, schedule.makespan, width) + "\n" +
         operator_table(problem, schedule).to_string(2);
}

std::string model_schedule_text(const ModelSchedule& schedule, bool all_operators,
                                std::size_t width) {
  std::string text = header(schedule) + "\n" + layer_table(schedule) + "\n" + kLegend;
  for (const LayerSchedule& layer : schedule.layers) {
    text += "\n" + layer_text(layer, all_operators, width);
  }
  return text;
}

}  // namespace phaze::report
