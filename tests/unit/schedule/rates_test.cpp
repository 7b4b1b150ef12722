// What can run at one moment, the bound that follows from it, and how schedules are split by it.
#include "schedule/rates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/splits.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

// By the rule for wide tasks.
class ScheduleRates : public testing::TestWithParam<bool> {
 protected:
  static Piece piece_of(std::uint64_t seed, std::size_t most) {
    tests::ScheduleProblemOptions small;
    small.least_tasks = 2;
    small.most_tasks = most;
    small.exclusive = GetParam();
    Piece piece = tests::random_piece(seed, small).piece;
    if (seed % 4 == 0) {  // wide, some take no time
      for (std::size_t i = 0; i < piece.tasks.size(); i += 2) {
        piece.tasks[i].all = piece.tasks[i].all == kNever ? kNever : 0;
      }
    }
    return piece;
  }
};

INSTANTIATE_TEST_SUITE_P(Rules, ScheduleRates, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

struct Limited {
  Intervals intervals;
  Windows windows;
};
Limited limited_to(const Piece& piece, Time limit) {
  Limited limited{find_intervals(predecessors(piece)).value(), {}};
  limited.windows = find_windows(piece, limited.intervals, {}, limit);
  return limited;
}

// Whether tasks in these widths have the cores to run at once.
bool has_cores(const Piece& piece, const Moment& moment) {
  std::array<std::int64_t, kKinds> used{};
  std::int64_t wide = 0, on_cores = 0;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    const PieceTask& task = piece.tasks[i];
    if (((moment.one | moment.wide) & bit(i)) == 0) {
      continue;
    }
    const bool is_wide = (moment.wide & bit(i)) != 0;
    wide += is_wide ? 1 : 0;
    on_cores += task.needs[kTensor] || task.needs[kVector] ? 1 : 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      used[kind] += !task.needs[kind] ? 0 : is_wide ? piece.cores[kind] : 1;
    }
  }
  return used[kTensor] <= piece.cores[kTensor] && used[kVector] <= piece.cores[kVector] &&
         (!piece.exclusive_wide || wide == 0 || on_cores == 1);
}

TEST(ScheduleRatesSpent, TellWhatIsMostlyWide) {
  Piece piece;
  piece.tasks = {{.one = 40, .all = 10}, {.one = 40, .all = 10}, {.one = 40, .all = 10}};
  Rates rates;
  rates.spent = {{{bit(1), bit(0)}, 6}, {{bit(0) | bit(2), bit(1)}, 4}, {{0, bit(1)}, 1}};
  EXPECT_TRUE(mostly_wide(piece, rates) == bit(0));
}

TEST_P(ScheduleRates, TheHeaviestMomentIsTheHeaviestOfAll) {
  int several = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Piece piece = piece_of(seed, 7);
    const std::size_t n = piece.tasks.size();
    const Limited limited = limited_to(piece, kNever);
    const Company company = find_company(piece, limited.intervals, limited.windows, kNever);
    Rng rng(seed);
    std::vector<double> one(n), wide(n);
    for (std::size_t i = 0; i < n; ++i) {
      one[i] = rng.uniform();
      wide[i] = rng.uniform();
    }
    double heaviest = 0;
    const Mask all = bit(n) - 1;
    for (Mask ones = 0; ones <= all; ++ones) {
      for (Mask wides = 0; wides <= all; ++wides) {
        const Moment moment{ones, wides};
        if ((ones & wides) != 0 || !fits(company, moment) || !has_cores(piece, moment)) {
          continue;
        }
        double weight = 0;
        for (std::size_t i = 0; i < n; ++i) {
          weight += (ones & bit(i)) != 0 ? one[i] : (wides & bit(i)) != 0 ? wide[i] : 0;
        }
        heaviest = std::max(heaviest, weight);
      }
    }
    HeaviestMoment finder(piece, company);
    const HeaviestMoment::Found found = finder.find(one, wide, 0, 1'000'000);
    EXPECT_NEAR(found.weight, heaviest, 1e-9) << seed;
    EXPECT_GE(found.most, heaviest) << seed;
    EXPECT_TRUE(fits(company, found.moment) && has_cores(piece, found.moment)) << seed;
    several += (found.moment.one & (found.moment.one - 1)) != 0 ? 1 : 0;
    // Stopped early it still says what none exceeds.
    EXPECT_GE(finder.find(one, wide, 0, 2).most, heaviest) << seed;
  }
  EXPECT_GT(several, 50);
}

