#pragma once
// The best way to train a model on a cluster: all strategies of a space, each priced or excluded by
// a bound. How and why: the head of planner.cpp.

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "place/partition.h"
#include "place/plan_problem.h"

namespace phaze::place {

struct PlannerOptions {
  std::size_t keep = 1;  // best plans, of different strategies
  // Only plans that take less are of use; what is excluded by that at once is not counted.
  double below_s = std::numeric_limits<double>::infinity();
  // Rules that cut the search short; each keeps the best plans. They can be turned off to show it.
  bool use_bounds = true;  // strategies that cannot be better are not priced
  bool use_limits = true;  // nor cuts that cannot be
  bool use_memory = true;  // nor strategies whose states alone do not fit all devices together
  PartitionRules partition;
  // Told now and then: strategies done, the best time so far; stops the search when it says so.
  std::function<bool(std::int64_t done, Seconds best)> is_cancelled;
};

struct PlannerAnswer {
  std::vector<plan::TrainingPlan> plans;  // the best first; none: nothing fits
  // The best plan takes no less: its own time, but for a search that was stopped.
  Seconds bound;
  bool is_complete = true;
  std::int64_t strategies =
      0;                      // in the space, a way to recompute for all stages counted as one each
  std::int64_t priced = 0;    // of these, with an exact partition
  std::int64_t excluded = 0;  // by a bound on time or memory
  std::int64_t unplaced = 0;  // groups that the cluster's levels cannot hold evenly
};

PlannerAnswer solve_plan(const PlanProblem& problem, PlanCosts& costs,
                         const PlannerOptions& options = {});

// The best cut for one given strategy, or where none fits one that does not, with the most
// recomputation that is offered. Nothing when the strategy has no place or more stages than layers.
std::optional<plan::TrainingPlan> price_strategy(const PlanProblem& problem, PlanCosts& costs,
                                                 const plan::Strategy& strategy);

}  // namespace phaze::place
