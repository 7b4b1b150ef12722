#include "trust/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace phaze::trust {
namespace {

TEST(Statistics, QuantilesLieBetweenRanks) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.9), 19);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.9), 0);
}

TEST(Statistics, SummariseErrors) {
  // Errors +10 %, -20 %, 0.
  const plan::ErrorSummary s = summarise({10, 10, 10}, {11, 8, 10});
  EXPECT_EQ(s.count, 3U);
  EXPECT_NEAR(s.mean, 0.1, 1e-12);
  EXPECT_NEAR(s.median, 0.1, 1e-12);
  EXPECT_NEAR(s.worst, 0.2, 1e-12);
  EXPECT_NEAR(s.bias, -0.1 / 3, 1e-12);
  EXPECT_FALSE(s.rank_correlation);  // all measured are equal
}

TEST(Statistics, RankCorrelationIsSpearmans) {
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 3}, {10, 200, 3000}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  // By hand: ranks 0 1 2 3 against 1 0 2 3; 1 - 6 (1 + 1) / (4 x 15) = 0.8.
  EXPECT_DOUBLE_EQ(*rank_correlation({1, 2, 3, 4}, {2, 1, 3, 4}), 0.8);
  // Equal values share their ranks: 0.5 0.5 2 against 0 1 2.
  EXPECT_NEAR(*rank_correlation({1, 1, 2}, {1, 2, 3}), 1.5 / std::sqrt(1.5 * 2), 1e-12);
  EXPECT_FALSE(rank_correlation({1, 2}, {1, 2}));
  EXPECT_FALSE(rank_correlation({1, 1, 1}, {1, 2, 3}));
}

}  // namespace
}  // namespace phaze::trust
