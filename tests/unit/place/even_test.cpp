// Even stages, by hand: an embedding, layers, a head.
#include "place/even.h"

#include <gtest/gtest.h>

#include "support/plan_costs.h"

namespace phaze::place {
namespace {

using plan::Recompute;

tests::MadeUpLayer layer_of(std::int64_t repeat, double forward_s) {
  tests::MadeUpLayer layer;
  layer.repeat = repeat;
  layer.parameters = 10;
  layer.forward_s = forward_s;
  layer.backward_s = 2 * forward_s;
  layer.ways[0] = tests::MadeUpLayer::Way{0, 100};
  layer.ways[2] = tests::MadeUpLayer::Way{forward_s, 10};
  return layer;
}

class Even : public ::testing::Test {
 protected:
  void SetUp() override {
    model_.layers = {layer_of(1, 0.5), layer_of(7, 1), layer_of(1, 4)};
    problem_.devices = 4;
    problem_.global_batch = 6;
    problem_.capacity = Bytes(100'000);
    strategy_.pipeline = 3;
  }

  tests::MadeUpModel model_;
  tests::MadeUpNetwork network_;
  PlanProblem problem_;
  plan::Strategy strategy_;
};

TEST_F(Even, TheFirstStagesGetOneMoreAndTheEndsTheirSingleLayers) {
  tests::MadeUpCosts costs(model_, network_);
  problem_.limits.recompute = {Recompute::kNone};
  const auto plan = price_evenly(problem_, costs, strategy_);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->stages.size(), 3U);
  EXPECT_DOUBLE_EQ(plan->stages[0].forward.value(), 0.5 + 3);
  EXPECT_DOUBLE_EQ(plan->stages[1].forward.value(), 2);
  EXPECT_DOUBLE_EQ(plan->stages[2].forward.value(), 2 + 4);
}

TEST_F(Even, AllStagesRecomputeInTheLastWayThatIsOffered) {
  tests::MadeUpCosts costs(model_, network_);
  const auto plan = price_evenly(problem_, costs, strategy_);
  ASSERT_TRUE(plan);
  for (const plan::PlanStage& stage : plan->stages) {
    EXPECT_EQ(stage.recompute, Recompute::kFull);
  }
}

TEST_F(Even, IsPricedWhereItDoesNotFit) {
  problem_.capacity = Bytes(1);
  tests::MadeUpCosts costs(model_, network_);
  const auto plan = price_evenly(problem_, costs, strategy_);
  ASSERT_TRUE(plan);
  EXPECT_FALSE(plan->fits);
}

TEST_F(Even, NeedsALayerForEachStage) {
  strategy_.pipeline = 8;
  tests::MadeUpCosts costs(model_, network_);
  EXPECT_FALSE(price_evenly(problem_, costs, strategy_));
}

// Two chunks of each of three stages: seven layers are two and five times one.
TEST_F(Even, ChunksGoRound) {
  strategy_.interleave = 2;
  strategy_.schedule = plan::PipelineSchedule::kInterleaved;
  problem_.limits.recompute = {Recompute::kNone};
  tests::MadeUpCosts costs(model_, network_);
  const auto plan = price_evenly(problem_, costs, strategy_);
  ASSERT_TRUE(plan);
  EXPECT_DOUBLE_EQ(plan->stages[0].forward.value(), 0.5 + 2 + 1);
  EXPECT_DOUBLE_EQ(plan->stages[1].forward.value(), 2);
  EXPECT_DOUBLE_EQ(plan->stages[2].forward.value(), 2 + 4);
}

// Gradients are added up where there are several micro-batches.
TEST_F(Even, OneMicrobatchAddsNothingUp) {
  model_.layers[1].accumulation_s = 0.25;
  problem_.limits.recompute = {Recompute::kNone};
  tests::MadeUpCosts costs(model_, network_);
  const auto several = price_evenly(problem_, costs, strategy_);
  problem_.global_batch = 1;
  const auto one = price_evenly(problem_, costs, strategy_);
  ASSERT_TRUE(several && one);
  EXPECT_DOUBLE_EQ(several->stages[1].backward.value(), 2 * (2 + 0.25));
  EXPECT_DOUBLE_EQ(one->stages[1].backward.value(), 2 * 2);
}

}  // namespace
}  // namespace phaze::place
