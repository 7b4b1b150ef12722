// Two parts have all schedules between them.
#include "schedule/splits.h"

#include <gtest/gtest.h>

#include "schedule/bounds.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

// The earliest end of all schedules of a part.
Time best_of(const Piece& piece, const Part& part) {
  return tests::best_of(piece, [&](const State& at, const tests::Step& step) {
    return ((step.wide ? part.widths.wide : part.widths.one) & bit(step.task)) != 0 &&
           (part.before[step.task] & ~at.scheduled()) == 0;
  });
}

// By the rule for wide tasks.
class Splits : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Rules, Splits, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

TEST_P(Splits, LoseNoScheduleAndBeginWithTheNetwork) {
  int by_network = 0, by_others = 0;
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    SCOPED_TRACE(seed);
    tests::ScheduleProblemOptions options;
    options.least_tasks = 3;
    options.most_tasks = 6;
    options.exclusive = GetParam();
    const Piece piece = tests::random_piece(seed, options).piece;
    Part part = whole(piece, 0);
    const Time best = best_of(piece, part);
    Bounds bounds(piece);
    RateFinder finder(piece);
    // Down to the last part, always into the one with the best schedule.
    for (int depth = 0; depth < 20; ++depth) {
      bounds.limit_to(2 * best + 1, part);
      bounds.rate(finder, kMostRateSteps);
      const bool is_by_network = has_open_network(piece, bounds.intervals());
      const auto halves = split(piece, bounds.intervals(), bounds.widths(), bounds.rates(), part);
      ASSERT_TRUE(halves || !is_by_network);
      if (!halves) {
        break;
      }
      const Time first = best_of(piece, halves->first), second = best_of(piece, halves->second);
      ASSERT_EQ(std::min(first, second), best);
      const bool is_order = halves->first.before != part.before;
      ASSERT_TRUE(is_order || !is_by_network);
      for (std::size_t i = 0; i < piece.tasks.size() && is_by_network; ++i) {
        ASSERT_TRUE(halves->first.before[i] == part.before[i] || piece.tasks[i].is_network);
        ASSERT_TRUE(halves->second.before[i] == part.before[i] || piece.tasks[i].is_network);
      }
      (is_by_network ? by_network : by_others) += 1;
      part = first == best ? halves->first : halves->second;
    }
  }
  EXPECT_EQ(by_network > 20, GetParam());  // where wide tasks share, by what is most contradicted
  EXPECT_GT(by_others, 200);
}

}  // namespace
}  // namespace phaze::schedule
