#include "cost/attention.h"

#include <gtest/gtest.h>

#include "cost/operator.h"
#include "graph/backward.h"
#include "graph/builder.h"
#include "graph/work.h"
#include "presets/chips.h"
#include "support/chips.h"

namespace phaze::tests {
namespace {

using graph::ElementType;

graph::Layer layer_of(const graph::AttentionShape& shape) {
  graph::LayerBuilder build("layer");
  const auto operand = [&](const char* name, std::int64_t length, std::int64_t heads) {
    return build.input(name, {shape.batch, length, heads * shape.head_dim}, ElementType::kBf16);
  };
  const graph::TensorId q = operand("q", shape.queries, shape.heads);
  const graph::TensorId k = operand("k", shape.keys, shape.kv_heads);
  const graph::TensorId v = operand("v", shape.keys, shape.kv_heads);
  build.hand_over(build.attention("attention", {q, k, v}, shape, build.shape(q)));
  return graph::add_backward(std::move(build).finish(), {ElementType::kBf16});
}

plan::OperatorCost price(const graph::AttentionShape& shape, const hw::Chip& chip,
                         graph::Pass pass = graph::Pass::kForward) {
  const graph::Layer layer = layer_of(shape);
  for (const graph::Operator& op : layer.operators) {
    if (op.attention && op.pass == pass) {
      const auto cost = cost::compute_attention_cost(layer, op, chip, {});
      EXPECT_TRUE(cost);
      return *cost;
    }
  }
  ADD_FAILURE() << "no attention";
  return {};
}

hw::Chip preset(const std::string& name) {
  Diagnostics diagnostics;
  return presets::load_chip(name, {}, diagnostics).value();
}

constexpr graph::AttentionShape kLarge{1, 32, 32, 4096, 4096, 128, false, 0, false};

// 8 heads of 64 x 64 x 16: eight tiles of 64 queries (or more of fewer) on four cores of 16 x 16.
TEST(Attention, IsNeverFasterThanItsProducts) {
  const hw::Chip chip = round_chip();
  const plan::OperatorCost cost = price({1, 8, 8, 64, 64, 16, false, 0, false}, chip);
  const double flops = 2.0 * 2 * 8 * 64 * 64 * 16;
  EXPECT_DOUBLE_EQ(cost.matrix_flops.value(), flops);
  EXPECT_GE(cost.time.value(), flops / 2.048e12);
  EXPECT_LE(cost.utilisation, 1);
  EXPECT_FALSE(cost.spills);
  // Queries, keys, values and results once; statistics besides.
  EXPECT_GE(cost.hbm_bytes, Bytes(4 * 64 * 8 * 16 * 2));
}

TEST(Attention, ACausalMaskSkipsNearlyHalf) {
  const hw::Chip chip = preset("h200");
  graph::AttentionShape causal = kLarge;
  causal.is_causal = true;
  const double whole = price(kLarge, chip).time.value();
  const double half = price(causal, chip).time.value();
  EXPECT_LT(half, 0.7 * whole);
  EXPECT_GT(half, 0.5 * whole);
}

TEST(Attention, AWindowSkipsMore) {
  const hw::Chip chip = preset("h200");
  graph::AttentionShape causal = kLarge;
  causal.is_causal = true;
  graph::AttentionShape windowed = causal;
  windowed.window = 512;
  EXPECT_LT(price(windowed, chip).time.value(), 0.6 * price(causal, chip).time.value());
}

TEST(Attention, BackwardRecomputesAndCostsMore) {
  const hw::Chip chip = preset("h200");
  const double forward = price(kLarge, chip).time.value();
  const plan::OperatorCost backward = price(kLarge, chip, graph::Pass::kBackward);
  EXPECT_DOUBLE_EQ(backward.matrix_flops.value(), 2.5 * price(kLarge, chip).matrix_flops.value());
  EXPECT_GT(backward.time.value(), 2.5 * forward);
}

TEST(Attention, DropoutDrawsRandomNumbers) {
  const hw::Chip chip = preset("h200");
  graph::AttentionShape shape{4, 25, 25, 1024, 1024, 64, true, 0, false};
  const double without = price(shape, chip).time.value();
  shape.has_dropout = true;
  EXPECT_GT(price(shape, chip).time.value(), 1.3 * without);
}

TEST(Attention, WhatDoesNotFitOnChipSpillsAndCostsMore) {
  hw::Chip chip = round_chip();
  const graph::AttentionShape shape{1, 8, 8, 512, 512, 64, false, 0, false};
  const plan::OperatorCost fitting = price(shape, chip);
  EXPECT_FALSE(fitting.spills);
  chip.tensor.local_buffer = Bytes(1 << 10);
  chip.vector.local_buffer = Bytes(1 << 10);
  const plan::OperatorCost spilling = price(shape, chip);
  EXPECT_TRUE(spilling.spills);
  EXPECT_GT(spilling.time, fitting.time);
  EXPECT_GT(spilling.hbm_bytes, fitting.hbm_bytes);
}

TEST(Attention, NeedsANumberFormatOfTheChip) {
  hw::Chip chip = round_chip();
  chip.format_rates = {};
  const graph::Layer layer = layer_of({1, 1, 1, 16, 16, 16, false, 0, false});
  for (const graph::Operator& op : layer.operators) {
    if (op.attention) {
      EXPECT_FALSE(cost::compute_attention_cost(layer, op, chip, {}));
    }
  }
}

}  // namespace
}  // namespace phaze::tests
