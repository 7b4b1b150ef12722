// Widths that are left out are in no schedule before the limit.
#include "schedule/shave.h"

#include <gtest/gtest.h>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

// The earliest end of all schedules in widths of a part.
Time best_of(const Piece& piece, const Widths& widths) {
  return tests::best_of(piece, [&](const State&, const tests::Step& step) {
    return ((step.wide ? widths.wide : widths.one) & bit(step.task)) != 0;
  });
}

constexpr std::int64_t kMost = 1'000;
bool never() { return false; }

// By the rule for wide tasks.
class Shave : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Rules, Shave, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

TEST_P(Shave, KeepsTheBestSchedule) {
  std::int64_t tried = 0;
  std::size_t left_out = 0, proved = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    tests::ScheduleProblemOptions options;
    options.least_tasks = 3;
    options.most_tasks = 6;
    options.exclusive = GetParam();
    const Piece piece = tests::random_piece(seed, options).piece;
    const Time best = best_of(piece, {});
    // One finder for all limits, as in a search: it goes on from where it was.
    RateFinder finder(piece);
    Part part = whole(piece, 0);
    Bounds bounds(piece);
    for (const Time limit : {best + best / 4 + 2, best + 2, best + 1}) {
      tried += shave(piece, limit, kMost, finder, bounds, part, never);
      ASSERT_EQ(best_of(piece, part.widths), best) << limit;
      ASSERT_LE(bounds.root(), best) << limit;
    }
    left_out += count(all_of(piece) & ~(part.widths.one & part.widths.wide));
    // Now for something better, which there is not.
    bounds.limit_to(best);
    bounds.rate(finder, kMostRateSteps);
    const bool is_clear = bounds.root() == best;
    shave(piece, best, kMost, finder, bounds, part, never);
    ASSERT_LE(bounds.root(), best);
    proved += !is_clear && bounds.root() == best ? 1 : 0;
  }
  EXPECT_GT(tried, 1000);
  EXPECT_GT(left_out, 600U);
  EXPECT_GT(proved, 5U);  // that one bound does not show
}

}  // namespace
}  // namespace phaze::schedule
