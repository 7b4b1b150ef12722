#include "report/plan_report.h"

#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/text.h"
#include "report/comparison_report.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::PlanStage;
using plan::StageMemory;
using plan::TrainingPlan;

constexpr std::size_t kBar = 24;
constexpr std::size_t kMostStages = 16;  // rows; equal neighbours share one

std::string time_text(Seconds time) {
  return time > Seconds() ? with_prefix(time.value(), "s") : "0 s";
}

std::string one_digit(double value) { return shortest(std::round(value * 10) / 10); }

std::string percent(double share) { return one_digit(100 * share) + " %"; }

// A device's memory as a bar: a letter for each part, dots for what is left.
std::string bar(const StageMemory& memory, Bytes capacity) {
  const std::vector<std::pair<char, Bytes>> parts = {
      {'w', memory.weights},     {'g', memory.gradients}, {'o', memory.optimizer},
      {'a', memory.activations}, {'t', memory.transient}, {'x', memory.other}};
  const double whole = static_cast<double>(std::max(capacity, memory.total()).value());
  std::string text;
  double sum = 0;
  for (const auto& [letter, bytes] : parts) {
    sum += static_cast<double>(bytes.value());
    const auto to = static_cast<std::size_t>(std::llround(sum / whole * static_cast<double>(kBar)));
    text.append(to > text.size() ? to - text.size() : 0, letter);
  }
  return "[" + text + std::string(kBar - std::min(kBar, text.size()), '.') + "]";
}

std::string layers_text(const plan::PlanRecord& record, const PlanStage& stage) {
  std::string text;
  for (const plan::StageLayers& run : stage.layers) {
    text += text.empty() ? "" : " + ";
    const std::string name = printable(record.layers[run.layer]);
    text += run.count == 1 ? name : std::to_string(run.count) + " " + name;
  }
  return text;
}

std::string room_text(const PlanStage& stage, Bytes capacity) {
  const Bytes total = stage.memory.total();
  return total > capacity ? gibibytes(total - capacity) + " too much" : gibibytes(capacity - total);
}

// Where stages follow one another that look the same, one row for all.
std::string stage_table(const plan::PlanRecord& record) {
  const TrainingPlan& plan = record.plan;
  Table table({{"stage", Align::kRight},
               {"layers", Align::kLeft},
               {"recompute", Align::kLeft},
               {"forward", Align::kRight},
               {"backward", Align::kRight},
               {"in flight", Align::kRight},
               {"memory of " + gibibytes(plan.capacity), Align::kLeft},
               {"", Align::kRight},
               {"room", Align::kRight}});
  const std::size_t count = plan.stages.size();
  const auto row = [&](std::size_t first, std::size_t last) {
    const PlanStage& stage = plan.stages[first];
    table.add_row(
        {first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last),
         layers_text(record, stage), std::string(plan::to_string(stage.recompute)),
         time_text(stage.forward), time_text(stage.backward), std::to_string(stage.in_flight),
         bar(stage.memory, plan.capacity), gibibytes(stage.memory.total()),
         room_text(stage, plan.capacity)});
  };
  const auto is_like = [&](std::size_t a, std::size_t b) {
    return plan.stages[a].layers == plan.stages[b].layers &&
           plan.stages[a].recompute == plan.stages[b].recompute;
  };
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    if (count > kMostStages) {
      while (last + 1 < count && is_like(first, last + 1)) {
        ++last;
      }
    }
    row(first, last);
    first = last + 1;
  }
  return table.to_string(2) +
         "  w weights, g gradients, o optimiser, a activations, t transient, x workspace and "
         "reserved; of the first stage of a row\n";
}

std::string parts_text(const plan::IterationParts& parts) {
  std::string text;
  const auto add = [&text](Seconds time, const char* name) {
    if (time.value() > 0) {
      text += (text.empty() ? "" : " + ") + time_text(time) + " " + name;
    }
  };
  add(parts.compute, "compute");
  add(parts.recompute, "recomputation");
  add(parts.bubble, "bubble");
  add(parts.tensor, "tensor");
  add(parts.pipeline, "pipeline");
  add(parts.data, "data");
  add(parts.optimizer, "optimiser");
  return text;
}

// Of layer times that are not proved themselves a proof holds for these times only.
std::string search_text(const PlanSearch& search, bool is_conditional) {
  const std::string best =
      is_conditional ? "for these layer times proved best of " : "proved best of ";
  if (search.is_original) {
    return best + counted(search.strategies, "placement problem") +
           " of the original (micro-batches, stored or recomputed) in " +
           time_text(Seconds(search.seconds)) + " (" + with_thousands(search.excluded) +
           " excluded by bounds)";
  }
  return (search.is_complete ? best : "interrupted; best so far of ") +
         counted(search.strategies, "strategy", "strategies") + " in " +
         time_text(Seconds(search.seconds)) + " (" + with_thousands(search.excluded) +
         " excluded by bounds, " + with_thousands(search.priced) + " priced)";
}

