#pragma once
// The planner's problem by trying everything: every strategy, every cut of the chain, every choice
// of what to recompute in each stage. Formulas: docs/models.md, section 18. 1F1B and GPipe.

#include <vector>

#include "place/plan_problem.h"

namespace phaze::tests {

struct BruteForcePlan {
  plan::Strategy strategy;
  double iteration_s = 0;
};

// The best time of each strategy that some cut fits, the shortest first. Orders that place all
// groups alike count once, unless orders are asked for.
std::vector<BruteForcePlan> plans_by_brute_force(const place::PlanProblem& problem,
                                                 place::PlanCosts& costs);

}  // namespace phaze::tests
