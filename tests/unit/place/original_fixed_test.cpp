#include "place/original_fixed.h"

#include <gtest/gtest.h>

#include "place/original.h"
#include "support/original_chains.h"

namespace phaze::place {
namespace {

using original::evaluate_fixed;
using plan::FixedStrategy;
using plan::OriginalInstance;
using tests::ends_of;
using tests::original_chain;
using Ends = std::vector<std::size_t>;

TEST(FixedStrategy, TheEmbeddingJoinsTheFirstStage) {
  // A free embedding (-1) and four layers in two stages: 2 x 4 s, not 3 layers in the last.
  OriginalInstance instance = original_chain({{0, 0}, {}, {}, {}, {}}, {}, -1);
  instance.devices = 2;
  const plan::FixedOutcome outcome = evaluate_fixed(instance, {2, 1, 1, 4});
  ASSERT_TRUE(outcome.placement) << outcome.failure;
  EXPECT_EQ(ends_of(*outcome.placement), (Ends{3, 5}));
  EXPECT_EQ(outcome.placement->time, Seconds(8));
}

TEST(FixedStrategy, LayersBeyondTheLastJoinTheLastStage) {
  OriginalInstance instance = original_chain(std::vector<tests::ChainLayer>(6), {}, -1);
  instance.devices = 2;
  const plan::FixedOutcome outcome = evaluate_fixed(instance, {2, 1, 1, 4});
  ASSERT_TRUE(outcome.placement);
  EXPECT_EQ(ends_of(*outcome.placement), (Ends{3, 6}));
}

TEST(FixedStrategy, EmptyStagesDoNotCount) {
  OriginalInstance instance = original_chain(std::vector<tests::ChainLayer>(6));
  instance.devices = 3;
  const plan::FixedOutcome outcome = evaluate_fixed(instance, {5, 1, 1, 6});
  ASSERT_TRUE(outcome.placement) << outcome.failure;
  EXPECT_EQ(ends_of(*outcome.placement), (Ends{2, 4, 6}));
  EXPECT_EQ(outcome.placement->time, Seconds(12));
}

TEST(FixedStrategy, SaysWhyItCannotBe) {
  OriginalInstance instance = original_chain({{1, 1, 10}, {1, 1, 10}});
  instance.memory = plan::RealBytes(25);
  instance.devices = 2;
  instance.microbatches = 2;
  const auto failure = [&](const FixedStrategy& strategy) {
    const plan::FixedOutcome outcome = evaluate_fixed(instance, strategy);
    EXPECT_FALSE(outcome.placement);
    return outcome.failure;
  };
  EXPECT_EQ(failure({1, 1, 1, 2}), "stage 1 of 1 needs 40 B of 25 B of memory");
  EXPECT_EQ(failure({2, 1, 2, 2}), "needs 4 devices of 2");
  EXPECT_EQ(failure({2, 4, 1, 2}), "there are no layers of width 4");
  EXPECT_EQ(failure({1, 1, 3, 2}), "data parallelism of 3 has no more than 2 micro-batches");
  instance.microbatches = 8;
  EXPECT_EQ(failure({1, 1, 3, 2}), "data parallelism of 3 has no more than 2 devices");
  instance.memory = plan::RealBytes(1000);
  std::swap(instance.graphs[0].layers[0].id, instance.graphs[0].layers[1].id);
  EXPECT_EQ(failure({2, 1, 1, 2}),
            "the layers 1 and 0 follow one another, and its stages would not");
}

TEST(FixedStrategy, AFailureLeavesTheOptimum) {
  OriginalInstance instance = original_chain({{1, 1, 10}, {1, 1, 10}});
  instance.memory = plan::RealBytes(25);
  instance.devices = 2;
  instance.fixed = FixedStrategy{1, 1, 1, 2};
  const plan::OriginalAnswer answer = solve_original(instance);
  ASSERT_TRUE(answer.best);
  EXPECT_EQ(answer.best->time, Seconds(4));
  ASSERT_TRUE(answer.fixed);
  EXPECT_FALSE(answer.fixed->placement);
}

}  // namespace
}  // namespace phaze::place
