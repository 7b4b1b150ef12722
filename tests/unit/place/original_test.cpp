#include "place/original.h"

#include <gtest/gtest.h>

#include "support/original_chains.h"
#include "verify/original_placement.h"

namespace phaze::place {
namespace {

using plan::OriginalAnswer;
using plan::OriginalInstance;
using tests::ends_of;
using tests::original_chain;
using Ends = std::vector<std::size_t>;

OriginalAnswer solve(const OriginalInstance& instance) {
  OriginalAnswer answer = solve_original(instance);
  EXPECT_EQ(verify::find_faults(instance, answer), std::vector<std::string>{});
  return answer;
}

TEST(OriginalPlacement, OneLayerOnOneDevice) {
  OriginalInstance instance = original_chain({{2, 3}});
  instance.microbatches = 4;
  const OriginalAnswer answer = solve(instance);
  ASSERT_TRUE(answer.best);
  EXPECT_EQ(answer.best->time, Seconds(20));
  EXPECT_EQ(ends_of(*answer.best), Ends{1});
  EXPECT_EQ(answer.best->data_parallel, 1);
  EXPECT_FALSE(answer.fixed);
}

TEST(OriginalPlacement, LoadsAreNotMonotoneInLayers) {
  // Stages filled from the end as far as a load of 3 allows, {1, 2} and {0}, leave {0} at 3.1:
  // the transfer makes the shorter stage the slower one.
  OriginalInstance instance = original_chain({{2.2, 0}, {0.1, 0}, {1.9, 0}}, {0.9, 0});
  instance.devices = 2;
  instance.microbatches = 1000;
  instance.memory = plan::RealBytes(1e12);
  instance.graphs[0].layers[0].parameters = plan::RealBytes(1e9);  // no copies
  const OriginalAnswer answer = solve(instance);
  EXPECT_EQ(ends_of(*answer.best), (Ends{2, 3}));
  EXPECT_DOUBLE_EQ(answer.best->slowest.value(), 2.3000000000000003);
}

TEST(OriginalPlacement, ATransferMayBeHiddenByTheForwardPassThatRunsAgain) {
  // Stage 1: forward 2, then the longer of 2 (again) and the transfer, then backward 1.
  OriginalInstance instance = original_chain({{2, 1, 5, 5}, {2, 1, 5, 5}}, {3});
  instance.devices = 2;
  instance.recompute = true;
  instance.memory = plan::RealBytes(18);  // 2 P + A + the edge of one more micro-batch
  const OriginalAnswer answer = solve(instance);
  ASSERT_EQ(ends_of(*answer.best), (Ends{1, 2}));
  EXPECT_EQ(answer.best->stages[0].load, Seconds(2 + 3 + 1));
  EXPECT_EQ(answer.best->stages[0].compute, Seconds(2 + 2 + 1));
  EXPECT_EQ(answer.best->stages[0].memory, plan::RealBytes(15));
  EXPECT_EQ(answer.best->stages[1].load, Seconds(3 + 2 + 1));
  EXPECT_EQ(answer.best->stages[1].memory, plan::RealBytes(15));
}

TEST(OriginalPlacement, AdamKeepsTheParametersOnceMore) {
  OriginalInstance instance = original_chain({{1, 1, 10, 1}});
  instance.memory = plan::RealBytes(31);
  instance.optimizer = plan::OriginalOptimizer::kAdam;
  EXPECT_EQ(solve(instance).best->stages[0].memory, plan::RealBytes(31));
  instance.memory = plan::RealBytes(30.9);
  EXPECT_FALSE(solve(instance).best);
}

TEST(OriginalPlacement, GradientsOfTheFirstStageCount) {
  OriginalInstance instance = original_chain({{1, 1, 0}, {1, 1, 1000}});
  instance.devices = 4;
  instance.microbatches = 4;
  EXPECT_EQ(solve(instance).best->time, Seconds(6));
  std::swap(instance.graphs[0].layers[0].parameters, instance.graphs[0].layers[1].parameters);
  EXPECT_EQ(solve(instance).best->time, Seconds(10));
}

TEST(OriginalPlacement, FillAndDrainAtTheSlowestStage) {
  OriginalInstance instance = original_chain({{9, 9, 6}, {1, 1, 6}});
  instance.devices = 2;
  instance.memory = plan::RealBytes(13);
  EXPECT_EQ(solve(instance).best->time, Seconds(36));
}

TEST(OriginalPlacement, InfeasibleIsNoTime) {
  // Four stages would have to keep up to four micro-batches' activations, though there is but one.
  OriginalInstance instance =
      original_chain({{1, 1, 1, 4}, {1, 1, 1, 4}, {1, 1, 1, 4}, {1, 1, 1, 4}});
  instance.devices = 4;
  instance.memory = plan::RealBytes(10);
  const OriginalAnswer answer = solve(instance);
  EXPECT_FALSE(answer.best);
  EXPECT_EQ(answer.widths, (std::vector<plan::OriginalWidthTime>{{1, std::nullopt}}));
  // Nor does a stage fit that is wider than there are devices.
  OriginalInstance wide = original_chain({{1, 1, 0, 0, true}}, {}, 0, 8);
  wide.devices = 7;
  EXPECT_FALSE(solve(wide).best);
  wide.devices = 8;
  EXPECT_TRUE(solve(wide).best);
}

TEST(OriginalPlacement, StagesWithoutATensorParallelLayerTakeOneDevice) {
  // A narrow layer before and after two wide ones: 1 + 4 + 1 devices in three stages.
  OriginalInstance instance =
      original_chain({{4, 4, 9}, {2, 2, 0, 0, true}, {2, 2, 0, 0, true}, {4, 4}}, {}, 0, 4);
  instance.devices = 6;
  instance.microbatches = 100;
  const OriginalAnswer answer = solve(instance);
  ASSERT_EQ(ends_of(*answer.best), (Ends{1, 3, 4}));
  EXPECT_EQ(answer.best->stages[0].devices, 1);
  EXPECT_EQ(answer.best->stages[1].devices, 4);
  EXPECT_EQ(answer.best->stages[2].devices, 1);
  instance.devices = 5;
  EXPECT_EQ(solve(instance).best->stages.size(), 2U);
}

TEST(OriginalPlacement, EdgesMaySkipLayers) {
  // What the last layer reads of the first crosses both cuts; the longer transfer counts, and
  // recomputation keeps both.
  OriginalInstance instance = original_chain({{1, 1, 5}, {1, 1, 5}, {1, 1, 5}}, {0.5, 0.5});
  instance.graphs[0].edges = {
      {0, 1, plan::RealBytes(0.5)}, {0, 2, plan::RealBytes(2)}, {1, 2, plan::RealBytes(0.5)}};
  instance.devices = 3;
  instance.recompute = true;
  instance.memory = plan::RealBytes(13);
  const OriginalAnswer answer = solve(instance);
  ASSERT_EQ(ends_of(*answer.best), (Ends{1, 2, 3}));
  EXPECT_EQ(answer.best->stages[0].load, Seconds(1 + 2 + 1));  // the gradient for the skip
  EXPECT_EQ(answer.best->stages[1].load, Seconds(0.5 + 1 + 1 + 1));
  EXPECT_EQ(answer.best->stages[2].load, Seconds(2 + 1 + 1));
  EXPECT_EQ(answer.best->stages[1].memory, plan::RealBytes(10.5));
}

TEST(OriginalPlacement, HiddenTransfersDoNotCountAgainstDeepPipelines) {
  // A layer a stage: 9.9 + 10 + 10 + 5 s. With one stage less the last takes 9.9 + 30 s. Counting
  // the transfers back, which the forward passes hide, would rule the former out.
  std::vector<tests::ChainLayer> layers(40, {10, 5});
  layers[0].parameters = 1e9;  // no copies
  OriginalInstance instance = original_chain(layers, std::vector<double>(39, 9.9));
  instance.devices = 40;
  instance.microbatches = 1000;
  instance.recompute = true;
  const OriginalAnswer answer = solve(instance);
  EXPECT_EQ(answer.best->stages.size(), 40U);
  EXPECT_DOUBLE_EQ(answer.best->time.value(), 34.9 * 1039);
}

TEST(OriginalPlacement, DegreesNeedNotDivideAnything) {
  OriginalInstance instance = original_chain({{1, 1}});
  instance.devices = 5;
  instance.microbatches = 7;
  const OriginalAnswer answer = solve(instance);
  EXPECT_EQ(answer.best->data_parallel, 4);  // as good as 5, and sends less
  EXPECT_EQ(answer.best->time, Seconds(4));
}

TEST(OriginalPlacement, ManyDevicesAndMicroBatches) {
  OriginalInstance instance = original_chain(std::vector<tests::ChainLayer>(50, {1, 2, 1}));
  instance.devices = 10'000'000;
  instance.microbatches = 1'000'000'000;
  const OriginalAnswer answer = solve(instance);
  ASSERT_TRUE(answer.best);
  EXPECT_LT(answer.work, 200'000);
}

TEST(OriginalPlacement, ThousandLayersAndAHundredThousandDevices) {
  std::vector<tests::ChainLayer> layers;
  for (int i = 0; i < 1000; ++i) {
    layers.push_back({1 + 0.1 * (i % 7), 2, 5, 1});
  }
  OriginalInstance instance = original_chain(layers, std::vector<double>(999, 0.5));
  instance.devices = 100'000;
  instance.microbatches = 4096;
  instance.memory = plan::RealBytes(1000);
  const OriginalAnswer answer = solve(instance);
  ASSERT_TRUE(answer.best);
  EXPECT_LT(answer.work, 20'000'000);
}

}  // namespace
}  // namespace phaze::place