std::string figures_text(const plan::PlanRecord& record) {
  const double rate = plan::throughput(record.plan);
  std::string text = "  " + with_prefix(rate, "sequences/s") + ", " +
                     with_prefix(rate * static_cast<double>(record.sequence), "tokens/s");
  if (record.figures) {
    const plan::PlanFigures& figures = *record.figures;
    text += ", MFU " + percent(figures.mfu) + " (the model's FLOPs, attention in full), HFU " +
            percent(figures.hfu) + " (FLOPs that run)";
    text += "\n  busy: tensor cores " + percent(figures.utilisation.tensor) + ", vector cores " +
            percent(figures.utilisation.vector) + ", HBM " + percent(figures.utilisation.hbm) +
            ", links " + percent(figures.utilisation.link);
  }
  return text + "\n";
}

std::string range_text(const plan::PredictionRange& range, Seconds iteration) {
  if (!range.low) {
    return "  range: " + range.basis + "\n";
  }
  const auto change = [iteration](Seconds end) {
    const double share = end.value() / iteration.value() - 1;
    return (share < 0 ? "" : "+") + percent(share);
  };
  return "  80 % range " + time_text(*range.low) + " to " + time_text(*range.high) + " (" +
         change(*range.low) + " to " + change(*range.high) + "), from " + range.basis + "\n";
}

std::string why_text(const plan::PlanWhy& why, Seconds iteration) {
  Table table({{"with", Align::kLeft},
               {"iteration", Align::kRight},
               {"time", Align::kRight},
               {"of what is added", Align::kRight}});
  for (const plan::Sensitivity& each : why.with) {
    table.add_row({each.what, each.iteration ? time_text(*each.iteration) : "nothing fits",
                   each.iteration ? percent(each.iteration->value() / iteration.value() - 1) : "",
                   each.iteration ? percent(each.elasticity) : ""});
  }
  return table.to_string(2) + "  " + why.words + "\n";
}

}  // namespace

std::string gibibytes(Bytes bytes) {
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  return one_digit(static_cast<double>(bytes.value()) / kGibibyte) + " GiB";
}

std::string missing_memory_text(const TrainingPlan& plan) {
  const Bytes missing = plan::peak_memory(plan) - plan.capacity;
  return "a device needs " + gibibytes(plan::peak_memory(plan)) + ", " + gibibytes(missing) + " (" +
         counted(missing.value(), "byte") + ") more than it has";
}

std::string strategy_text(const TrainingPlan& plan) {
  const plan::Strategy& s = plan.strategy;
  std::string text = "tensor " + std::to_string(s.tensor) +
                     (s.sequence_parallel ? " (sequence parallel)" : "") + ", pipeline " +
                     std::to_string(s.pipeline) + ", data " + std::to_string(s.data);
  if (s.interleave > 1) {
    text += ", interleave " + std::to_string(s.interleave);
  }
  if (s.schedule == plan::PipelineSchedule::kGpipe) {
    text += ", GPipe";
  }
  text += ", micro-batch " + std::to_string(s.microbatch) + " (" +
          std::to_string(plan.microbatches) + " of them), recompute " + plan::recompute_of(plan) +
          ", ZeRO " + std::to_string(s.zero);
  // Of the groups that have more than one device.
  std::vector<plan::Axis> inner;
  for (const plan::Axis axis : s.order) {
    const std::int64_t size = axis == plan::Axis::kTensor ? s.tensor
                              : axis == plan::Axis::kData ? s.data
                                                          : s.pipeline;
    if (size > 1) {
      inner.push_back(axis);
    }
  }
  if (!std::is_sorted(inner.begin(), inner.end())) {
    text += ", order " + plan::to_string(s.order);
  }
  return text;
}

std::string plan_text(const PlanReport& report) {
  const plan::PlanRecord& record = report.record;
  const TrainingPlan& plan = record.plan;
  std::string text = report.title + "\n";
  if (report.search) {
    text += search_text(*report.search, is_conditional(record)) + "\n";
  }
  if (record.question) {
    text += "  " + record.question->words + "\n";
  }
  text += "  " + strategy_text(plan) + "\n";
  const std::int64_t idle = plan.devices - plan::devices_of(plan.strategy);
  if (idle > 0) {
    text += "  " + with_thousands(idle) + " of " + with_thousands(plan.devices) +
            (idle == 1 ? " devices stays idle\n" : " devices stay idle\n");
  }
  if (!plan.fits) {
    text += "  DOES NOT FIT: " + missing_memory_text(plan) + "\n";
  }
  text += "\n" + stage_table(record) + fullest_text(plan);
  text += "\n  iteration " + time_text(plan.iteration) + " = " + parts_text(plan.parts) + "\n";
  text += record.range ? range_text(*record.range, plan.iteration) : "";
  text += figures_text(record) + doubts_text(record);
  if (record.run) {
    text += "\n" + run_text(*record.run);
  }
  if (!record.alternatives.empty()) {
    Table table(
        {{"next best", Align::kLeft}, {"iteration", Align::kRight}, {"", Align::kRight}, {""}});
    const double error = record.range ? record.range->half_width() : 0;
    for (const TrainingPlan& other : record.alternatives) {
      table.add_row({strategy_text(other), time_text(other.iteration),
                     "+" + percent(plan::loss(other, plan)),
                     plan::loss(other, plan) < error ? "within the model's error" : ""});
    }
    text += "\n" + table.to_string(2);
  }
  if (record.why) {
    text += "\n" + why_text(*record.why, plan.iteration);
  }
  if (record.best) {
    text += "\n" + best_text(plan, *record.best);
  }
  return text;
}

}  // namespace phaze::report
