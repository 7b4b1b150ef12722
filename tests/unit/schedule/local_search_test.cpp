// Annealing: a schedule, never a worse one.
#include <gtest/gtest.h>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

bool never() { return false; }

tests::ScheduleProblemOptions of_sizes(std::size_t least, std::size_t most, bool exclusive) {
  tests::ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.exclusive = exclusive;
  return options;
}

TEST(Improve, ReturnsAScheduleThatIsNeverWorse) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const tests::PieceCase made = tests::random_piece(seed, of_sizes(2, 40, seed % 2 == 0));
    const PieceAnswer list = list_schedule(made.piece);
    ASSERT_EQ(tests::faults_of(made.problem, list.starts, list.makespan), "") << seed;
    const PieceAnswer found = improve(made.piece, list, 0, 4000, never);
    ASSERT_EQ(tests::faults_of(made.problem, found.starts, found.makespan), "") << seed;
    ASSERT_LE(found.makespan, list.makespan) << seed;
    ASSERT_GE(found.work, list.work) << seed;
    better += found.makespan < list.makespan ? 1 : 0;
    const PieceAnswer again = improve(made.piece, list, 0, 4000, never);
    ASSERT_EQ(again.makespan, found.makespan) << seed;
  }
  EXPECT_GT(better, 5);
}

TEST(Improve, StopsAtItsGoalOrWhenItIsTold) {
  int tried = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const Piece piece = tests::random_piece(seed, of_sizes(20, 40, seed % 2 == 0)).piece;
    const PieceAnswer list = list_schedule(piece);
    const PieceAnswer best = improve(piece, list, 0, 8000, never);
    if (best.makespan == list.makespan) {
      continue;
    }
    ++tried;
    const PieceAnswer enough = improve(piece, list, list.makespan - 1, 8000, never);
    EXPECT_LE(enough.makespan, list.makespan - 1) << seed;
    EXPECT_LT(enough.work, best.work) << seed;
    // Each of its runs looks at where it begins, and goes no step.
    const PieceAnswer told = improve(piece, list, 0, 8000, [] { return true; });
    EXPECT_LE(told.makespan, list.makespan) << seed;
    EXPECT_LE(told.work, list.work + 4) << seed;
  }
  EXPECT_GT(tried, 5);
}

}  // namespace
}  // namespace phaze::schedule
