// Random problems are problems that a file could hold, and of every sort that is promised.
#include "support/schedule_generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "io/schedule_json.h"
#include "io/schedule_reader.h"
#include "support/documents.h"
#include "verify/schedule_bounds.h"

namespace phaze::tests {
namespace {

using plan::ScheduleProblem;
using plan::Task;
using plan::TaskUnit;

void expect_readable(const ScheduleProblem& problem) {
  Diagnostics diagnostics;
  const auto again =
      io::read_schedule_problem(parse(io::write_schedule_problem(problem)), diagnostics);
  ASSERT_TRUE(again) << to_string(diagnostics);
  EXPECT_EQ(*again, problem);
}

TEST(ScheduleGenerators, ProblemsAreSound) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const ScheduleProblem p = random_schedule_problem(seed);
    expect_readable(p);
    EXPECT_EQ(p, random_schedule_problem(seed));
    EXPECT_LE(p.tasks.size(), 7U);
    ++seen["tasks " + std::to_string(p.tasks.size())];
    ++seen["tensor cores " + std::to_string(p.tensor_cores)];
    ++seen["vector cores " + std::to_string(p.vector_cores)];
    ++seen[p.exclusive_wide ? "exclusive" : "not exclusive"];
    bool is_in_order = true;
    for (const auto& [before, after] : p.edges) {
      is_in_order = is_in_order && before < after;
    }
    ++seen[is_in_order ? "in order" : "not in order"];
    std::map<std::int64_t, int> times;
    for (const Task& task : p.tasks) {
      ++seen[std::string(to_string(task.unit)) + (task.all_cores ? ", can run wide" : "")];
      ++seen[task.one_core == Picoseconds(0) ? "no time" : "some time"];
      ++times[task.one_core.value()];
    }
    ++seen[times.size() < p.tasks.size() ? "equal times" : "different times"];
  }
  for (const char* sort : {"tasks 1",
                           "tasks 7",
                           "tensor cores 0",
                           "tensor cores 1",
                           "tensor cores 8",
                           "vector cores 0",
                           "vector cores 8",
                           "exclusive",
                           "not exclusive",
                           "in order",
                           "not in order",
                           "tensor",
                           "vector",
                           "both",
                           "network",
                           "none",
                           "tensor, can run wide",
                           "vector, can run wide",
                           "both, can run wide",
                           "no time",
                           "equal times",
                           "different times"}) {
    EXPECT_GE(seen[sort], 20) << sort;
  }
  EXPECT_EQ(seen["network, can run wide"] + seen["none, can run wide"], 0);
}

TEST(ScheduleGenerators, OptionsHold) {
  for (const TaskGraph graph : {TaskGraph::kLayered, TaskGraph::kSeriesParallel,
                                TaskGraph::kForward, TaskGraph::kBackward}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      ScheduleProblemOptions options;
      options.least_tasks = 30;
      options.most_tasks = 60;
      options.most_cores = 3;
      options.graph = graph;
      options.exclusive = false;
      options.most_time = Picoseconds(4);
      const ScheduleProblem p = random_schedule_problem(seed, options);
      expect_readable(p);
      EXPECT_TRUE(p.tasks.size() >= 30 && p.tasks.size() <= 60);
      EXPECT_TRUE(p.tensor_cores <= 3 && p.vector_cores <= 3 && !p.exclusive_wide);
      for (const Task& task : p.tasks) {
        EXPECT_LE(task.one_core, Picoseconds(4));
      }
    }
  }
}

TEST(ScheduleGenerators, LargeOnes) {
  for (const TaskGraph graph : {TaskGraph::kLayered, TaskGraph::kSeriesParallel,
                                TaskGraph::kForward, TaskGraph::kBackward}) {
    ScheduleProblemOptions options;
    options.least_tasks = options.most_tasks = 10'000;
    options.graph = graph;
    const ScheduleProblem p = random_schedule_problem(7, options);
    EXPECT_EQ(p.tasks.size(), 10'000U);
    EXPECT_LE(p.edges.size(), io::kMostTaskEdges);
    EXPECT_GT(p.edges.size(), 5'000U);
    EXPECT_TRUE(verify::order_tasks(p));
  }
}

}  // namespace
}  // namespace phaze::tests
