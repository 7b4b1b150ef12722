// Exact schedules against exhaustive enumeration, with every rule on and off; and what a search
// that was stopped says of the optimum.

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "base/rng.h"
#include "schedule/exact.h"
#include "schedule/memory.h"
#include "support/schedule_brute_force.h"
#include "support/schedule_checks.h"
#include "support/schedule_generators.h"

namespace phaze::tests {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using schedule::ExactOptions;

ScheduleProblemOptions sizes(std::size_t least, std::size_t most, bool exclusive) {
  ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.exclusive = exclusive;
  return options;
}

// Of the rules that cut the search short, those whose bit is set.
constexpr int kRules = 12;
ExactOptions with_rules(int rules) {
  ExactOptions options;
  options.pieces = (rules & 1) != 0;
  options.dominance = (rules & 2) != 0;
  options.mixed_bounds = (rules & 4) != 0;
  options.wide_order = (rules & 8) != 0;
  options.twins = (rules & 16) != 0;
  options.splits = (rules & 32) != 0;
  options.at_once = (rules & 64) != 0;
  options.segments = (rules & 128) != 0;
  options.shaving = (rules & 256) != 0;
  options.room = (rules & 512) != 0;
  options.windows = (rules & 1024) != 0;
  options.waste = (rules & 2048) != 0;
  return options;
}

// By the rule for wide tasks.
class ExactSchedule : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Rules, ExactSchedule, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

TEST_P(ExactSchedule, EqualsExhaustiveEnumeration) {
  int optimal_wide = 0;
  int beats_list = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    // One in ten as large as enumeration can take.
    const ScheduleProblem problem = random_schedule_problem(
        seed, sizes(seed % 10 == 0 ? 7 : 1, seed % 10 == 0 ? 7 : 6, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule best = solve_schedule_by_brute_force(problem);
    const Schedule found = schedule::solve_exact(problem);
    ASSERT_EQ(found.makespan, best.makespan);
    ASSERT_EQ(found.status, SolveStatus::kOptimal);
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

// Core time of so many cores and such times needs more than 64 bits.
TEST(LargeSchedule, IsProvedWithManyCoresAndLongTasks) {
  ScheduleProblem problem;
  problem.tensor_cores = problem.vector_cores = 10'000;
  const auto add = [&problem](const char* id, plan::TaskUnit unit, std::int64_t one,
                              std::int64_t all) {
    return problem.tasks.push_back({id, unit, Picoseconds(one), Picoseconds(all)});
  };
  const auto first =
      add("first", plan::TaskUnit::kVector, 100'000'000'000'001, 100'000'000'000'000);
  const auto second =
      add("second", plan::TaskUnit::kVector, 2'900'000'000'000'000, 1'600'000'000'000'000);
  add("beside", plan::TaskUnit::kTensor, 2'100'000'000'000'000, 1'900'000'000'000'000);
  problem.edges.emplace_back(first, second);
  const Schedule found = schedule::solve_exact(problem);
  // First wide, then both others side by side.
  EXPECT_EQ(found.makespan, Picoseconds(3'000'000'000'000'000));
  EXPECT_EQ(found.status, SolveStatus::kOptimal);
  EXPECT_EQ(faults_of(problem, found), "");
}

// Graphs of more tasks than the search takes are run in parts, which can be longer together than a
// list schedule of all of them.
TEST_P(ExactSchedule, IsNeverWorseThanTheListHoweverLarge) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ScheduleProblemOptions options = sizes(150, 320, GetParam());
    options.most_cores = 6;
    options.graph = seed % 2 == 0 ? TaskGraph::kLayered : options.graph;
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    SCOPED_TRACE(seed);
    const Schedule list = schedule::solve_list(problem);
    ASSERT_EQ(faults_of(problem, list), "");
    for (const std::int64_t limit : {1, 300, 3000}) {
      ExactOptions exact;
      exact.work_limit = limit;
      const Schedule found = schedule::solve_exact(problem, exact);
      ASSERT_EQ(faults_of(problem, found), "");
      ASSERT_LE(found.makespan, list.makespan) << limit;
      better += found.makespan < list.makespan ? 1 : 0;
    }
  }
  EXPECT_GT(better, 0);
}

TEST_P(ExactSchedule, IsTheSameWithAnyRulesOff) {
  for (std::uint64_t seed = 5000; seed < 5080; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(5, 8, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule all = schedule::solve_exact(problem);
    for (int rules = 0; rules < 1 << kRules; ++rules) {
      const Schedule found = schedule::solve_exact(problem, with_rules(rules));
      ASSERT_EQ(found.status, SolveStatus::kOptimal) << rules;
      ASSERT_EQ(found.makespan, all.makespan) << rules;
      ASSERT_EQ(faults_of(problem, found), "");
    }
  }
}

// Larger problems need all rules but one.
TEST_P(ExactSchedule, IsTheSameWithOneRuleOff) {
  int compared = 0;
  for (std::uint64_t seed = 6000; seed < 6100; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(9, 14, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule all = schedule::solve_exact(problem);
    ASSERT_EQ(all.status, SolveStatus::kOptimal);
    for (int off = 0; off < kRules; ++off) {
      ExactOptions options = with_rules(((1 << kRules) - 1) & ~(1 << off));
      options.work_limit = 20'000;
      const Schedule found = schedule::solve_exact(problem, options);
      ASSERT_EQ(faults_of(problem, found), "");
      ASSERT_LE(found.lower_bound, all.makespan) << off;
      ASSERT_GE(found.makespan, all.makespan) << off;
      compared += found.status == SolveStatus::kOptimal ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 200);
}

// Layers as they are, and whatever: as long as tasks may exclude all others, by segments or not.
TEST(ExactScheduleSegments, FindTheSameAsWithoutThem) {
  int compared = 0;
  for (std::uint64_t seed = 40'000; seed < 40'400; ++seed) {
    ScheduleProblemOptions options = sizes(8, 15, true);
    options.most_cores = 4;
    if (seed % 2 == 0) {
      options.graph = TaskGraph::kBackward;
    }
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    SCOPED_TRACE(seed);
    ExactOptions without;
    without.segments = false;
    without.work_limit = 50'000;
    const Schedule other = schedule::solve_exact(problem, without);
    const Schedule found = schedule::solve_exact(problem);
    ASSERT_EQ(found.status, SolveStatus::kOptimal);
    ASSERT_EQ(faults_of(problem, found), "");
    ASSERT_LE(found.makespan, other.makespan);
    ASSERT_GE(found.makespan, other.lower_bound);
    compared += other.status == SolveStatus::kOptimal ? 1 : 0;
  }
  EXPECT_GT(compared, 300);
}

// Few durations, so that many tasks are alike: twins and the order of wide tasks at once.
TEST_P(ExactSchedule, LosesNoOptimumOfTasksThatAreAlike) {
  for (std::uint64_t seed = 30'000; seed < 30'300; ++seed) {
    Rng rng(seed);
    ScheduleProblem problem = random_schedule_problem(seed, sizes(4, 7, GetParam()));
    for (plan::Task& task : problem.tasks) {
      task.one_core = Picoseconds(static_cast<std::int64_t>(4 + 2 * rng.below(2)));
      if (task.all_cores) {
        task.all_cores = Picoseconds(static_cast<std::int64_t>(2 + rng.below(2)));
      }
    }
    SCOPED_TRACE(seed);
    const Schedule best = solve_schedule_by_brute_force(problem);
    for (int rules = 0; rules < 16; ++rules) {
      ExactOptions options;
      options.pieces = false;
      options.segments = (rules & 8) != 0;
      options.wide_order = (rules & 1) != 0;
      options.twins = (rules & 2) != 0;
      options.at_once = (rules & 4) != 0;
      const Schedule found = schedule::solve_exact(problem, options);
      ASSERT_EQ(found.makespan, best.makespan) << rules;
      ASSERT_EQ(found.status, SolveStatus::kOptimal) << rules;
    }
  }
}

// Small problems are settled by the first look: here there is none, and parts are split as long as
// they can be. What a split leaves out would be missing from both halves.
TEST_P(ExactSchedule, SplitsLoseNoOptimum) {
  std::int64_t work = 0;
  for (std::uint64_t seed = 10'000; seed < 10'400; ++seed) {
    ScheduleProblem problem = random_schedule_problem(seed, sizes(4, 7, GetParam()));
    if (seed % 4 == 0) {  // wide, some take no time
      for (std::size_t i = 0; i < problem.tasks.size(); i += 2) {
        plan::Task& task = problem.tasks[plan::TaskId(i)];
        task.all_cores = task.all_cores ? std::optional(Picoseconds()) : std::nullopt;
      }
    }
    SCOPED_TRACE(seed);
    const Schedule best = solve_schedule_by_brute_force(problem);
    for (const bool bounds : {false, true}) {
      for (const bool order : {false, true}) {
        ExactOptions options;
        options.segments = false;
        options.first_look = options.part_look = 1;
        options.mixed_bounds = bounds;
        options.wide_order = options.twins = order;
        const Schedule found = schedule::solve_exact(problem, options);
        ASSERT_EQ(found.makespan, best.makespan);
        ASSERT_EQ(found.status, SolveStatus::kOptimal);
        ASSERT_EQ(faults_of(problem, found), "");
        work += found.work;
      }
    }
  }
  EXPECT_GT(work, 400 * 250);  // a part counts for 250: they were split
}

// The bound that it stops with is not above the optimum, whatever the rules.
TEST_P(ExactSchedule, IsHonestWhenWorkRunsOut) {
  int unfinished = 0;
  for (std::uint64_t seed = 7000; seed < 7050; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(8, 14, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule best = schedule::solve_exact(problem);
    ASSERT_EQ(best.status, SolveStatus::kOptimal);
    for (int rules = 0; rules < 1 << kRules; ++rules) {
      for (const std::int64_t limit : {1, 30, 300}) {
        ExactOptions options = with_rules(rules);
        options.work_limit = limit;
        const Schedule found = schedule::solve_exact(problem, options);
        ASSERT_EQ(faults_of(problem, found), "");
        ASSERT_LE(found.lower_bound, best.makespan) << rules;
        ASSERT_GE(found.makespan, best.makespan) << rules;
        unfinished += found.status == SolveStatus::kFeasible ? 1 : 0;
      }
    }
  }
  EXPECT_GT(unfinished, 25);
}

TEST(ExactScheduleLimits, KeepsToItsLimitOfWork) {
  ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = 40;
  int unfinished = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    for (const std::int64_t limit : {200, 2500, 4500, 9000}) {
      ExactOptions exact;
      exact.work_limit = limit;
      const Schedule found = schedule::solve_exact(problem, exact);
      EXPECT_EQ(faults_of(problem, found), "");
      EXPECT_LE(found.makespan, schedule::solve_list(problem).makespan);
      EXPECT_LE(found.work, limit + 40);
      unfinished += found.status == SolveStatus::kFeasible ? 1 : 0;
    }
  }
  EXPECT_GT(unfinished, 0);
}

// Edges that a branch of the search by windows adds may lead back in the order of tasks. Before
// they were followed to the end, a task and one behind it counted as running at once, and 33 as the
// best.
TEST(ExactScheduleWindows, FollowEdgesToTheEnd) {
  constexpr plan::TaskUnit tensor = plan::TaskUnit::kTensor, vector = plan::TaskUnit::kVector;
  const std::vector<std::pair<plan::TaskUnit, std::int64_t>> tasks = {{tensor, 10},
                                                                      {tensor, 9},
                                                                      {tensor, 8},
                                                                      {tensor, 4},
                                                                      {vector, 6},
                                                                      {tensor, 5},
                                                                      {plan::TaskUnit::kBoth, 7},
                                                                      {tensor, 1},
                                                                      {vector, 6},
                                                                      {tensor, 10},
                                                                      {vector, 2},
                                                                      {tensor, 7}};
  ScheduleProblem problem;
  problem.tensor_cores = 2;
  problem.vector_cores = 4;
  problem.exclusive_wide = false;
  for (const auto& [unit, time] : tasks) {
    problem.tasks.push_back(
        {std::to_string(problem.tasks.size()), unit, Picoseconds(time), std::nullopt});
  }
  for (const auto& [from, to] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 3}, {0, 9}, {1, 9}, {2, 5}, {2, 6}, {3, 4}, {4, 5}, {7, 8}, {9, 10}, {10, 11}}) {
    problem.edges.emplace_back(from, to);
  }
  for (const bool has_windows : {true, false}) {
    ExactOptions options;
    options.windows = has_windows;
    const Schedule found = schedule::solve_exact(problem, options);
    EXPECT_EQ(found.makespan, Picoseconds(32)) << has_windows;
    EXPECT_EQ(found.lower_bound, Picoseconds(32)) << has_windows;
  }
}

// With a cutoff too: the limit of work, no longer than the list schedule, and what is told on the
// way.
TEST_P(ExactSchedule, KeepsItsWordBelowACutoff) {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 24, GetParam()));
    const Schedule list = schedule::solve_list(problem);
    for (const std::int64_t limit : {1, 50, 500}) {
      ExactOptions exact;
      exact.work_limit = limit;
      exact.cutoff = list.makespan + Picoseconds(static_cast<std::int64_t>(seed % 3) * 5);
      exact.is_cancelled = [&](Picoseconds best, Picoseconds bound, std::int64_t) {
        EXPECT_GE(best, bound);
        EXPECT_GE(bound, Picoseconds());
        EXPECT_LE(best, list.makespan * 100);
        ++told;
        return false;
      };
      const Schedule found = schedule::solve_exact(problem, exact);
      ASSERT_EQ(faults_of(problem, found), "");
      EXPECT_LE(found.work, limit + 40);
      const bool is_refuted = found.lower_bound >= *exact.cutoff;
      EXPECT_TRUE(is_refuted || found.makespan <= list.makespan) << limit;
    }
  }
  EXPECT_GT(told, 100);
}

// As late as a number can be: the same as none.
TEST_P(ExactSchedule, ACutoffBehindEverythingChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 12, GetParam()));
    ExactOptions late;
    late.cutoff = Picoseconds(std::numeric_limits<std::int64_t>::max() - 1);
    const Schedule found = schedule::solve_exact(problem, late);
    ASSERT_EQ(found.makespan, schedule::solve_exact(problem).makespan);
    ASSERT_EQ(found.status, SolveStatus::kOptimal);
    ASSERT_EQ(faults_of(problem, found), "");
  }
}

