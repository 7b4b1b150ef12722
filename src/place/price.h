#pragma once
// A plan with all its numbers from a strategy and its stages.

#include "place/partition.h"

namespace phaze::place {

plan::TrainingPlan price(const PlanProblem& problem, const StageTable& table,
                         const Partition& partition);

}  // namespace phaze::place
