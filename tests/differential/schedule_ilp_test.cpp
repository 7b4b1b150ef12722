// Schedules by integer programming against all schedules of small problems and the exact search, in
// both formulations and under both rules; what the solver claims when it is stopped; every answer
// through the checker.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "schedule/exact.h"
#include "schedule/ilp.h"
#include "support/schedule_brute_force.h"
#include "support/schedule_checks.h"
#include "support/schedule_generators.h"

namespace phaze::tests {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using plan::Task;
using plan::TaskId;
using plan::TaskUnit;
using schedule::Formulation;
using schedule::IlpOptions;

constexpr std::array kFormulations = {Formulation::kOriginal, Formulation::kStrong};

Schedule solve_and_check(const ScheduleProblem& problem, const IlpOptions& options) {
  Schedule answer = schedule::solve_ilp(problem, options);
  EXPECT_EQ(faults_of(problem, answer), "");
  return answer;
}

IlpOptions with(Formulation formulation) {
  IlpOptions options;
  options.formulation = formulation;
  options.time_limit = Seconds(600);  // none: the tests limit work
  return options;
}

Task task(std::string id, TaskUnit unit, std::int64_t one, std::optional<std::int64_t> all = {}) {
  Task made;
  made.id = std::move(id);
  made.unit = unit;
  made.one_core = Picoseconds(one);
  if (all) {
    made.all_cores = Picoseconds(*all);
  }
  return made;
}

ScheduleProblemOptions sizes(std::size_t least, std::size_t most, std::int64_t cores,
                             std::optional<Picoseconds> most_time = {}) {
  ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.most_cores = cores;
  options.most_time = most_time;
  return options;
}

class ScheduleIlp : public testing::Test {
 protected:
  void SetUp() override {
    if (!schedule::has_ilp()) {
      GTEST_SKIP() << "this build has no CBC";
    }
  }
};

void compare_with_brute_force(std::uint64_t begin, std::uint64_t end,
                              ScheduleProblemOptions options, bool exclusive) {
  options.exclusive = exclusive;
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    const Schedule best = solve_schedule_by_brute_force(problem);
    ASSERT_EQ(schedule::solve_exact(problem).makespan, best.makespan) << "seed " << seed;
    for (const Formulation formulation : kFormulations) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " formulation " +
                   std::to_string(static_cast<int>(formulation)));
      const Schedule answer = solve_and_check(problem, with(formulation));
      ASSERT_EQ(answer.makespan, best.makespan);
      ASSERT_EQ(answer.status, SolveStatus::kOptimal);
    }
  }
}

// Whole times below 50 have a grain of at least 1/300 of any makespan: the proof must succeed.
TEST_F(ScheduleIlp, IsOptimalUnderTheExclusiveRule) {
  compare_with_brute_force(0, 300, sizes(1, 6, 8, Picoseconds(50)), true);
}

TEST_F(ScheduleIlp, IsOptimalWithoutTheExclusiveRule) {
  compare_with_brute_force(1000, 1300, sizes(1, 6, 8, Picoseconds(50)), false);
}

// Fewer cores leave more to decide.
TEST_F(ScheduleIlp, IsOptimalOnFewCores) {
  for (const bool exclusive : {true, false}) {
    compare_with_brute_force(2000, 2150, sizes(5, 6, 3, Picoseconds(50)), exclusive);
  }
}

// Times of a millisecond that share no grain: schedules are exact, proofs end at a ten-millionth.
TEST_F(ScheduleIlp, ComesWithinTolerancesOfTheOptimumOfLongTimes) {
  for (std::uint64_t seed = 3000; seed < 3200; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 6, 4));
    const auto best = static_cast<double>(solve_schedule_by_brute_force(problem).makespan.value());
    for (const Formulation formulation : kFormulations) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Schedule answer = solve_and_check(problem, with(formulation));
      ASSERT_LE(static_cast<double>(answer.makespan.value()), best * (1 + 1e-7));
      ASSERT_LE(static_cast<double>(answer.lower_bound.value()), best);
      ASSERT_GE(static_cast<double>(answer.lower_bound.value()), best * (1 - 3e-7) - 1);
    }
  }
}

// Without cores all six would run at once; with them three of a kind need two rounds:
//   tensor core 0  t0 t0 t0 | t2 t2 t2        vector core 0  v0 v0 v0 v0 | v2 v2 v2 v2
//   tensor core 1  t1 t1 t1                   vector core 1  v1 v1 v1 v1
TEST_F(ScheduleIlp, AddsTheCoresThatRunOut) {
  ScheduleProblem problem;
  problem.tensor_cores = problem.vector_cores = 2;
  for (const char* id : {"0", "1", "2"}) {
    problem.tasks.push_back(task(std::string("t") + id, TaskUnit::kTensor, 3));
    problem.tasks.push_back(task(std::string("v") + id, TaskUnit::kVector, 4));
  }
  for (const Formulation formulation : kFormulations) {
    const Schedule answer = solve_and_check(problem, with(formulation));
    EXPECT_EQ(answer.makespan, Picoseconds(8));
    EXPECT_EQ(answer.status, SolveStatus::kOptimal);
  }
}