// More than 32 tasks, some on the network: each rule off by itself.
TEST_P(ExactSchedule, ManyTasksNeedNoRule) {
  int beside = 0;
  for (std::uint64_t seed = 70'000; seed < 70'030; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(34, 50, GetParam()));
    SCOPED_TRACE(seed);
    beside += std::count_if(problem.tasks.begin(), problem.tasks.end(),
                            [](const plan::Task& task) {
                              return task.unit == plan::TaskUnit::kNetwork &&
                                     task.one_core > Picoseconds();
                            }) > 1
                  ? 1
                  : 0;
    std::optional<Picoseconds> least;
    Picoseconds most;
    for (int off = 0; off <= kRules; ++off) {
      ExactOptions options = with_rules(((1 << kRules) - 1) & ~(1 << off));
      options.work_limit = 3'000;
      const Schedule found = schedule::solve_exact(problem, options);
      ASSERT_EQ(faults_of(problem, found), "") << off;
      least = std::min(least.value_or(found.makespan), found.makespan);
      most = std::max(most, found.lower_bound);
    }
    ASSERT_LE(most, *least);
  }
  EXPECT_GT(beside, 8);
}

TEST(ExactScheduleLimits, StopsWhenCancelled) {
  ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = 40;
  int cancelled = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    int calls = 0;
    ExactOptions exact;
    exact.work_limit = 200'000;
    std::int64_t last_work = 0;
    exact.is_cancelled = [&](Picoseconds best, Picoseconds bound, std::int64_t work) {
      EXPECT_LE(bound, best);
      EXPECT_GE(work, last_work);
      last_work = work;
      return ++calls >= 3;
    };
    const Schedule found = schedule::solve_exact(problem, exact);
    EXPECT_EQ(faults_of(problem, found), "");
    cancelled += calls > 0 && found.status == SolveStatus::kFeasible ? 1 : 0;
  }
  EXPECT_GT(cancelled, 0);
}

