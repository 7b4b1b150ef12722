#pragma once
// Plans of made-up cases, checked.

#include <string>

#include "place/planner.h"
#include "support/plan_costs.h"

namespace phaze::tests {

// What is wrong with the plans of an answer, with their order, or with what was allowed; empty when
// nothing is.
std::string faults_of(const PlanCase& made, const place::PlannerAnswer& answer);

}  // namespace phaze::tests
