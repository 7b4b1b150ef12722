// Exact schedules against exhaustive enumeration, with every rule on and off.

#include <gtest/gtest.h>

#include "schedule/exact.h"
#include "support/schedule_brute_force.h"
#include "support/schedule_generators.h"
#include "verify/schedule.h"

namespace phaze::tests {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;

std::string faults_of(const ScheduleProblem& problem, const Schedule& schedule) {
  std::string text;
  for (const std::string& fault : verify::find_faults(problem, schedule)) {
    text += fault + "\n";
  }
  return text;
}

TEST(ExactSchedule, EqualsExhaustiveEnumeration) {
  int optimal_wide = 0;
  int beats_list = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    ScheduleProblemOptions options;
    options.most_tasks = 6;
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    SCOPED_TRACE(seed);
    const Schedule best = solve_schedule_by_brute_force(problem);
    const Schedule found = schedule::solve_exact(problem);
    ASSERT_EQ(found.makespan, best.makespan);
    ASSERT_EQ(found.status, plan::SolveStatus::kOptimal);
    ASSERT_EQ(faults_of(problem, found), "");
    const Schedule list = schedule::solve_list(problem);
    ASSERT_EQ(faults_of(problem, list), "");
    ASSERT_GE(list.makespan, best.makespan);
    beats_list += list.makespan > best.makespan ? 1 : 0;
    for (const plan::TaskRun& run : found.runs) {
      optimal_wide += run.wide ? 1 : 0;
    }
  }
  EXPECT_GT(optimal_wide, 100);
  EXPECT_GT(beats_list, 30);
}

TEST(ExactSchedule, IsTheSameWithEveryRuleOff) {
  for (std::uint64_t seed = 5000; seed <= 5150; ++seed) {
    ScheduleProblemOptions options;
    options.least_tasks = 5;
    options.most_tasks = 8;
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    SCOPED_TRACE(seed);
    const Schedule all = schedule::solve_exact(problem);
    for (int rules = 0; rules < 8; ++rules) {
      schedule::ExactOptions exact;
      exact.work_limit = 3'000'000;
      exact.pieces = (rules & 1) != 0;
      exact.dominance = (rules & 2) != 0;
      exact.mixed_bounds = (rules & 4) != 0;
      const Schedule found = schedule::solve_exact(problem, exact);
      ASSERT_EQ(found.status, plan::SolveStatus::kOptimal) << rules;
      ASSERT_EQ(found.makespan, all.makespan) << rules;
      ASSERT_EQ(faults_of(problem, found), "");
    }
  }
}

TEST(ExactSchedule, KeepsToItsLimitOfWork) {
  ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = 40;
  int unfinished = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    schedule::ExactOptions exact;
    exact.work_limit = 200;
    const Schedule found = schedule::solve_exact(problem, exact);
    EXPECT_EQ(faults_of(problem, found), "");
    EXPECT_LE(found.makespan, schedule::solve_list(problem).makespan);
    EXPECT_LE(found.work, 200 + 40);
    unfinished += found.status == plan::SolveStatus::kFeasible ? 1 : 0;
  }
  EXPECT_GT(unfinished, 3);
}

TEST(ExactSchedule, LongProblemsGetAScheduleAndABound) {
  ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = 400;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    schedule::ExactOptions exact;
    exact.work_limit = 1000;
    EXPECT_EQ(faults_of(problem, schedule::solve_exact(problem, exact)), "");
  }
}

}  // namespace
}  // namespace phaze::tests
