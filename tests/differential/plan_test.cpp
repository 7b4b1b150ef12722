// The planner against trying everything, with its bounds on and off.
#include <gtest/gtest.h>

#include <algorithm>

#include "place/planner.h"
#include "support/plan_brute_force.h"
#include "support/plan_checks.h"
#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

using place::PlannerAnswer;
using place::PlannerOptions;
using plan::PipelineSchedule;

// Sums in another order differ in their last digits.
void expect_same(double a, double b) { ASSERT_NEAR(a, b, 1e-12 * std::max(a, b)); }

struct Seen {
  int infeasible = 0, deep = 0, copied = 0, sharded = 0, wide = 0, recomputed = 0, idle = 0;
};

void note(const PlannerAnswer& answer, Seen& seen) {
  if (answer.plans.empty()) {
    ++seen.infeasible;
    return;
  }
  const plan::TrainingPlan& best = answer.plans.front();
  seen.deep += best.strategy.pipeline > 2 ? 1 : 0;
  seen.copied += best.strategy.data > 1 ? 1 : 0;
  seen.sharded += best.strategy.zero > 0 ? 1 : 0;
  seen.wide += best.strategy.tensor > 1 ? 1 : 0;
  seen.idle += plan::devices_of(best.strategy) < best.devices ? 1 : 0;
  seen.recomputed += std::ranges::any_of(best.stages, [](const plan::PlanStage& stage) {
    return stage.recompute != plan::Recompute::kNone;
  });
}

void compare(std::uint64_t seed, const PlanCaseOptions& options, Seen& seen) {
  SCOPED_TRACE(seed);
  const PlanCase made = random_plan_case(seed, options);
  MadeUpCosts costs = made.costs();
  const std::vector<BruteForcePlan> all = plans_by_brute_force(made.problem, costs);
  const PlannerAnswer answer = place::solve_plan(made.problem, costs);
  note(answer, seen);
  ASSERT_EQ(answer.plans.empty(), all.empty());
  ASSERT_EQ(faults_of(made, answer), "");
  PlannerOptions every;
  every.use_bounds = every.use_limits = every.use_memory = false;
  every.keep = all.size() + 1;
  const PlannerAnswer full = place::solve_plan(made.problem, costs, every);
  ASSERT_EQ(faults_of(made, full), "");
  ASSERT_EQ(full.plans.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_same(full.plans[i].iteration.value(), all[i].iteration_s);
  }
  if (all.empty()) {
    return;
  }
  expect_same(answer.plans.front().iteration.value(), all.front().iteration_s);
  PlannerOptions some;
  some.keep = 1 + seed % 7;
  const PlannerAnswer best = place::solve_plan(made.problem, costs, some);
  ASSERT_EQ(faults_of(made, best), "");
  ASSERT_EQ(best.plans.size(), std::min(some.keep, all.size()));
  for (std::size_t i = 0; i < best.plans.size(); ++i) {
    expect_same(best.plans[i].iteration.value(), all[i].iteration_s);
    for (std::size_t k = 0; k < i; ++k) {
      ASSERT_NE(best.plans[i].strategy, best.plans[k].strategy);
    }
  }
}

void compare_all(std::uint64_t first, int count, const PlanCaseOptions& options, Seen& seen) {
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    compare(seed, options, seen);
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

TEST(Planner, EqualsTryingEverything) {
  Seen seen;
  compare_all(1, 9000, {}, seen);
  EXPECT_GT(seen.infeasible, 100);
  EXPECT_GT(seen.deep, 100);
  EXPECT_GT(seen.copied, 100);
  EXPECT_GT(seen.sharded, 100);
  EXPECT_GT(seen.wide, 100);
  EXPECT_GT(seen.recomputed, 100);
  EXPECT_GT(seen.idle, 100);
}

TEST(Planner, EqualsTryingEverythingWithGpipe) {
  PlanCaseOptions options;
  options.schedules = {PipelineSchedule::kGpipe};
  Seen seen;
  compare_all(10'000, 1000, options, seen);
  options.schedules = {PipelineSchedule::k1F1B, PipelineSchedule::kGpipe};
  compare_all(11'000, 1000, options, seen);
  EXPECT_GT(seen.deep, 20);
}

TEST(Planner, EqualsTryingEverythingOnLongerChains) {
  PlanCaseOptions options;
  options.most_layers = 9;
  options.most_batch = 16;
  options.is_deep = true;
  Seen seen;
  compare_all(20'000, 2000, options, seen);
  EXPECT_GT(seen.deep, 50);
}

// Each rule that cuts the search short turned off alone.
TEST(Planner, IsTheSameWithoutAnyOneRule) {
  PlanCaseOptions options;
  options.most_layers = 8;
  options.most_devices = 8;
  options.most_batch = 16;
  options.schedules = {};
  int excluded_by_memory = 0;
  for (std::uint64_t seed = 40'000; seed < 41'000; ++seed) {
    SCOPED_TRACE(seed);
    options.is_deep = seed % 2 == 0;
    const PlanCase made = random_plan_case(seed, options);
    MadeUpCosts costs = made.costs();
    const PlannerAnswer answer = place::solve_plan(made.problem, costs);
    std::vector<PlannerOptions> others(5);
    others[0].use_bounds = false;
    others[1].use_limits = false;
    others[2].partition.drops_dominated = false;
    others[3].partition.is_first_without_runs = false;
    others[4].use_memory = false;
    for (const PlannerOptions& other : others) {
      const PlannerAnswer without = place::solve_plan(made.problem, costs, other);
      ASSERT_EQ(answer.plans.size(), without.plans.size());
      excluded_by_memory += !other.use_memory && without.priced > answer.priced ? 1 : 0;
      if (!answer.plans.empty()) {
        expect_same(answer.plans.front().iteration.value(),
                    without.plans.front().iteration.value());
      }
    }
  }
  EXPECT_GT(excluded_by_memory, 50);
}

// All schedules: those that interleave have no brute force, but bounds must not matter.
TEST(Planner, IsTheSameWithoutBounds) {
  PlanCaseOptions options;
  options.most_layers = 24;
  options.most_devices = 16;
  options.most_batch = 24;
  options.schedules = {};
  int interleaved = 0;
  for (std::uint64_t seed = 30'000; seed < 32'000; ++seed) {
    SCOPED_TRACE(seed);
    options.is_deep = seed % 2 == 0;
    const PlanCase made = random_plan_case(seed, options);
    MadeUpCosts costs = made.costs();
    PlannerOptions some;
    some.keep = 1 + seed % 3;
    const PlannerAnswer answer = place::solve_plan(made.problem, costs, some);
    ASSERT_EQ(faults_of(made, answer), "");
    some.use_bounds = some.use_limits = some.use_memory = false;
    const PlannerAnswer other = place::solve_plan(made.problem, costs, some);
    ASSERT_EQ(faults_of(made, other), "");
    ASSERT_EQ(answer.plans.size(), other.plans.size());
    ASSERT_LE(answer.strategies, other.strategies);  // micro-batches that no device holds
    ASSERT_EQ(answer.priced + answer.excluded, answer.strategies);
    for (std::size_t i = 0; i < answer.plans.size(); ++i) {
      expect_same(answer.plans[i].iteration.value(), other.plans[i].iteration.value());
      interleaved += answer.plans[i].strategy.interleave > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(interleaved, 10);
}

}  // namespace
}  // namespace phaze::tests
