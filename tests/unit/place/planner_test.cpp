// Searches that are stopped.
#include "place/planner.h"

#include <gtest/gtest.h>

#include "support/plan_checks.h"
#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

// Whenever it is stopped, and however many plans are asked for: what there is is sound, and no plan
// beats the bound.
TEST(Planner, BoundsHoldWheneverItIsStopped) {
  int stopped = 0, loose = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const PlanCase made = random_plan_case(seed);
    MadeUpCosts costs = made.costs();
    const place::PlannerAnswer whole = place::solve_plan(made.problem, costs);
    for (const std::int64_t after : {0, 1, 3, 10}) {
      place::PlannerOptions options;
      options.keep = 1 + seed % 4;
      options.is_cancelled = [after](std::int64_t done, Seconds) { return done >= after; };
      const place::PlannerAnswer part = place::solve_plan(made.problem, costs, options);
      ASSERT_EQ(faults_of(made, part), "");
      if (part.is_complete) {
        continue;
      }
      ++stopped;
      if (!whole.plans.empty()) {
        ASSERT_LE(part.bound, whole.plans.front().iteration * (1 + 1e-12));
        loose += part.bound < whole.plans.front().iteration ? 1 : 0;
      }
    }
  }
  EXPECT_GT(stopped, 300);
  EXPECT_GT(loose, 100);
}

}  // namespace
}  // namespace phaze::tests