TEST_P(ExactSchedule, KeepsToACutoff) {
  for (std::uint64_t seed = 8000; seed < 8150; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 9, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule best = schedule::solve_exact(problem);
    for (const std::int64_t off : {-1000, -1, 0, 1, 1000}) {
      for (const bool pieces : {false, true}) {
        ExactOptions options;
        options.pieces = pieces;
        options.cutoff = std::max(Picoseconds(), best.makespan + Picoseconds(off));
        const Schedule found = schedule::solve_exact(problem, options);
        ASSERT_EQ(faults_of(problem, found), "");
        ASSERT_LE(found.lower_bound, best.makespan);
        if (off > 0) {
          ASSERT_EQ(found.makespan, best.makespan);
        } else {
          ASSERT_GE(found.lower_bound, std::min(*options.cutoff, best.makespan));
        }
      }
    }
  }
}

// A schedule that ends by `enough` ends the search; otherwise it is the best.
TEST_P(ExactSchedule, StopsWhenItHasEnough) {
  int stopped = 0;
  for (std::uint64_t seed = 8500; seed < 8650; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 9, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule best = schedule::solve_exact(problem);
    for (const double share : {0.5, 1.0, 1.02, 1.2}) {
      for (const bool pieces : {false, true}) {
        ExactOptions options;
        options.pieces = pieces;
        options.enough = Picoseconds(
            static_cast<std::int64_t>(static_cast<double>(best.makespan.value()) * share));
        const Schedule found = schedule::solve_exact(problem, options);
        ASSERT_EQ(faults_of(problem, found), "");
        ASSERT_LE(found.lower_bound, best.makespan);
        if (found.makespan > options.enough || share < 1) {
          ASSERT_EQ(found.makespan, best.makespan);
          ASSERT_EQ(found.status, SolveStatus::kOptimal);
        }
        stopped += found.makespan > best.makespan ? 1 : 0;
      }
    }
  }
  EXPECT_GT(stopped, 20);
}

