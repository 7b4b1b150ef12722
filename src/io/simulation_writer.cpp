#include <nlohmann/json.hpp>
#include <utility>

#include "io/simulation_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::SimulatedIteration;
using plan::SimulatedStage;
using plan::TrainingPlan;

constexpr std::size_t kPieces = 100;  // of memory over time

Json stage_json(const TrainingPlan& plan, const SimulatedIteration& simulated, std::size_t i) {
  const SimulatedStage& stage = simulated.stages[i];
  Json memory = Json::array();
  for (const Bytes bytes : plan::memory_over_time(plan, simulated, i, kPieces)) {
    memory.push_back(bytes.value());
  }
  return {{"busy_s", stage.passes.value()},
          {"idle_s", (stage.transfers + stage.bubble).value()},
          {"transfers_s", stage.transfers.value()},
          {"bubble_s", stage.bubble.value()},
          {"reduction_s", stage.reduction.value()},
          {"reduction_start_s", stage.reduction_start.value()},
          {"reduction_end_s", stage.reduction_end.value()},
          {"optimizer_s", stage.optimizer.value()},
          {"in_flight", stage.in_flight},
          {"peak_memory_bytes", stage.peak_memory.value()},
          {"planned_memory_bytes", plan.stages[i].memory.total().value()},
          {"headroom_bytes", (plan.capacity - stage.peak_memory).value()},
          {"memory_bytes", std::move(memory)}};
}

}  // namespace

std::string write_simulation(const plan::PlanRecord& record, const SimulatedIteration& simulated,
                             const std::vector<plan::PlanVariation>& variations) {
  const TrainingPlan& plan = record.plan;
  const plan::SimulatedParts& parts = simulated.parts;
  Json json = {
      {"schema", 1},
      {"model", record.model},
      {"chip", record.chip},
      {"cluster", record.cluster},
      {"schedule", plan::to_string(plan.strategy.schedule)},
      {"pipeline", plan.strategy.pipeline},
      {"interleave", plan.strategy.interleave},
      {"microbatches", plan.microbatches},
      {"iteration_s", simulated.iteration.value()},
      {"closed_form_s", simulated.closed_form.value()},
      {"difference", simulated.difference()},
      {"busy_s", parts.passes.value()},
      {"transfers_s", parts.transfers.value()},
      {"reduction_s", parts.reduction.value()},
      {"optimizer_s", parts.optimizer.value()},
      {"bubble_s", parts.bubble.value()},
      {"bubble",
       simulated.iteration.value() > 0 ? parts.bubble.value() / simulated.iteration.value() : 0.0},
      {"peak_memory_bytes", simulated.peak_memory().value()},
      {"capacity_bytes", plan.capacity.value()},
      {"fits", simulated.peak_memory() <= plan.capacity},
      {"events", simulated.events}};
  Json varied = Json::array();
  for (const plan::PlanVariation& variation : variations) {
    varied.push_back({{"with", variation.what}, {"iteration_s", variation.iteration.value()}});
  }
  json["variations"] = std::move(varied);
  Json stages = Json::array();
  for (std::size_t i = 0; i < simulated.stages.size(); ++i) {
    stages.push_back(stage_json(plan, simulated, i));
  }
  json["stages"] = std::move(stages);
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
