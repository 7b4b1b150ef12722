// Sets of points against looking at every point, on random grids whose amounts grow along axes.
#include "search/set_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/rng.h"

namespace phaze::search {
namespace {

// Amounts: a product over axes of a value at each position, that of growing axes not falling; few
// different values, so that there are ties.
struct Case {
  SetSearchProblem problem;
  std::vector<std::vector<double>> factors;

  double amount(std::int64_t index) const {
    const std::vector<std::int64_t> at = problem.grid.positions(index);
    double product = 1;
    for (std::size_t a = 0; a < at.size(); ++a) {
      product *= factors[a][static_cast<std::size_t>(at[a])];
    }
    return product;
  }
};

Case random_case(Rng& rng, bool has_prices) {
  Case made;
  Grid& grid = made.problem.grid;
  std::int64_t all = 1;
  for (int axis = 0; axis < 4; ++axis) {
    grid.sizes.push_back(1 + static_cast<std::int64_t>(rng.below(4)));
    grid.grows.push_back(rng.below(4) > 0);
    all *= grid.sizes.back();
    std::vector<double>& factors = made.factors.emplace_back();
    for (std::int64_t i = 0; i < grid.sizes.back(); ++i) {
      factors.push_back(static_cast<double>(rng.below(4)) + (axis == 0 ? 0 : 1));
    }
    if (grid.grows.back()) {
      std::ranges::sort(factors);
    }
  }
  for (std::int64_t index = 0; index < all; ++index) {
    if (rng.below(3) > 0 || (index == 0 && all == 1)) {
      made.problem.points.push_back(index);
      if (has_prices) {
        made.problem.prices.push_back(1 + static_cast<double>(rng.below(3)));
      }
    }
  }
  return made;
}

double price_of(const Case& made, std::int64_t index) {
  const auto place = std::ranges::lower_bound(made.problem.points, index);
  return made.problem.prices.empty()
             ? 1
             : made.problem.prices[static_cast<std::size_t>(place - made.problem.points.begin())];
}

std::vector<double> rank_of(std::int64_t index) { return {static_cast<double>((index * 7) % 5)}; }

SetSearchAnswer solve(const Case& made, const SetSearchOptions& options,
                      std::atomic<int>* evaluated = nullptr) {
  SetSearchProblem problem = made.problem;
  problem.bound = [&](std::int64_t index) { return 3 * made.amount(index); };
  problem.most = [&](std::int64_t index, double enough) {
    const double amount = made.amount(index);
    return amount < enough ? std::min(enough * 0.999, 2 * amount) : amount;
  };
  problem.evaluate = [&, evaluated](std::int64_t index, double enough) {
    if (evaluated != nullptr) {
      ++*evaluated;
    }
    const double value = made.amount(index) / price_of(made, index);
    Worth worth;
    worth.is_exact = value >= enough;
    worth.value = worth.most = worth.is_exact ? value : enough * 0.999;
    worth.rank = rank_of(index);
    return worth;
  };
  return set_search(problem, options);
}

TEST(SetSearch, FindsTheBestPointWithTiesAndBoundsEveryOther) {
  Rng rng(7);
  int with_best = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Case made = random_case(rng, trial % 2 == 1);
    std::optional<std::int64_t> best;
    const auto value = [&](std::int64_t index) {
      return made.amount(index) / price_of(made, index);
    };
    for (const std::int64_t index : made.problem.points) {
      const bool is_better =
          best && (value(index) != value(*best) ? value(index) > value(*best)
                                                : rank_of(index) < rank_of(*best));
      if (value(index) > 0 && (!best || is_better)) {
        best = index;
      }
    }
    with_best += best ? 1 : 0;
    for (const bool use_bounds : {false, true}) {
      SetSearchOptions options;
      options.use_bounds = use_bounds;
      const SetSearchAnswer answer = solve(made, options);
      ASSERT_EQ(answer.best.has_value(), best.has_value());
      ASSERT_TRUE(answer.is_complete);
      if (best) {
        EXPECT_EQ(answer.outcomes[*answer.best].index, *best);
        EXPECT_EQ(answer.bound, value(*best));
      }
      // Every point is there, and its bound holds.
      std::vector<std::int64_t> seen;
      for (const PointOutcome& outcome : answer.outcomes) {
        seen.push_back(outcome.index);
        EXPECT_GE(outcome.most, value(outcome.index));
      }
      for (const ExcludedSet& set : answer.excluded) {
        for (std::size_t i = set.begin; i < set.end; ++i) {
          seen.push_back(answer.order[i]);
          EXPECT_GE(set.bound, value(answer.order[i]));
          EXPECT_GE(made.amount(set.top), made.amount(answer.order[i]));
        }
      }
      std::ranges::sort(seen);
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      EXPECT_EQ(seen, made.problem.points);
      if (!use_bounds) {
        EXPECT_EQ(answer.outcomes.size(), made.problem.points.size());
      }
      // Without ties only the value is sure.
      options.looks_at_ties = false;
      const SetSearchAnswer any = solve(made, options);
      if (best) {
        EXPECT_EQ(any.outcomes[*any.best].value, value(*best));
      }
    }
  }
  EXPECT_GT(with_best, 300);
}

TEST(SetSearch, IsTheSameWithOneThreadAndTwo) {
  Rng rng(11);
  for (int trial = 0; trial < 50; ++trial) {
    const Case made = random_case(rng, trial % 2 == 1);
    std::vector<SetSearchAnswer> answers;
    for (const int threads : {1, 2}) {
      tbb::task_arena arena(threads);
      arena.execute([&] { answers.push_back(solve(made, {})); });
    }
    EXPECT_EQ(answers[0].best, answers[1].best);
    EXPECT_EQ(answers[0].tops, answers[1].tops);
    EXPECT_EQ(answers[0].order, answers[1].order);
    EXPECT_EQ(answers[0].outcomes.size(), answers[1].outcomes.size());
    EXPECT_EQ(answers[0].excluded.size(), answers[1].excluded.size());
  }
}

TEST(SetSearch, LooksAtFewPointsWhereMoreIsBetter) {
  Case made;
  made.problem.grid = {{8, 8, 8, 8}, {true, true, true, true}};
  made.factors.assign(4, {1, 2, 3, 4, 5, 6, 7, 8});
  for (std::int64_t index = 0; index < 8 * 8 * 8 * 8; ++index) {
    const std::vector<std::int64_t> at = made.problem.grid.positions(index);
    if (at[0] + at[1] + at[2] + at[3] <= 14) {
      made.problem.points.push_back(index);
    }
  }
  std::atomic<int> evaluated = 0;
  const SetSearchAnswer answer = solve(made, {}, &evaluated);
  EXPECT_EQ(answer.bound, 4.0 * 4 * 5 * 5);
  EXPECT_LT(evaluated, static_cast<int>(made.problem.points.size() / 10));
}

TEST(SetSearch, StoppedInTheMiddleItsBoundHolds) {
  Rng rng(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Case made = random_case(rng, false);
    const double best = solve(made, {}).bound;
    SetSearchOptions options;
    int calls = 0;
    options.is_cancelled = [&](std::int64_t, double, double) { return ++calls > 1; };
    EXPECT_GE(solve(made, options).bound, best);
  }
}

}  // namespace
}  // namespace phaze::search
