// Random chips whose values never fall with what they have more of, against looking at all of them.
#include "search/co_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <numeric>

#include "base/rng.h"

namespace phaze::search {
namespace {

struct Case {
  CoSearchProblem problem;
  std::vector<double> values;
  std::vector<std::vector<double>> ranks;
};

// Few different values, so that there are ties; bounds that are sometimes the values themselves.
Case random_case(std::uint64_t seed) {
  Rng rng(seed);
  Case made;
  const std::size_t chips = 1 + rng.below(60);
  std::vector<std::array<double, 3>> steps(3);  // by group: what an amount adds
  for (auto& each : steps) {
    for (double& step : each) {
      step = static_cast<double>(rng.below(3));
    }
  }
  for (std::size_t i = 0; i < chips; ++i) {
    ChipPlace place;
    place.group = static_cast<std::int64_t>(rng.below(3));
    double value = static_cast<double>(place.group);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place.amounts.push_back(static_cast<std::int64_t>(rng.below(4)));
      value += steps[static_cast<std::size_t>(place.group)][axis] *
               static_cast<double>(std::min<std::int64_t>(place.amounts.back(), 2));
    }
    made.problem.chips.push_back(place);
    made.values.push_back(rng.below(6) == 0 && value < 3 ? 0 : value);
    made.ranks.push_back({static_cast<double>(rng.below(3)), static_cast<double>(rng.below(3))});
  }
  // A chip that is worth nothing must not lie above one that is worth something.
  for (std::size_t i = 0; i < chips; ++i) {
    for (std::size_t j = 0; j < chips; ++j) {
      const ChipPlace &a = made.problem.chips[i], &b = made.problem.chips[j];
      const bool is_above = a.group == b.group && a.amounts[0] >= b.amounts[0] &&
                            a.amounts[1] >= b.amounts[1] && a.amounts[2] >= b.amounts[2];
      made.values[i] = is_above ? std::max(made.values[i], made.values[j]) : made.values[i];
    }
  }
  std::vector<double> bounds;
  for (const double value : made.values) {
    bounds.push_back(value + static_cast<double>(rng.below(3)));
  }
  made.problem.bound = [bounds](std::size_t chip) { return bounds[chip]; };
  made.problem.evaluate = [values = made.values, ranks = made.ranks, bounds](std::size_t chip,
                                                                             double enough) {
    if (values[chip] >= enough) {
      return Worth{values[chip], true, values[chip], ranks[chip]};
    }
    return Worth{std::min(bounds[chip], enough - 0.5), false, 0, {}};
  };
  return made;
}

std::optional<std::size_t> best_of(const Case& made) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    const bool is_better =
        made.values[i] > 0 &&
        (!best || made.values[i] > made.values[*best] ||
         (made.values[i] == made.values[*best] && made.ranks[i] < made.ranks[*best]));
    best = is_better ? i : best;
  }
  return best;
}

TEST(CoSearch, FindsTheBestWithAndWithoutItsRules) {
  std::size_t left_out = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Case made = random_case(seed);
    const std::optional<std::size_t> best = best_of(made);
    for (const bool use_dominance : {false, true}) {
      for (const bool use_bounds : {false, true}) {
        CoSearchOptions options;
        options.use_dominance = use_dominance;
        options.use_bounds = use_bounds;
        const CoSearchAnswer answer = co_search(made.problem, options);
        ASSERT_EQ(answer.best, best) << seed << use_dominance << use_bounds;
        ASSERT_TRUE(answer.is_complete);
        ASSERT_EQ(answer.bound, best ? made.values[*best] : 0) << seed;
        ASSERT_EQ(answer.evaluated + answer.excluded + answer.dominated, made.values.size());
        for (std::size_t i = 0; i < made.values.size(); ++i) {
          const ChipOutcome& outcome = answer.outcomes[i];
          ASSERT_GE(outcome.value, made.values[i]) << seed << " " << i;
          if (outcome.state == ChipState::kEvaluated) {
            ASSERT_EQ(outcome.value, made.values[i]) << seed << " " << i;
          }
        }
        left_out += made.values.size() - answer.evaluated;
      }
    }
  }
  EXPECT_GT(left_out, 10'000U);  // the rules are of some use
}

