#include "simulate/vary.h"

#include <algorithm>

#include "simulate/simulate.h"

namespace phaze::simulate {
namespace {

using plan::PlanStage;
using plan::TrainingPlan;

TrainingPlan without_transfers(TrainingPlan plan) {
  plan.transfer = Seconds();
  return plan;
}

TrainingPlan with_even_stages(TrainingPlan plan) {
  Seconds forward;
  Seconds backward;
  const double share = 1 / static_cast<double>(plan.stages.size());
  for (const PlanStage& stage : plan.stages) {
    forward += stage.forward * share;
    backward += stage.backward * share;
  }
  for (PlanStage& stage : plan.stages) {
    stage.forward = forward;
    stage.backward = backward;
    stage.chunks.clear();
  }
  return plan;
}

TrainingPlan without_reduction(TrainingPlan plan) {
  plan.tied = Seconds();
  for (PlanStage& stage : plan.stages) {
    stage.gradients = stage.exposed = Seconds();
  }
  return plan;
}

bool has_even_stages(const TrainingPlan& plan) {
  const std::int64_t count = plan::chunks_of(plan);
  const plan::PlanChunk first = plan::shares_of_chunks(plan.stages.front(), count).front();
  return std::ranges::all_of(plan.stages, [&](const PlanStage& stage) {
    return std::ranges::all_of(
        plan::shares_of_chunks(stage, count), [&first](const plan::PlanChunk& chunk) {
          return chunk.forward == first.forward && chunk.backward == first.backward;
        });
  });
}

bool has_reduction(const TrainingPlan& plan) {
  return plan.tied > Seconds() || std::ranges::any_of(plan.stages, [](const PlanStage& stage) {
           return stage.exposed > Seconds();
         });
}

}  // namespace

std::vector<plan::PlanVariation> vary(const TrainingPlan& plan) {
  SimulationOptions options;
  options.keeps_runs = false;
  std::vector<plan::PlanVariation> variations;
  const auto add = [&variations, &options](const char* what, const TrainingPlan& varied) {
    variations.push_back({what, simulate(varied, options).iteration});
  };
  if (plan.stages.size() > 1 && plan.transfer > Seconds()) {
    add("transfers that take no time", without_transfers(plan));
    options.shares_links = false;
    add("transfers that never wait for one another", plan);
    options.shares_links = true;
  }
  if (!has_even_stages(plan)) {
    add("stages that are all alike", with_even_stages(plan));
  }
  if (has_reduction(plan)) {
    add("gradients reduced in no time", without_reduction(plan));
  }
  return variations;
}

}  // namespace phaze::simulate
