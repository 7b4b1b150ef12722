// Plans of segments are schedules; greedy and annealed ones are good.
#include "schedule/segment_plan.h"

#include <gtest/gtest.h>

#include "schedule/segment_greedy.h"
#include "schedule/segments.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

tests::PieceCase piece_of(std::uint64_t seed, std::size_t least, std::size_t most) {
  tests::ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.most_cores = 4;
  options.exclusive = true;
  return tests::random_piece(seed, options);
}

bool never() { return false; }

TEST(SegmentPlans, AreSchedulesWhateverTheySay) {
  int tried = 0, beside = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const tests::PieceCase made = piece_of(seed, 3, 20);
    if (!has_segments(made.piece)) {
      continue;
    }
    SCOPED_TRACE(seed);
    const Intervals order = find_intervals(predecessors(made.piece)).value();
    const SegmentTasks tasks = find_segment_tasks(made.piece, order, {}, false);
    SegmentPlans plans(made.piece, order, tasks);
    Rng rng(seed);
    for (int repeat = 0; repeat < 5; ++repeat) {
      SegmentPlan plan;  // some tasks, in any order
      for (std::size_t i = 0; i < made.piece.tasks.size(); ++i) {
        plan.items.insert(
            plan.items.begin() + static_cast<std::ptrdiff_t>(rng.below(plan.items.size() + 1)),
            {rng.below(made.piece.tasks.size()), rng.below(4) == 0});
      }
      const Time end = plans.end(plan);
      ASSERT_EQ(tests::faults_of(made.problem, plans.starts(plan), end), "");
      // The plan of a schedule says no less than it.
      ASSERT_LE(plans.end(plan_of(plans.starts(plan), made.piece)), end);
      beside += end < plans.end({}) ? 1 : 0;
      ++tried;
    }
  }
  EXPECT_GT(tried, 500);
  EXPECT_GT(beside, 100);
}

// A wide task that takes no time is in the segment at hand.
TEST(SegmentPlans, KnowTasksThatTakeNoTime) {
  PieceTask a;
  a.one = 10;
  a.all = 9;
  a.needs = {true, false};
  PieceTask z = a, b = a, c = a;
  a.after = bit(1);
  z.before = bit(0);
  z.one = 5;
  z.all = 0;
  z.after = bit(2);
  b.before = bit(1);
  c.one = 20;
  c.all = 18;
  const Piece piece{{2, 1}, true, {a, z, b, c}};
  const Intervals order = find_intervals(predecessors(piece)).value();
  const SegmentTasks tasks = find_segment_tasks(piece, order, {}, false);
  SegmentPlans plans(piece, order, tasks);
  const SegmentPlan plan{{{0, false}, {3, false}, {1, false}, {2, false}}};
  EXPECT_EQ(plans.end(plan), 20);
  EXPECT_EQ(plans.end(plan_of(plans.starts(plan), piece)), 20);
}

TEST(SegmentPlans, AreMadeGreedily) {
  int better = 0, network = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const tests::PieceCase made = piece_of(seed, 3, 30);
    SCOPED_TRACE(seed);
    const PieceAnswer greedy = greedy_schedule(made.piece, never);
    ASSERT_EQ(tests::faults_of(made.problem, greedy.starts, greedy.makespan), "");
    Time alone = 0;
    for (const PieceTask& task : made.piece.tasks) {
      alone += task.fastest();
    }
    ASSERT_LE(greedy.makespan, alone);
    better += greedy.makespan < alone ? 1 : 0;
    network += has_segments(made.piece) ? 0 : 1;
  }
  EXPECT_GT(better, 150);
  EXPECT_GT(network, 20);
}

TEST(SegmentPlans, AreImproved) {
  int tried = 0, optimal = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const tests::PieceCase made = piece_of(seed, 4, 7);
    if (!has_segments(made.piece)) {
      continue;
    }
    SCOPED_TRACE(seed);
    const Time best = tests::best_of(made.piece);
    const PieceAnswer list = list_schedule(made.piece);
    const PieceAnswer found = improve_segments(made.piece, {}, list, 0, 2000, never);
    ASSERT_EQ(tests::faults_of(made.problem, found.starts, found.makespan), "");
    ASSERT_LE(found.makespan, list.makespan);
    ASSERT_GE(found.makespan, best);
    ASSERT_EQ(improve_segments(made.piece, {}, list, 0, 2000, never).makespan, found.makespan);
    optimal += found.makespan == best ? 1 : 0;
    ++tried;
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(optimal, tried * 95 / 100);
}

TEST(SegmentPlans, AreNotImprovedFurtherThanAsked) {
  int tried = 0;
  for (std::uint64_t seed = 500; seed < 560; ++seed) {
    const tests::PieceCase made = piece_of(seed, 20, 40);
    if (!has_segments(made.piece)) {
      continue;
    }
    const PieceAnswer list = list_schedule(made.piece);
    const PieceAnswer told = improve_segments(made.piece, {}, list, 0, 8000, [] { return true; });
    const PieceAnswer best = improve_segments(made.piece, {}, list, 0, 8000, never);
    EXPECT_GE(told.makespan, best.makespan) << seed;
    if (best.makespan < told.makespan) {
      ++tried;
      const PieceAnswer enough =
          improve_segments(made.piece, {}, list, told.makespan - 1, 8000, never);
      EXPECT_LT(enough.makespan, told.makespan) << seed;
      EXPECT_GE(enough.makespan, best.makespan) << seed;
    }
  }
  EXPECT_GT(tried, 5);
}

}  // namespace
}  // namespace phaze::schedule
