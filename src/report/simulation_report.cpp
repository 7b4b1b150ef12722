#include "report/simulation_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/plural.h"
#include "base/text.h"
#include "report/schedule_lines.h"
#include "report/simulation_chart.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::PlanRecord;
using plan::SimulatedIteration;
using plan::SimulatedStage;

struct Part {
  const char* name;
  Seconds simulated;
  Seconds closed;
};

// The same parts of both.
std::vector<Part> parts_of(const PlanRecord& record, const SimulatedIteration& simulated) {
  const plan::SimulatedParts& is = simulated.parts;
  const plan::IterationParts& says = record.plan.parts;
  return {{"passes", is.passes, says.compute + says.recompute + says.tensor},
          {"transfers waited for", is.transfers, says.pipeline},
          {"gradients, not hidden", is.reduction, says.data},
          {"optimiser", is.optimizer, says.optimizer},
          {"bubble", is.bubble, says.bubble}};
}

double share_of(Seconds part, Seconds whole) {
  return whole.value() > 0 ? part.value() / whole.value() : 0;
}

// "+1.2 %", "-0.3 %", "0 %"
std::string change_text(double share) {
  const std::string text = share_text(std::abs(share));
  return text == "0 %" ? text : (share > 0 ? "+" : "-") + text;
}

bool has_parts(const PlanRecord& record) { return record.plan.parts.total() > Seconds(); }

std::string header(const PlanRecord& record) {
  const plan::TrainingPlan& plan = record.plan;
  const plan::Strategy& strategy = plan.strategy;
  std::string text;
  for (const auto& [before, name] : {std::pair("", record.model), std::pair(" on ", record.chip),
                                     std::pair(", ", record.cluster)}) {
    text += name.empty() ? "" : (text.empty() ? "" : before) + printable(name);
  }
  text += text.empty() ? "" : ": ";
  text +=
      std::string(plan::to_string(strategy.schedule)) + ", " + counted(strategy.pipeline, "stage");
  if (strategy.interleave > 1) {
    text += " of " + counted(strategy.interleave, "chunk");
  }
  return text + ", " + counted(plan.microbatches, "micro-batch", "micro-batches") + ", tensor " +
         with_thousands(strategy.tensor) + ", data " + with_thousands(strategy.data) + "\n";
}

std::string outcome(const SimulatedIteration& simulated) {
  const double difference = simulated.difference();
  const std::string share = share_text(std::abs(difference));
  std::string text = "Iteration  " + time_text(simulated.iteration) + " simulated, " +
                     time_text(simulated.closed_form) + " by the closed form";
  if (share == "0 %") {
    return text + ": the same\n";
  }
  return text + ", which is " + share + (difference > 0 ? " too short\n" : " too long\n");
}

std::string parts_table(const PlanRecord& record, const SimulatedIteration& simulated) {
  Table table({{"part of an iteration", Align::kLeft},
               {"simulated", Align::kRight},
               {"", Align::kRight},
               {"closed form", Align::kRight},
               {"difference", Align::kRight}});
  const bool has_closed = has_parts(record);
  const auto add = [&](const Part& part, bool has_other) {
    table.add_row({part.name, time_text(part.simulated),
                   share_text(share_of(part.simulated, simulated.iteration)),
                   has_other ? time_text(part.closed) : "",
                   has_other
                       ? change_text(share_of(part.simulated - part.closed, simulated.closed_form))
                       : ""});
  };
  for (const Part& part : parts_of(record, simulated)) {
    add(part, has_closed);
  }
  table.add_rule();
  add({"all", simulated.iteration, simulated.closed_form}, simulated.closed_form > Seconds());
  return table.to_string(2);
}

// Why a closed form and its simulation can differ at all; what of it holds here the variations
// show.
std::string cause_text(const PlanRecord& record, const SimulatedIteration& simulated) {
  const plan::TrainingPlan& plan = record.plan;
  if (has_original_cost(record)) {
    return "the plan's time is the original's cost function, not that of a schedule: every stage "
           "takes as long as the slowest one, waits for its transfers, and of the gradients only "
           "the first stage's count (docs/models.md, 17)";
  }
  if (plan.stages.size() == 1) {
    return "one stage has no pipeline: the plan's time is not that of its passes, gradients and "
           "optimiser";
  }
  if (simulated.difference() < 0) {
    return "no path through the passes is as long as the closed form says; the planner's own plans "
           "can do so only by tied embeddings, which wait for all gradients there";
  }
  if (plan.strategy.schedule == plan::PipelineSchedule::kInterleaved) {
    return "a plan of the planner's differs only where two stages have transfers longer than "
           "passes: activations and gradients then share their link (docs/models.md, 18.2)";
  }
  if (plan.strategy.schedule == plan::PipelineSchedule::kGpipe) {
    return "the closed form of GPipe is exact: the plan's time is not that of its passes";
  }
  return "the closed form of 1F1B is the longest of the paths through passes that can be added up "
         "stage by stage; with uneven stages or long transfers one that it leaves out is longer "
         "(docs/models.md, 18.1)";
}

