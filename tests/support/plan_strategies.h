#pragma once
// All strategies that a planner's problem has, one by one.

#include <algorithm>
#include <vector>

#include "place/plan_problem.h"

namespace phaze::tests {

template <class T>
bool is_allowed(const std::vector<T>& limits, const T& value) {
  return limits.empty() || std::ranges::count(limits, value) > 0;
}

// Those with a place and a layer for each stage, whether they fit or not. Orders that place all
// groups alike count once, unless orders are asked for. Needs schedules that are asked for; none is
// interleaved.
std::vector<plan::Strategy> list_strategies(const place::PlanProblem& problem,
                                            place::PlanCosts& costs);

}  // namespace phaze::tests