// All three wide take 6, two side by side and then one wide 7, all side by side 5, while the
// network's two follow one another beside them.
TEST_F(ScheduleIlp, MixesWidthsAndTheNetwork) {
  ScheduleProblem problem;
  problem.tensor_cores = 3;
  for (const char* id : {"a", "b", "c"}) {
    problem.tasks.push_back(task(id, TaskUnit::kTensor, 5, 2));
  }
  problem.tasks.push_back(task("n", TaskUnit::kNetwork, 1));
  problem.tasks.push_back(task("m", TaskUnit::kNetwork, 3));
  problem.tasks.push_back(task("free", TaskUnit::kNone, 4));
  for (const Formulation formulation : kFormulations) {
    const Schedule answer = solve_and_check(problem, with(formulation));
    EXPECT_EQ(answer.makespan, Picoseconds(5));
    EXPECT_EQ(answer.status, SolveStatus::kOptimal);
  }
}

TEST_F(ScheduleIlp, TakesProblemsWithNothingToDecide) {
  ScheduleProblem problem;
  for (const Formulation formulation : kFormulations) {
    EXPECT_EQ(solve_and_check(problem, with(formulation)).status, SolveStatus::kOptimal);
  }
  const TaskId a = problem.tasks.push_back(task("a", TaskUnit::kTensor, 0, 0));
  const TaskId b = problem.tasks.push_back(task("b", TaskUnit::kBoth, 7, 0));
  const TaskId c = problem.tasks.push_back(task("c", TaskUnit::kVector, 7, 9));
  problem.edges = {{a, b}, {b, c}};
  for (const Formulation formulation : kFormulations) {
    const Schedule answer = solve_and_check(problem, with(formulation));
    EXPECT_EQ(answer.makespan, Picoseconds(7));
    EXPECT_EQ(answer.status, SolveStatus::kOptimal);
  }
}

// What a stopped search says of the optimum is true.
TEST_F(ScheduleIlp, IsHonestWhenNodesRunOut) {
  for (std::uint64_t seed = 4000; seed < 4150; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(5, 6, 3, Picoseconds(50)));
    const Schedule best = solve_schedule_by_brute_force(problem);
    for (const Formulation formulation : kFormulations) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      IlpOptions options = with(formulation);
      options.node_limit = 1;
      const Schedule answer = solve_and_check(problem, options);
      ASSERT_GE(answer.makespan, best.makespan);
      ASSERT_LE(answer.lower_bound, best.makespan);
    }
  }
}

// Six tasks that wait for nothing, on three cores: their work fills 61, the best schedule takes
// longer, and to prove it takes hundreds of nodes.
TEST_F(ScheduleIlp, StopsAtTheLimitOfNodes) {
  ScheduleProblem problem;
  problem.tensor_cores = 3;
  problem.tasks.push_back(task("a", TaskUnit::kTensor, 18, 12));
  problem.tasks.push_back(task("b", TaskUnit::kTensor, 41, 14));
  problem.tasks.push_back(task("c", TaskUnit::kTensor, 3));
  problem.tasks.push_back(task("d", TaskUnit::kTensor, 39, 13));
  problem.tasks.push_back(task("e", TaskUnit::kTensor, 36, 13));
  problem.tasks.push_back(task("f", TaskUnit::kTensor, 45, 15));
  const Schedule best = solve_schedule_by_brute_force(problem);
  ASSERT_GT(best.makespan, Picoseconds(61));
  for (const Formulation formulation : kFormulations) {
    IlpOptions options = with(formulation);
    options.node_limit = 2;
    const Schedule answer = solve_and_check(problem, options);
    EXPECT_EQ(answer.status, SolveStatus::kFeasible);
    EXPECT_LE(answer.lower_bound, best.makespan);
    EXPECT_LT(answer.lower_bound, answer.makespan);
    EXPECT_LE(answer.work, 10);
  }
}

TEST_F(ScheduleIlp, MayStopAtAGap) {
  for (std::uint64_t seed = 5000; seed < 5100; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(5, 6, 3, Picoseconds(50)));
    const Schedule best = solve_schedule_by_brute_force(problem);
    for (const Formulation formulation : kFormulations) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      IlpOptions options = with(formulation);
      options.gap = 0.1;
      const Schedule answer = solve_and_check(problem, options);
      ASSERT_LE(answer.lower_bound, best.makespan);
      ASSERT_GE(static_cast<double>(answer.lower_bound.value()),
                0.9 * static_cast<double>(answer.makespan.value()) - 1);
    }
  }
}

// Without time, or without CBC, there is a list schedule and the bound that needs no solver.
TEST(ScheduleIlpList, IsTheAnswerWithoutTime) {
  for (std::uint64_t seed = 6000; seed < 6200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(1, 40, 4));
    for (const Formulation formulation : kFormulations) {
      IlpOptions options = with(formulation);
      options.time_limit = Seconds(0);
      const Schedule answer = solve_and_check(problem, options);
      ASSERT_EQ(answer.work, 0);
    }
  }
}

}  // namespace
}  // namespace phaze::tests