// What the closed form gets wrong, and what the iteration would be without this and that.
std::string explanation(const PlanRecord& record, const SimulatedIteration& simulated,
                        const std::vector<plan::PlanVariation>& variations) {
  if (std::abs(simulated.difference()) <= kMostDifference) {
    return "";
  }
  std::string text = "\nWhy: " + cause_text(record, simulated) + "\n";
  if (has_parts(record)) {
    const std::vector<Part> parts = parts_of(record, simulated);
    const bool is_longer = simulated.difference() > 0;
    const auto most = std::ranges::max_element(parts, {}, [is_longer](const Part& part) {
      const double more = (part.simulated - part.closed).value();
      return is_longer ? more : -more;
    });
    const Seconds more = most->simulated - most->closed;
    text += "Most of the difference: " + std::string(most->name) + ", " +
            time_text(Seconds(std::abs(more.value()))) + (is_longer ? " more" : " less") +
            " than by the closed form\n";
  }
  if (!variations.empty()) {
    Table table({{"simulated with", Align::kLeft}, {"", Align::kRight}, {"", Align::kRight}});
    for (const plan::PlanVariation& variation : variations) {
      const double change = share_of(variation.iteration, simulated.iteration) - 1;
      table.add_row({variation.what, time_text(variation.iteration), change_text(change)});
    }
    text += "\n" + table.to_string(2);
  }
  return text;
}

std::string stages_table(const PlanRecord& record, const SimulatedIteration& simulated) {
  constexpr std::size_t kMostNames = 24;
  const plan::TrainingPlan& plan = record.plan;
  const bool has_chunks = plan::chunks_of(plan) > 1;
  Table table({{"stage", Align::kRight},
               {"layers", Align::kLeft},
               {"busy", Align::kRight},
               {"", Align::kRight},
               {"transfers", Align::kRight},
               {"bubble", Align::kRight},
               {"gradients", Align::kRight},
               {"optimiser", Align::kRight},
               {has_chunks ? "chunks in flight" : "in flight", Align::kRight},
               {"peak memory", Align::kRight},
               {"planned", Align::kRight},
               {"head-room", Align::kRight}});
  for (std::size_t i = 0; i < simulated.stages.size(); ++i) {
    const SimulatedStage& stage = simulated.stages[i];
    std::string layers;
    for (const plan::StageLayers& run : plan.stages[i].layers) {
      layers += (layers.empty() ? "" : " + ") +
                (run.count > 1 ? std::to_string(run.count) + " " : std::string()) +
                record.layers[run.layer];
    }
    const std::int64_t room = (plan.capacity - stage.peak_memory).value();
    table.add_row({std::to_string(i), shortened(layers, kMostNames), time_text(stage.passes),
                   share_text(share_of(stage.passes, simulated.iteration)),
                   time_text(stage.transfers), time_text(stage.bubble), time_text(stage.reduction),
                   time_text(stage.optimizer), with_thousands(stage.in_flight),
                   with_binary_prefix(stage.peak_memory.value()),
                   with_binary_prefix(plan.stages[i].memory.total().value()),
                   room < 0 ? "-" + with_binary_prefix(-room) : with_binary_prefix(room)});
  }
  return table.to_string(2);
}

}  // namespace

bool has_original_cost(const PlanRecord& record) {
  return record.assumptions.starts_with("phaze2024");
}

std::string overflow_text(const PlanRecord& record, const SimulatedIteration& simulated) {
  const auto most = std::ranges::max_element(simulated.stages, {}, &SimulatedStage::peak_memory);
  const Bytes capacity = record.plan.capacity;
  if (most == simulated.stages.end() || most->peak_memory <= capacity) {
    return "";
  }
  const auto over = std::ranges::count_if(
      simulated.stages, [capacity](const SimulatedStage& s) { return s.peak_memory > capacity; });
  return "does not fit: stage " + std::to_string(most - simulated.stages.begin()) + " needs " +
         with_binary_prefix(most->peak_memory.value()) + " of " +
         with_binary_prefix(capacity.value()) + " at its peak, " +
         with_binary_prefix((most->peak_memory - capacity).value()) + " too much" +
         (over > 1 ? "; " + counted(over, "stage") + " of " +
                         std::to_string(simulated.stages.size()) + " do not fit"
                   : "");
}

std::string simulation_text(const PlanRecord& record, const SimulatedIteration& simulated,
                            const std::vector<plan::PlanVariation>& variations, std::size_t width) {
  const std::string overflow = overflow_text(record, simulated);
  return header(record) + outcome(simulated) +
         (overflow.empty() ? "" : "WARNING    " + overflow + "\n") + "\n" +
         parts_table(record, simulated) + explanation(record, simulated, variations) + "\n" +
         stages_table(record, simulated) +
         "\nF forward, B backward, r reduction of gradients, o optimiser, . idle\n" +
         activity_chart(simulated, width) +
         "\nmemory in use, in tenths of a device's, ! more than it has\n" +
         memory_chart(record.plan, simulated, width);
}

}  // namespace phaze::report
