// Search by windows finds the best schedule, and shows that there is no better one.
#include "schedule/close_in.h"

#include <gtest/gtest.h>

#include "schedule/guided.h"
#include "schedule/narrow_down.h"
#include "schedule/squeeze.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

constexpr std::int64_t kMost = 100'000;
bool never() { return false; }

// By the rule for wide tasks.
class CloseIn : public testing::TestWithParam<bool> {
 protected:
  static tests::PieceCase random_piece(std::uint64_t seed) {
    tests::ScheduleProblemOptions options;
    options.least_tasks = 3;
    options.most_tasks = 6;
    options.most_cores = 3;
    options.exclusive = GetParam();
    options.most_time = Picoseconds(seed % 2 == 0 ? 4 : 100);  // tasks that are alike
    return tests::random_piece(seed, options);
  }
};

INSTANTIATE_TEST_SUITE_P(Rules, CloseIn, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

TEST_P(CloseIn, EqualsTryingEverything) {
  std::size_t branched = 0, open = 0;
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    SCOPED_TRACE(seed);
    const tests::PieceCase made = random_piece(seed);
    const Piece& piece = made.piece;
    const Time best = tests::best_of(piece);
    for (const bool has_twins : {false, true}) {
      const Order order = find_own_order(piece, has_twins);
      for (const Time limit : {best, best + 1, best + best / 3 + 2}) {
        PieceAnswer found;
        found.makespan = kNever;
        const CloseInAnswer answer = close_in(piece, order, {}, {limit, 0, kMost}, found, never);
        branched += answer.work > 1 ? 1 : 0;
        open += answer.is_complete ? 0 : 1;
        if (found.makespan != kNever) {
          ASSERT_EQ(tests::faults_of(made.problem, found.starts, found.makespan), "");
          ASSERT_LT(found.makespan, limit);
          ASSERT_GE(found.makespan, best);
        }
        if (answer.is_complete) {
          ASSERT_EQ(found.makespan, limit > best ? best : kNever) << limit;
        }
      }
    }
  }
  EXPECT_GT(branched, 1'000U);
  EXPECT_LT(open, 20U);  // where nothing is left to choose by
}

// More tasks than can be tried: beside the search without windows.
TEST_P(CloseIn, AgreesWithOtherSearches) {
  std::size_t complete = 0, crowded = 0;
  for (std::uint64_t seed = 1; seed <= 6'000; ++seed) {
    SCOPED_TRACE(seed);
    tests::ScheduleProblemOptions options;
    options.least_tasks = 7;
    options.most_tasks = 13;
    options.most_cores = 2 + seed % 3;
    options.exclusive = GetParam();
    options.most_time = Picoseconds(seed % 4 == 0 ? 100 : 13);
    const tests::PieceCase made = tests::random_piece(seed, options);
    SearchOptions without;
    without.work_limit = 20'000;
    without.windows = false;
    const PieceAnswer other = search(made.piece, without);
    if (other.bound < other.makespan) {
      continue;
    }
    const Time best = other.makespan;
    const Order own = find_own_order(made.piece, false);
    const Order order = find_own_order(made.piece, seed % 2 == 0);
    for (const Time limit : {best + 1, best + 2, best + best / 4 + 2}) {
      Squeezer windows(made.piece, own);
      ASSERT_TRUE(windows.run(limit, {}));
      for (std::size_t i = 0; i < made.piece.tasks.size(); ++i) {
        const Time end = other.starts[i].at + duration(made.piece.tasks[i], other.starts[i].wide);
        ASSERT_GE(other.starts[i].at, windows.first_start(i)) << limit;
        ASSERT_LE(end, windows.last_end(i)) << limit;
      }
      PieceAnswer found;
      found.makespan = kNever;
      const CloseInAnswer answer =
          close_in(made.piece, order, {}, {limit, best, 200}, found, never);
      ASSERT_FALSE(answer.is_complete && found.makespan != best) << limit;
    }
    PieceAnswer none;
    none.makespan = kNever;
    const CloseInAnswer answer = close_in(made.piece, order, {}, {best, 0, 200}, none, never);
    ASSERT_EQ(none.makespan, kNever);
    complete += answer.is_complete ? 1 : 0;
    crowded += answer.work > 10 ? 1 : 0;
  }
  EXPECT_GT(complete, 3'000U);
  EXPECT_GT(crowded, 100U);
}

TEST_P(CloseIn, EndsAtItsGoalAndItsLimitOfWork) {
  std::size_t stopped = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Piece piece = random_piece(seed).piece;
    const Time best = tests::best_of(piece);
    const Order order = find_own_order(piece, true);
    PieceAnswer found;
    found.makespan = kNever;
    close_in(piece, order, {}, {best + best / 3 + 2, best, kMost}, found, never);
    const CloseInAnswer few = close_in(piece, order, {}, {best, 0, 1}, found, never);
    ASSERT_LE(few.work, 1);
    ASSERT_LE(close_in(piece, order, {}, {best, 0, 4}, found, never).work, 5);
    stopped += few.is_complete ? 0 : 1;
    PieceAnswer none;
    none.makespan = kNever;
    const CloseInAnswer cancelled =
        close_in(piece, order, {}, {best + 1, 0, kMost}, none, [] { return true; });
    ASSERT_FALSE(cancelled.is_complete);
  }
  EXPECT_GT(stopped, 3U);
}

TEST_P(CloseIn, NarrowsDownToTheBest) {
  std::size_t closed = 0;
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    SCOPED_TRACE(seed);
    const tests::PieceCase made = random_piece(seed);
    const Time best = tests::best_of(made.piece);
    PieceAnswer found = one_by_one(made.piece);
    const NarrowAnswer answer =
        narrow_down(made.piece, find_own_order(made.piece, true), {0, 0, kMost, {}}, found, never);
    ASSERT_EQ(tests::faults_of(made.problem, found.starts, found.makespan), "");
    ASSERT_GE(found.makespan, best);
    ASSERT_LE(answer.bound, best);
    closed += answer.bound == found.makespan ? 1 : 0;
  }
  EXPECT_GT(closed, 780U);
}

TEST_P(CloseIn, GuidedSchedulesAreSchedules) {
  std::size_t made_some = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const tests::PieceCase made = random_piece(seed);
    const Order order = find_own_order(made.piece, false);
    Squeezer windows(made.piece, order);
    const Time limit = one_by_one(made.piece).makespan + 1;
    ASSERT_TRUE(windows.run(limit, {}));
    for (const Guide guide : {Guide::kEager, Guide::kPatient}) {
      const PieceAnswer found = guided_schedule(made.piece, windows, guide, limit);
      if (found.makespan != kNever) {
        ASSERT_EQ(tests::faults_of(made.problem, found.starts, found.makespan), "");
        ++made_some;
      }
    }
  }
  EXPECT_GT(made_some, 300U);
}

}  // namespace
}  // namespace phaze::schedule
