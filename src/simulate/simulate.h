#pragma once
// Event simulation of one iteration of a plan, on one pipeline (its copies do the same). It knows
// the rules of the schedule, how long passes and transfers take alone, and nothing of the formulas
// that the plan's own time comes from. docs/models.md, section 19.

#include <cstdint>

#include "plan/simulation.h"
#include "plan/training_plan.h"

namespace phaze::simulate {

struct SimulationOptions {
  bool keeps_runs = true;    // of passes and transfers; 64 bytes a pass
  bool shares_links = true;  // off: every transfer has a link of its own
};

// Forward and backward passes of all chunks, micro-batches and stages.
std::int64_t count_passes(const plan::TrainingPlan& plan);

// Plans are sound: as many stages as the strategy says, at least one micro-batch, chunks only where
// the schedule is interleaved, and then a multiple of the stages in micro-batches (otherwise passes
// can wait for one another for ever). O(n log stages) for n passes.
plan::SimulatedIteration simulate(const plan::TrainingPlan& plan,
                                  const SimulationOptions& options = {});

}  // namespace phaze::simulate