// What was enough is no proof, and no bound for a search that remembers it.
TEST_P(ExactSchedule, EnoughIsNoProof) {
  int stopped = 0;
  for (std::uint64_t seed = 50'000; seed < 50'800; ++seed) {
    ScheduleProblemOptions options = sizes(4, 7, GetParam());
    options.most_time = Picoseconds(9);
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    SCOPED_TRACE(seed);
    const Picoseconds best = schedule::solve_exact(problem).makespan;
    for (std::int64_t more = 0; more < 4; ++more) {
      schedule::Memory memory;
      ExactOptions exact;
      exact.memory = &memory;
      exact.enough = best + Picoseconds(more);
      const Schedule enough = schedule::solve_exact(problem, exact);
      ASSERT_LE(enough.lower_bound, best) << more;
      stopped += enough.makespan > best ? 1 : 0;
      exact.enough = Picoseconds();
      const Schedule found = schedule::solve_exact(problem, exact);
      ASSERT_EQ(found.makespan, best) << more;
      ASSERT_EQ(found.status, SolveStatus::kOptimal) << more;
    }
  }
  EXPECT_GT(stopped, 20);
}

// Wherever it is stopped, also between the last parts.
TEST_P(ExactSchedule, LosesNoPartWhenItIsStopped) {
  int cancelled = 0;
  for (std::uint64_t seed = 60'000; seed < 61'500; ++seed) {
    ScheduleProblemOptions small = sizes(7, 12, GetParam());
    small.most_time = Picoseconds(13);
    small.most_cores = 3;
    const ScheduleProblem problem = random_schedule_problem(seed, small);
    SCOPED_TRACE(seed);
    ExactOptions options;
    options.segments = options.pieces = false;
    options.first_look = options.part_look = 1;
    int asked = 0;
    options.is_cancelled = [&](Picoseconds, Picoseconds, std::int64_t) { return ++asked < 0; };
    const Picoseconds best = schedule::solve_exact(problem, options).makespan;
    for (int last = std::max(0, asked - 6); last < asked; ++last) {
      int calls = 0;
      options.is_cancelled = [&](Picoseconds, Picoseconds, std::int64_t) {
        return calls++ >= last;
      };
      ASSERT_LE(schedule::solve_exact(problem, options).lower_bound, best) << last;
      ++cancelled;
    }
  }
  EXPECT_GT(cancelled, 200);
}

