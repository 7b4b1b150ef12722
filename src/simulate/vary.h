#pragma once
// What an iteration would take if one thing were otherwise: why it takes what it takes.

#include <vector>

#include "plan/simulation.h"
#include "plan/training_plan.h"

namespace phaze::simulate {

// Transfers that take no time; transfers that never wait for one another; stages and chunks that
// are all alike; gradients that are reduced in no time. Only what can matter for the plan. A
// simulation each.
std::vector<plan::PlanVariation> vary(const plan::TrainingPlan& plan);

}  // namespace phaze::simulate