// For schedules that end before a limit, with all steps or few.
TEST_P(ScheduleRates, TheirSumIsABound) {
  int tight = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Piece piece = piece_of(seed, 6);
    const Time best = tests::best_of(piece);
    const Limited limited = limited_to(piece, best + 1);
    ASSERT_LE(limited.windows.bound, best) << seed;
    const Company company = find_company(piece, limited.intervals, limited.windows, best + 1);
    RateFinder finder(piece);
    for (const int steps : {1, 3, 100, 100}) {  // the last knows moments from before
      const Rates rates = finder.find(company, kNever, steps);
      ASSERT_LE(round_up(rates.sum), best) << seed << " " << steps;
      tight += steps == 100 && round_up(rates.sum) == best ? 1 : 0;
    }
  }
  EXPECT_GT(tight, 150);
}

// Going on from another part is as good as beginning anew.
TEST_P(ScheduleRates, DoNotDependOnWhereTheFinderWas) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Piece piece = piece_of(seed, 14);
    const Limited limited = limited_to(piece, kNever);
    RateFinder warm(piece);
    warm.find(find_company(piece, limited.intervals, limited.windows, kNever), kNever, 400);
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      for (const bool wide : {false, true}) {
        Windows windows = limited.windows;
        if ((windows.widths.one & windows.widths.wide & bit(i)) == 0) {
          continue;
        }
        (wide ? windows.widths.one : windows.widths.wide) &= ~bit(i);
        const Company company = find_company(piece, limited.intervals, windows, kNever);
        const double anew = RateFinder(piece).find(company, kNever, 400).sum;
        const auto margin = static_cast<Time>(1e-6 * anew) + 2;
        ASSERT_FALSE(warm.reaches(company, round_up(anew) + margin, 400)) << seed;
        ASSERT_TRUE(warm.reaches(company, round_up(anew) - margin, 400)) << seed;
        ++tried;
        ASSERT_NEAR(warm.find(company, kNever, 400).sum, anew, 1e-5 * anew) << seed;
      }
    }
  }
  EXPECT_GT(tried, 500);
}

// However much faster tasks are wide.
TEST(ScheduleRatesAnew, WhereWhatIsNotAllowedIsMuchFaster) {
  Piece piece{{2, 1}, true, {}};
  for (const Time one : {10'000'000, 9'000'000, 9'000'000}) {
    PieceTask task;
    task.one = one;
    task.all = 100;
    task.needs = {true, false};
    piece.tasks.push_back(task);
  }
  const Limited limited = limited_to(piece, kNever);
  RateFinder finder(piece);
  EXPECT_NEAR(
      finder.find(find_company(piece, limited.intervals, limited.windows, kNever), kNever, 400).sum,
      300, 1);
  Windows windows = limited.windows;
  windows.widths.wide = 0;
  const Company company = find_company(piece, limited.intervals, windows, kNever);
  EXPECT_TRUE(finder.reaches(company, 13'990'000, 400));
  EXPECT_FALSE(finder.reaches(company, 14'010'000, 400));
  EXPECT_NEAR(finder.find(company, kNever, 400).sum, 14e6, 1e3);
}

// By an order or by a width that is open, and each half has what the other has not.
TEST_P(ScheduleRates, SplitsSayTheOppositeInTheirHalves) {
  int by_width = 0, by_order = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Piece piece = piece_of(seed, 12);
    const Limited limited = limited_to(piece, kNever);
    const Company company = find_company(piece, limited.intervals, limited.windows, kNever);
    RateFinder finder(piece);
    const Rates rates = finder.find(company, kNever, 200);
    Part all = whole(piece, 0);
    all.widths = limited.windows.widths;
    const auto halves = split(piece, limited.intervals, all.widths, rates, all);
    if (!halves) {
      continue;
    }
    const auto& [first, second] = *halves;
    if (first.before == second.before) {
      ++by_width;
      const Mask one = first.widths.one ^ second.widths.one;
      EXPECT_EQ(one, first.widths.wide ^ second.widths.wide) << seed;
      EXPECT_TRUE(one != 0 && (one & (one - 1)) == 0) << seed;
      EXPECT_EQ(first.widths.one | second.widths.one, all.widths.one) << seed;
      EXPECT_EQ(first.widths.wide | second.widths.wide, all.widths.wide) << seed;
    } else {
      ++by_order;
      EXPECT_TRUE(first.widths == second.widths) << seed;
      for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
        for (std::size_t j = 0; j < piece.tasks.size(); ++j) {
          const bool here = (first.before[i] & ~all.before[i] & bit(j)) != 0;
          const bool there = (second.before[j] & ~all.before[j] & bit(i)) != 0;
          EXPECT_EQ(here, there) << seed;
          EXPECT_TRUE(!here || exclude_each_other(piece, all.widths, i, j)) << seed;
        }
      }
    }
  }
  EXPECT_GT(by_width, 100);
  EXPECT_GT(by_order, 0);
}

}  // namespace
}  // namespace phaze::schedule
