#include "cost/vector.h"

#include <gtest/gtest.h>

#include "cost/operator.h"
#include "graph/backward.h"
#include "graph/builder.h"
#include "support/chips.h"
#include "support/layers.h"

namespace phaze::tests {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::Shape;
using graph::TensorId;

graph::Layer one_operator(OpKind kind, const Shape& shape) {
  LayerBuilder build("layer");
  build.hand_over(build.unary(kind, "op", build.input("x", shape, ElementType::kBf16)));
  return std::move(build).finish();
}

plan::OperatorCost price(const graph::Layer& layer, const std::string& name, const hw::Chip& chip,
                         cost::Kernels kernels = cost::Kernels::kTuned,
                         const cost::Share& share = {}) {
  const graph::Operator& op = op_of(layer, name);
  return cost::compute_vector_cost(layer, op, cost::all_in_hbm(layer, op), chip, share, kernels);
}

// relu of 1000 x 1000: 2 MB in, 2 MB out at 100 GB/s; one operation an element on 20 lanes at 1
// GHz.
TEST(Vector, TakesTheLongestOfHbmGlobalBufferAndLanes) {
  hw::Chip chip = round_chip();
  const graph::Layer layer = one_operator(OpKind::kRelu, {1000, 1000});
  const plan::OperatorCost lanes = price(layer, "op", chip);
  EXPECT_DOUBLE_EQ(lanes.time.value(), 50e-6);
  EXPECT_EQ(lanes.bound, plan::Bound::kVector);
  EXPECT_DOUBLE_EQ(lanes.utilisation, 1);
  chip.vector.lanes = 1000;
  const plan::OperatorCost hbm = price(layer, "op", chip);
  EXPECT_DOUBLE_EQ(hbm.time.value(), 40e-6);
  EXPECT_EQ(hbm.bound, plan::Bound::kHbm);
  EXPECT_EQ(hbm.hbm_bytes, Bytes(4'000'000));
  EXPECT_DOUBLE_EQ(hbm.utilisation, 1);
  chip.hbm.stack_bandwidth = BytesPerSecond(1e13);
  const plan::OperatorCost global = price(layer, "op", chip);
  EXPECT_DOUBLE_EQ(global.time.value(), 4e-6);
  EXPECT_EQ(global.bound, plan::Bound::kGlobal);
  chip.launch_overhead = Seconds(5e-6);
  EXPECT_EQ(price(layer, "op", chip).bound, plan::Bound::kLaunch);
  EXPECT_DOUBLE_EQ(price(layer, "op", chip).time.value(), 9e-6);
}

TEST(Vector, OneCoreOfSeveralHasItsShareOfTheBandwidths) {
  hw::Chip chip = round_chip();
  chip.vector.lanes = 100000;
  const graph::Layer layer = one_operator(OpKind::kRelu, {1000, 1000});
  const cost::Share half{false, 2};
  EXPECT_DOUBLE_EQ(price(layer, "op", chip, cost::Kernels::kTuned, half).time.value(), 80e-6);
}

TEST(Vector, CountsSpecialFunctionsOperandsAndRows) {
  hw::Chip chip = round_chip();
  const graph::Layer relu = one_operator(OpKind::kRelu, {10, 10});
  const graph::Layer silu = one_operator(OpKind::kSilu, {10, 10});
  const graph::Layer softmax = one_operator(OpKind::kSoftmax, {10, 10});
  const auto cycles = [&](const graph::Layer& layer) {
    return cost::lane_cycles(layer, op_of(layer, "op"), chip, cost::Kernels::kTuned);
  };
  EXPECT_DOUBLE_EQ(cycles(relu), 100);
  EXPECT_DOUBLE_EQ(cycles(silu), 100 * (4 + 2));
  chip.vector.special_cycles = 8;
  chip.vector.operand_cycles = 6;
  chip.vector.row_cycles = 28;
  EXPECT_DOUBLE_EQ(cycles(relu), 100 * (1 + 2 * 6));
  EXPECT_DOUBLE_EQ(cycles(silu), 100 * (4 + 2 * 8 + 2 * 6));
  EXPECT_DOUBLE_EQ(cycles(softmax), 100 * (5 + 8 + 2 * 6 + 2 * 28));
}

// A library's kernel looks up elements of broadcast, strided and widened operands; a tuned one, and
// one whose operands lie side by side, does not.
TEST(Vector, LibraryKernelsLookUpElementsThatDoNotLieSideBySide) {
  hw::Chip chip = round_chip();
  chip.vector.address_cycles = 60;
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {10, 10}, ElementType::kBf16);
  const TensorId row = build.constant("row", {10}, ElementType::kBf16);
  const TensorId same = build.constant("same", {10, 10}, ElementType::kBf16);
  build.binary(OpKind::kMultiply, "broadcast", x, row);
  build.binary(OpKind::kMultiply, "plain", x, same);
  const std::vector<TensorId> halves = build.split("halves", x, {4, 6});
  build.unary(OpKind::kNegate, "strided", halves[1]);
  build.copy("copied", x, {10, 10});
  build.hand_over(build.concatenate("joined", {halves[1], halves[0]}, {10, 10}));
  const graph::Layer layer = std::move(build).finish();
  const auto more = [&](const std::string& name) {
    const graph::Operator& op = op_of(layer, name);
    return cost::lane_cycles(layer, op, chip, cost::Kernels::kLibrary) -
           cost::lane_cycles(layer, op, chip, cost::Kernels::kTuned);
  };
  EXPECT_DOUBLE_EQ(more("broadcast"), 100 * 60);
  EXPECT_DOUBLE_EQ(more("plain"), 0);
  EXPECT_DOUBLE_EQ(more("strided"), 60 * 60);
  EXPECT_DOUBLE_EQ(more("copied"), 100 * 60);
  EXPECT_DOUBLE_EQ(more("joined"), 100 * 60);
}

