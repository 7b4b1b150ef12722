// Problems of very many tasks, and of very long ones.
#include <gtest/gtest.h>

#include "schedule/exact.h"
#include "schedule/ilp.h"
#include "support/schedule_checks.h"
#include "support/schedule_generators.h"

namespace phaze {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using schedule::ExactOptions;
using tests::faults_of;
using tests::random_schedule_problem;
using tests::ScheduleProblemOptions;

ScheduleProblemOptions tasks(std::size_t count) {
  ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = count;
  return options;
}

TEST(LongSchedules, HaveABound) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, tasks(400));
    ExactOptions exact;
    exact.work_limit = 1000;
    EXPECT_EQ(faults_of(problem, schedule::solve_exact(problem, exact)), "");
  }
}

// What is told is of all tasks, also while a part of them is looked at.
TEST(LongSchedules, WhatIsToldIsOfAllTasks) {
  int calls = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, tasks(400));
    const Schedule list = schedule::solve_list(problem);
    ExactOptions exact;
    exact.work_limit = 30'000;
    exact.is_cancelled = [&](Picoseconds best, Picoseconds bound, std::int64_t work) {
      EXPECT_LE(best, list.makespan);
      EXPECT_GE(bound, list.lower_bound);
      EXPECT_LE(work, exact.work_limit + 1000);
      ++calls;
      return false;
    };
    EXPECT_EQ(faults_of(problem, schedule::solve_exact(problem, exact)), "");
  }
  EXPECT_GT(calls, 10);
}

// The list schedule that an integer program would start from, where there are too many tasks for
// one: with all gaps looked at, and with some.
TEST(LongSchedules, IlpReturnsAList) {
  for (const std::size_t count : {200, 700}) {
    const ScheduleProblem problem = random_schedule_problem(1, tasks(count));
    EXPECT_EQ(faults_of(problem, schedule::solve_ilp(problem)), "") << count;
  }
}

// Sums near the largest time that there is: steps between limits stay within it.
TEST(LongSchedules, OfYears) {
  ScheduleProblem problem;
  problem.tensor_cores = 1;
  problem.vector_cores = 3;
  problem.exclusive_wide = false;
  const std::pair<std::int64_t, std::int64_t> durations[] = {
      {142'603'318'058'877'437, 142'603'318'058'877'579},
      {427'809'954'176'631'883, 142'603'318'058'877'294},
      {419'586'727'764'490'536, 142'603'318'058'877'579}};
  for (const auto& [one, all] : durations) {
    problem.tasks.push_back({"t" + std::to_string(problem.tasks.size()), plan::TaskUnit::kVector,
                             Picoseconds(one), Picoseconds(all)});
  }
  const Schedule found = schedule::solve_exact(problem);
  EXPECT_EQ(found.status, SolveStatus::kOptimal);
  // Side by side: wide ones one after another would take a little longer.
  EXPECT_EQ(found.makespan, Picoseconds(427'809'954'176'631'883));
  EXPECT_EQ(faults_of(problem, found), "");
}

}  // namespace
}  // namespace phaze
