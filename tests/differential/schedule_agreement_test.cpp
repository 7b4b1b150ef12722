// The exact search against integer programs, on problems too large to try all schedules of.

#include <gtest/gtest.h>

#include "support/schedule_checks.h"

namespace phaze::tests {
namespace {

using schedule::Formulation;

// Whole times below 50: CBC's tolerances hide nothing.
ScheduleProblemOptions sizes(std::size_t least, std::size_t most, bool exclusive) {
  ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.most_cores = 4;
  options.exclusive = exclusive;
  options.most_time = Picoseconds(50);
  return options;
}

// By the rule for wide tasks.
class ScheduleAgreement : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!schedule::has_ilp()) {
      GTEST_SKIP() << "this build has no CBC";
    }
  }
};

TEST_P(ScheduleAgreement, WithTheStrongProgram) {
  expect_agreement(1, 100, sizes(7, 12, GetParam()), Formulation::kStrong);
}

TEST_P(ScheduleAgreement, WithTheOriginalProgram) {
  expect_agreement(201, 100, sizes(7, 9, GetParam()), Formulation::kOriginal);
}

INSTANTIATE_TEST_SUITE_P(Rules, ScheduleAgreement, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

}  // namespace
}  // namespace phaze::tests