// Close bounds leave out more and change no answer; a chip whose first bound is below the best gets
// none.
TEST(CoSearch, CloseBoundsChangeNoAnswer) {
  std::size_t evaluated = 0, evaluated_with = 0, asked = 0, open = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Case made = random_case(seed);
    const std::optional<std::size_t> best = best_of(made);
    const double highest = best ? made.values[*best] : 0;
    for (const bool use_dominance : {false, true}) {
      CoSearchOptions options;
      options.use_dominance = use_dominance;
      made.problem.close_bound = nullptr;
      evaluated += co_search(made.problem, options).evaluated;
      std::atomic<std::size_t> calls = 0;
      made.problem.close_bound = [&](std::size_t chip) {
        ++calls;
        const double half = (made.problem.bound(chip) - made.values[chip]) / 2;
        return made.values[chip] + (chip % 3 == 0 ? half : 0);
      };
      const CoSearchAnswer answer = co_search(made.problem, options);
      ASSERT_EQ(answer.best, best) << seed;
      ASSERT_EQ(answer.bound, highest) << seed;
      ASSERT_EQ(answer.evaluated + answer.excluded + answer.dominated, made.values.size());
      for (std::size_t i = 0; i < made.values.size(); ++i) {
        ASSERT_GE(answer.outcomes[i].value, made.values[i]) << seed << " " << i;
      }
      evaluated_with += answer.evaluated;
      asked += calls;
      open += made.values.size();
      options.use_bounds = false;
      calls = 0;
      ASSERT_EQ(co_search(made.problem, options).best, best) << seed;
      ASSERT_EQ(calls, 0U);
    }
  }
  EXPECT_LT(evaluated_with, evaluated);
  EXPECT_GT(asked, 0U);
  EXPECT_LT(asked, open);
}

// Dominators that are given are those that are used.
TEST(CoSearch, DominatorsCanBeFoundBefore) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Case made = random_case(seed);
    const CoSearchAnswer found = co_search(made.problem);
    made.problem.dominators = find_dominators(made.problem.chips);
    const CoSearchAnswer given = co_search(made.problem);
    ASSERT_EQ(found.best, given.best);
    ASSERT_EQ(found.dominated, given.dominated);
    ASSERT_EQ(found.evaluated, given.evaluated);
  }
}

TEST(CoSearch, DoesNotDependOnThreads) {
  for (std::uint64_t seed = 5000; seed < 5200; ++seed) {
    const Case made = random_case(seed);
    std::vector<CoSearchAnswer> answers;
    for (const int threads : {1, 2, 4}) {
      tbb::task_arena arena(threads);
      arena.execute([&] { answers.push_back(co_search(made.problem)); });
    }
    for (const CoSearchAnswer& answer : answers) {
      ASSERT_EQ(answer.best, answers.front().best);
      ASSERT_EQ(answer.evaluated, answers.front().evaluated);
      ASSERT_EQ(answer.excluded, answers.front().excluded);
    }
  }
}

TEST(CoSearch, StopsWhenToldWithABoundThatHolds) {
  for (std::uint64_t seed = 6000; seed < 6300; ++seed) {
    const Case made = random_case(seed);
    const std::optional<std::size_t> best = best_of(made);
    CoSearchOptions options;
    int calls = 0;
    options.is_cancelled = [&calls](std::size_t, double, double) { return ++calls > 1; };
    const CoSearchAnswer answer = co_search(made.problem, options);
    ASSERT_GE(answer.bound, best ? made.values[*best] : 0) << seed;
    if (answer.is_complete) {
      ASSERT_EQ(answer.best, best) << seed;
    }
  }
}

}  // namespace
}  // namespace phaze::search