TEST(Vector, ATableCountsWithTheRowsThatAreTaken) {
  const hw::Chip chip = round_chip();
  LayerBuilder build("layer");
  const TensorId table = build.parameter("table", {1'000'000, 8}, ElementType::kBf16);
  const TensorId ids = build.constant("ids", {10}, ElementType::kI64);
  build.hand_over(build.embedding("embedding", table, ids));
  const graph::Layer layer = std::move(build).finish();
  EXPECT_LT(price(layer, "embedding", chip).time.value(), 1e-6);
}

TEST(Vector, RowsThatDoNotFitOnChipAreReadAgain) {
  const hw::Chip chip = round_chip();
  // Four rows at work (two a core): 4 x 200 kB fit half of 1 MiB, 4 x 2 MB do not.
  const graph::Layer fitting = one_operator(OpKind::kSoftmax, {8, 50'000});
  const graph::Layer spilling = one_operator(OpKind::kSoftmax, {8, 1'000'000});
  EXPECT_EQ(price(fitting, "op", chip).hbm_bytes, Bytes(2 * 2 * 8 * 50'000));
  EXPECT_EQ(price(spilling, "op", chip).hbm_bytes, Bytes((2 + 2) * 2 * 8 * 1'000'000LL));
}

TEST(Vector, ASumOverRowsWaitsForItsChainOfAdditions) {
  hw::Chip chip = round_chip();
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {100, 10}, ElementType::kBf16);
  const TensorId weight = build.parameter("weight", {10, 10}, ElementType::kBf16);
  const TensorId bias = build.parameter("bias", {10}, ElementType::kBf16);
  build.hand_over(build.linear("linear", x, weight, bias));
  const graph::Layer layer = graph::add_backward(std::move(build).finish(), {ElementType::kBf16});
  const double before = price(layer, "linear.bias_gradient", chip).time.value();
  chip.vector.reduction_latency = Seconds(12e-6);
  EXPECT_NEAR(price(layer, "linear.bias_gradient", chip).time.value() - before, 12e-6, 1e-15);
}

}  // namespace
}  // namespace phaze::tests
