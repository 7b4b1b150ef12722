// Bounds against the best that can still come of random states, found by trying everything.
#include "schedule/bounds.h"

#include <gtest/gtest.h>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

// By the rule for wide tasks.
class ScheduleBounds : public testing::TestWithParam<bool> {
 protected:
  static tests::ScheduleProblemOptions options() {
    tests::ScheduleProblemOptions small;
    small.least_tasks = 2;
    small.most_tasks = 6;
    small.exclusive = GetParam();
    return small;
  }
};

INSTANTIATE_TEST_SUITE_P(Rules, ScheduleBounds, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

TEST_P(ScheduleBounds, OfWholePieces) {
  int tight = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Piece piece = tests::random_piece(seed, options()).piece;
    State state(piece);
    const Time best = tests::earliest_end(
        piece, state, [&](const State& at) { return tests::all_steps(piece, at); });
    Bounds bounds(piece);
    ASSERT_LE(bounds.root(), best) << seed;
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      ASSERT_LE(bounds.tail(i) + piece.tasks[i].fastest(), best) << seed;
    }
    // Of schedules that end before a limit there can be one where the best does.
    bounds.limit_to(best + 1);
    ASSERT_LE(bounds.root(), best) << seed;
    bounds.weigh();
    ASSERT_LE(bounds.root(), best) << seed;
    RateFinder finder(piece);
    bounds.rate(finder, 100);
    ASSERT_LE(bounds.root(), best) << seed;
    tight += bounds.root() == best ? 1 : 0;
  }
  EXPECT_GT(tight, 75);  // a bound that is never reached would be of little use
}

// Plain, and weighed for a limit that the best of the state keeps, or just does not keep.
TEST_P(ScheduleBounds, OfHalfScheduledPieces) {
  int compared = 0;
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    const Piece piece = tests::random_piece(seed, options()).piece;
    Rng rng(seed);
    for (int repeat = 0; repeat < 3; ++repeat) {
      State state = tests::random_state(piece, rng);
      // Only where wide tasks are exclusive are some of them ruled out by their order.
      const Mask narrow = GetParam() ? Mask{rng.below(64)} : 0;
      const auto best_of = [&](Mask not_wide) {
        return tests::earliest_end(
            piece, state, [&](const State& at) { return tests::all_steps(piece, at, not_wide); });
      };
      const Time best = best_of(0);
      const Time best_narrow = best_of(narrow);
      Bounds bounds(piece);
      ASSERT_LE(bounds.of(state, 0, kNever), best) << seed;
      ASSERT_LE(bounds.of(state, narrow, kNever), best_narrow) << seed;
      for (const Time more : {Time{1}, best / 10 + 1}) {
        Bounds limited(piece);
        limited.limit_to(best_narrow + more);
        ASSERT_LE(limited.of(state, narrow, best_narrow + more), best_narrow) << seed;
        limited.weigh();
        ASSERT_LE(limited.of(state, narrow, best_narrow + more), best_narrow) << seed;
        RateFinder finder(piece);
        limited.rate(finder, 100);
        ASSERT_LE(limited.of(state, narrow, best_narrow + more), best_narrow) << seed;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 1200);
}

TEST(ScheduleBoundsOfOneState, CountWhatRunsStill) {
  Piece piece;
  piece.cores = {2, 0};
  piece.exclusive_wide = false;
  for (const Time length : {4, 4, 4}) {
    PieceTask task;
    task.one = length;
    task.needs = {true, false};
    piece.tasks.push_back(task);
  }
  Bounds bounds(piece);
  EXPECT_EQ(bounds.root(), 6);  // twelve on two cores
  State state(piece);
  state.add(0, {0, false});
  state.add(1, {4, false});  // nothing ran on the other core until now
  EXPECT_GE(bounds.of(state, 0, kNever), 8);
}

}  // namespace
}  // namespace phaze::schedule
