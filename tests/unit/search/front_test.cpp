// Fronts of random candidates against comparing all with all.
#include "search/front.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace phaze::search {
namespace {

TEST(Front, EqualsComparingAllWithAll) {
  std::size_t excluded = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    const std::size_t count = rng.below(80), objectives = 1 + rng.below(3);
    FrontProblem problem;
    std::vector<double> values, bounds;
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<double>(rng.below(30)));
      bounds.push_back(values.back() * (1 + rng.uniform()));
      std::vector<double>& prices = problem.prices.emplace_back();
      std::vector<double>& point = points.emplace_back();
      for (std::size_t k = 0; k < objectives; ++k) {
        prices.push_back(k == 0 ? 1 : 1 + static_cast<double>(rng.below(9)));
        point.push_back(values.back() / prices.back());
      }
    }
    problem.bound = [&](std::size_t i) { return bounds[i]; };
    problem.evaluate = [&](std::size_t i, double enough) {
      return values[i] >= enough ? Worth{values[i], true, values[i], {}}
                                 : Worth{std::min(bounds[i], enough), false, 0, {}};
    };
    std::vector<std::vector<double>> expected;
    for (std::size_t i = 0; i < count; ++i) {
      bool is_beaten = values[i] <= 0;
      for (std::size_t j = 0; j < count && !is_beaten; ++j) {
        bool is_as_good = true;
        for (std::size_t k = 0; k < objectives; ++k) {
          is_as_good = is_as_good && points[j][k] >= points[i][k];
        }
        is_beaten = is_as_good && points[j] != points[i];
      }
      if (!is_beaten && std::ranges::find(expected, points[i]) == expected.end()) {
        expected.push_back(points[i]);
      }
    }
    const FrontAnswer answer = find_front(problem);
    std::vector<std::vector<double>> found;
    for (const FrontPoint& point : answer.points) {
      EXPECT_EQ(point.objectives, points[point.candidate]);
      found.push_back(point.objectives);
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    ASSERT_EQ(found, expected) << seed;
    ASSERT_EQ(answer.evaluated + answer.excluded, count);
    excluded += answer.excluded;
  }
  EXPECT_GT(excluded, 10'000U);
}

}  // namespace
}  // namespace phaze::search
