#pragma once
// The passes and transfers of one pipeline, event by event: what simulate.h starts from.

#include <vector>

#include "plan/simulation.h"
#include "plan/training_plan.h"
#include "simulate/simulate.h"

namespace phaze::simulate {

struct PipelineRun {
  // With their passes, transfers waited for, peak of memory, and runs.
  std::vector<plan::SimulatedStage> stages;
  std::vector<Seconds> ends;  // of the last backward of each stage
  std::int64_t events = 0;
};

PipelineRun run_pipeline(const plan::TrainingPlan& plan, const SimulationOptions& options);

}  // namespace phaze::simulate
