// More of anything never makes the best plan worse; fewer choices never make it better.
#include "place/planner.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/plan_checks.h"
#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

constexpr std::uint64_t kCases = 1500;

PlanCase make_case(std::uint64_t seed) {
  PlanCaseOptions options;
  options.most_layers = 16;
  options.most_devices = 12;
  options.most_batch = 24;
  options.schedules = {};
  options.is_deep = seed % 3 == 0;
  return random_plan_case(seed, options);
}

place::PlannerAnswer solve(const PlanCase& made) {
  MadeUpCosts costs = made.costs();
  place::PlannerAnswer answer = place::solve_plan(made.problem, costs);
  EXPECT_EQ(faults_of(made, answer), "");
  return answer;
}

// Infinity when nothing fits.
double best_s(const PlanCase& made) {
  const place::PlannerAnswer answer = solve(made);
  return answer.plans.empty() ? std::numeric_limits<double>::infinity()
                              : answer.plans.front().iteration.value();
}

// Sums in another order differ in their last digits.
double rounded_up(double time_s) { return time_s * (1 + 1e-12); }

template <class Change>
void expect_no_worse(std::uint64_t first, Change change) {
  int better = 0;
  for (std::uint64_t seed = first; seed < first + kCases; ++seed) {
    SCOPED_TRACE(seed);
    const PlanCase made = make_case(seed);
    PlanCase other = made;
    change(other);
    const double before_s = best_s(made);
    const double after_s = best_s(other);
    ASSERT_LE(after_s, rounded_up(before_s));
    better += after_s < before_s ? 1 : 0;
  }
  EXPECT_GT(better, static_cast<int>(kCases / 30));
}

TEST(Planner, MoreMemoryIsNoWorse) {
  expect_no_worse(1, [](PlanCase& made) { made.problem.capacity += made.problem.capacity; });
  expect_no_worse(2001, [](PlanCase& made) { made.problem.other = Bytes(0); });
}

TEST(Planner, MoreBandwidthIsNoWorse) {
  expect_no_worse(4001, [](PlanCase& made) { made.network.near_bytes_per_s *= 1.5; });
  expect_no_worse(6001, [](PlanCase& made) { made.network.far_bytes_per_s *= 1.5; });
  expect_no_worse(8001, [](PlanCase& made) { made.network.latency_s = 0; });
}

TEST(Planner, MoreDevicesAreNoWorse) {
  expect_no_worse(10'001, [](PlanCase& made) { ++made.problem.devices; });
}

TEST(Planner, FasterLayersAreNoWorse) {
  expect_no_worse(12'001, [](PlanCase& made) {
    for (MadeUpLayer& layer : made.model.layers) {
      layer.forward_s *= 0.9;
    }
  });
}

TEST(Planner, FixedChoicesAreNoBetter) {
  for (std::uint64_t seed = 20'001; seed < 20'001 + kCases; ++seed) {
    SCOPED_TRACE(seed);
    const PlanCase made = make_case(seed);
    const double best = best_s(made);
    for (const std::int64_t value : {1, 2, 3}) {
      for (std::vector<std::int64_t> place::PlanLimits::*choice :
           {&place::PlanLimits::tensor, &place::PlanLimits::pipeline, &place::PlanLimits::data,
            &place::PlanLimits::microbatch, &place::PlanLimits::interleave,
            &place::PlanLimits::zero}) {
        PlanCase fixed = made;
        if ((fixed.problem.limits.*choice).empty()) {
          fixed.problem.limits.*choice = {value};
          ASSERT_GE(rounded_up(best_s(fixed)), best);
        }
      }
    }
  }
}

// All choices of the best plan given: that plan.
TEST(Planner, TheBestPlanStaysWhenItsChoicesAreFixed) {
  for (std::uint64_t seed = 30'001; seed < 30'001 + kCases; ++seed) {
    SCOPED_TRACE(seed);
    PlanCase made = make_case(seed);
    const place::PlannerAnswer answer = solve(made);
    if (answer.plans.empty()) {
      continue;
    }
    const plan::TrainingPlan& best = answer.plans.front();
    const plan::Strategy& s = best.strategy;
    place::PlanLimits& limits = made.problem.limits;
    limits.tensor = {s.tensor};
    limits.pipeline = {s.pipeline};
    limits.data = {s.data};
    limits.microbatch = {s.microbatch};
    limits.interleave = {s.interleave};
    limits.zero = {s.zero};
    limits.sequence_parallel = {s.sequence_parallel};
    limits.schedule = {s.schedule};
    limits.order = {s.order};
    const place::PlannerAnswer again = solve(made);
    ASSERT_EQ(again.plans.size(), 1U);
    ASSERT_EQ(again.plans.front().strategy, s);
    ASSERT_NEAR(again.plans.front().iteration.value(), best.iteration.value(),
                1e-12 * best.iteration.value());
  }
}

}  // namespace
}  // namespace phaze::tests
