#pragma once
// A strategy as most training stacks run it: the repeated layers in equal numbers on all stages,
// single ones (embedding, head) with the first and the last.

#include <optional>

#include "place/plan_problem.h"

namespace phaze::place {

// All stages recompute alike, in the last way that the limits allow and the chain offers. Whether
// it fits or not. Where stages (or chunks) do not divide the layers, the first ones get one more.
// Nothing when the strategy has no place, or fewer layers than stages or chunks.
std::optional<plan::TrainingPlan> price_evenly(const PlanProblem& problem, PlanCosts& costs,
                                               const plan::Strategy& strategy);

}  // namespace phaze::place