// The same graph with other durations and numbers of cores, one after another, each with the best
// end so far as its cutoff: what was found for one serves the next.
TEST_P(ExactSchedule, RemembersWhatItFoundForProblemsAlike) {
  int without_work = 0;
  for (std::uint64_t seed = 20'000; seed < 20'600; ++seed) {
    Rng rng(seed);
    ScheduleProblem problem = random_schedule_problem(seed, sizes(3, 6, GetParam()));
    schedule::Memory memory;
    std::optional<Picoseconds> least;
    for (int repeat = 0; repeat < 3; ++repeat) {
      SCOPED_TRACE(std::to_string(seed) + " " + std::to_string(repeat));
      const Schedule best = solve_schedule_by_brute_force(problem);
      ExactOptions options;
      options.memory = &memory;
      options.cutoff = least;
      const Schedule found = schedule::solve_exact(problem, options);
      ASSERT_EQ(faults_of(problem, found), "");
      ASSERT_LE(found.lower_bound, best.makespan);
      if (least && best.makespan >= *least) {
        ASSERT_GE(found.lower_bound, *least);
      } else {
        ASSERT_EQ(found.makespan, best.makespan);
        ASSERT_EQ(found.status, SolveStatus::kOptimal);
      }
      without_work += repeat > 0 && found.work == 0 ? 1 : 0;
      least = std::min(least.value_or(best.makespan), best.makespan);
      for (plan::Task& task : problem.tasks) {
        task.one_core = task.one_core * static_cast<std::int64_t>(1 + rng.below(3));
        if (task.all_cores && rng.below(4) == 0) {
          task.all_cores = task.one_core;
        }
      }
      problem.tensor_cores += problem.tensor_cores > 0 ? static_cast<int>(rng.below(2)) : 0;
      problem.vector_cores += problem.vector_cores > 0 ? static_cast<int>(rng.below(2)) : 0;
    }
  }
  EXPECT_GT(without_work, 600);
}

TEST_P(ExactSchedule, ClaimsNothingThatItDidNotProveWhenItIsStopped) {
  for (std::uint64_t seed = 9000; seed < 9012; ++seed) {
    const ScheduleProblem problem = random_schedule_problem(seed, sizes(12, 14, GetParam()));
    SCOPED_TRACE(seed);
    const Schedule best = schedule::solve_exact(problem);
    const Schedule list = schedule::solve_list(problem);
    ASSERT_EQ(best.status, SolveStatus::kOptimal);
    for (std::int64_t limit = 0; limit < 40; ++limit) {
      ExactOptions options;
      options.work_limit = limit * limit * limit;
      int calls = 0;
      options.is_cancelled = [&calls, limit](Picoseconds, Picoseconds, std::int64_t) {
        return ++calls > limit;
      };
      const Schedule found = schedule::solve_exact(problem, options);
      ASSERT_EQ(faults_of(problem, found), "");
      ASSERT_LE(found.lower_bound, best.makespan);
      ASSERT_GE(found.makespan, best.makespan);
      ASSERT_LE(found.makespan, list.makespan);
    }
  }
}

}  // namespace
}  // namespace phaze::tests
