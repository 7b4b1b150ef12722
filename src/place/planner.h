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
  // Nor strategies whose states alone do not fit all devices together, nor, beyond the first one,
  // micro-batches with which a layer by itself does not fit.
  bool use_memory = true;
  PartitionRules partition;
  // Told now and then: strategies done, the best time so far; stops the search when it says so.
  std::function<bool(std::int64_t done, Seconds best)> is_cancelled;
};

struct PlannerAnswer {
  std::vector<plan::TrainingPlan> plans;  // the best first; none: nothing fits
  // The best plan takes no less: its own time, but for a search that was stopped; 0 where that was
  // before all strategies were listed.
  Seconds bound;
  bool is_complete = true;
  // In the space, a way to recompute for all stages counted as one each; without micro-batches that
  // are larger than one with which a layer by itself does not fit.
  std::int64_t strategies = 0;
  std::int64_t priced = 0;    // of these, with an exact partition
  std::int64_t excluded = 0;  // by a bound on time or memory
  std::int64_t unplaced = 0;  // groups that the cluster's levels cannot hold evenly
};

PlannerAnswer solve_plan(const PlanProblem& problem, PlanCosts& costs,
                         const PlannerOptions& options = {});

}  // namespace phaze::place
