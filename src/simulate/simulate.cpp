// What follows the passes: each stage reduces its gradients, of which only the exposed part comes
// after its last backward; tied embeddings follow on the first and last stage; the optimiser starts
// everywhere once all have their gradients, because it needs their common norm.
#include "simulate/simulate.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "simulate/pipeline.h"

namespace phaze::simulate {
namespace {

using plan::PlanStage;
using plan::SimulatedIteration;
using plan::SimulatedParts;
using plan::SimulatedStage;
using plan::TrainingPlan;

void check_sound(const TrainingPlan& plan) {
  CHECK(!plan.stages.empty() && std::cmp_equal(plan.stages.size(), plan.strategy.pipeline),
        "as many stages as the strategy says");
  CHECK(plan.microbatches >= 1, "at least one micro-batch");
  const bool is_interleaved = plan.strategy.schedule == plan::PipelineSchedule::kInterleaved;
  CHECK(plan.strategy.interleave >= 1 && (is_interleaved || plan.strategy.interleave == 1),
        "chunks without an interleaved schedule");
}

void finish(const TrainingPlan& plan, const std::vector<Seconds>& ends,
            SimulatedIteration& result) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlanStage& planned = plan.stages[i];
    SimulatedStage& stage = result.stages[i];
    stage.reduction = planned.exposed;
    stage.reduction_end = ends[i] + planned.exposed;
    // What is hidden runs beside backward passes.
    stage.reduction_start =
        std::max(Seconds(), stage.reduction_end - std::max(planned.gradients, planned.exposed));
    stage.optimizer = planned.optimizer;
    result.optimizer_start = std::max(result.optimizer_start, stage.reduction_end);
  }
  SimulatedStage& first = result.stages.front();
  SimulatedStage& last = result.stages.back();
  result.tied_start = std::max(first.reduction_end, last.reduction_end);
  result.tied_end = result.tied_start + plan.tied;
  result.optimizer_start = std::max(result.optimizer_start, result.tied_end);
  first.reduction += plan.tied;
  if (&first != &last) {
    last.reduction += plan.tied;
  }
  for (const PlanStage& stage : plan.stages) {
    result.iteration = std::max(result.iteration, result.optimizer_start + stage.optimizer);
  }
}

// What is left of each stage's time, and the means.
void share_out(SimulatedIteration& result) {
  const double share = 1 / static_cast<double>(result.stages.size());
  SimulatedParts& parts = result.parts;
  for (SimulatedStage& stage : result.stages) {
    const Seconds used = stage.passes + stage.transfers + stage.reduction + stage.optimizer;
    stage.bubble = std::max(Seconds(), result.iteration - used);
    parts.passes += stage.passes * share;
    parts.transfers += stage.transfers * share;
    parts.reduction += stage.reduction * share;
    parts.optimizer += stage.optimizer * share;
    parts.bubble += stage.bubble * share;
  }
}

}  // namespace

std::int64_t count_passes(const TrainingPlan& plan) {
  const auto stages = static_cast<std::int64_t>(plan.stages.size());
  return checked_multiply(2 * stages, checked_multiply(plan.microbatches, plan::chunks_of(plan)));
}

SimulatedIteration simulate(const TrainingPlan& plan, const SimulationOptions& options) {
  check_sound(plan);
  PipelineRun run = run_pipeline(plan, options);
  SimulatedIteration result;
  result.closed_form = plan.iteration;
  result.stages = std::move(run.stages);
  result.events = run.events;
  finish(plan, run.ends, result);
  share_out(result);
  return result;
}

}  // namespace phaze::simulate
