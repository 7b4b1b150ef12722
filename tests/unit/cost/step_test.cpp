// Operators, layers and steps: what is summed, where operands live, who is the limit.

#include "cost/step.h"

#include <gtest/gtest.h>

#include "cost/estimate.h"
#include "cost/layer.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "support/chips.h"
#include "support/layers.h"

namespace phaze::tests {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::TensorId;

hw::Chip preset(const std::string& name) {
  Diagnostics diagnostics;
  return presets::load_chip(name, {}, diagnostics).value();
}

graph::Model training_of(const std::string& name, const models::BuildOptions& build = {},
                         const graph::TrainingOptions& training = {}) {
  Diagnostics diagnostics;
  const auto loaded = models::load_model(name, diagnostics);
  return graph::to_training(
      models::build_model(std::get<models::ModelSpec>(loaded.value()), build, diagnostics).value(),
      training);
}

// x -> a -> b -> c, each 200 kB; half of the global buffer holds 512 kB.
TEST(Placements, WhatWasJustWrittenIsStillInTheGlobalBuffer) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {100'000}, ElementType::kBf16);
  const TensorId a = build.unary(OpKind::kRelu, "a", x);
  const TensorId b = build.unary(OpKind::kRelu, "b", a);
  build.hand_over(build.binary(OpKind::kAdd, "c", b, x));
  const graph::Layer layer = std::move(build).finish();
  const auto placements = cost::compute_placements(layer, round_chip());
  const auto of = [&](const std::string& name) { return placements[op_id(layer, name)]; };
  EXPECT_EQ(of("b").from_global, Bytes(200'000));
  EXPECT_EQ(of("b").from_hbm, Bytes());
  EXPECT_EQ(of("b").to_hbm, Bytes(200'000));
  // Since x was read, a was written and read and b written: it is gone.
  EXPECT_EQ(of("c").from_global, Bytes(200'000));
  EXPECT_EQ(of("c").from_hbm, Bytes(200'000));
}

TEST(Placements, ATensorLargerThanTheBufferIsNotThere) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {1'000'000}, ElementType::kBf16);
  build.hand_over(build.unary(OpKind::kRelu, "b", build.unary(OpKind::kRelu, "a", x)));
  const graph::Layer layer = std::move(build).finish();
  const auto placements = cost::compute_placements(layer, round_chip());
  EXPECT_EQ(placements[op_id(layer, "b")].from_global, Bytes());
}

// Between forward and backward of a layer all the others run.
TEST(Placements, NothingOfTheForwardPassIsLeftForBackward) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {1000}, ElementType::kBf16);
  build.hand_over(build.unary(OpKind::kSilu, "a", x));
  const graph::Layer layer = with_backward(std::move(build).finish());
  const auto placements = cost::compute_placements(layer, round_chip());
  EXPECT_EQ(placements[op_id(layer, "a")].from_global, Bytes(2000));
  const cost::Placement backward = placements[op_id(layer, "a.gradient")];
  EXPECT_EQ(backward.from_hbm, Bytes(2000));     // x
  EXPECT_EQ(backward.from_global, Bytes(2000));  // the gradient, just written by the next layer
}

// 1 x 64 times 64 x 1000: the weight has 64 times the elements of the result, which is what an
// epilogue works on.
TEST(Epilogues, WorkOnTheResult) {
  hw::Chip chip = round_chip();
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {1, 64}, ElementType::kBf16);
  const TensorId weight = build.parameter("weight", {1000, 64}, ElementType::kBf16);
  const TensorId y = build.linear("linear", x, weight, std::nullopt);
  build.hand_over(build.unary(OpKind::kGelu, "gelu", y));
  graph::Model model;
  model.layers = {std::move(build).finish()};
  graph::TrainingOptions options;
  options.fusion = graph::Fusion::kFull;
  const graph::Model training = graph::to_training(model, options);
  const graph::Layer& layer = training.layers[0];
  const graph::Operator& op = op_of(layer, "linear");
  ASSERT_EQ(op.fused.size(), 1U);
  EXPECT_DOUBLE_EQ(cost::epilogue_cycles(layer, op, chip), 1000 * (5 + 3));
  const plan::ProductProblem problem = cost::product_problem(layer, op);
  EXPECT_EQ(problem.extra, Bytes(2000));  // y is kept for backward beside gelu(y)
}

TEST(Step, IsTheSumOfItsOperators) {
  const hw::Chip chip = preset("h200");
  const cost::CostContext context = cost::make_context(chip);
  graph::TrainingOptions options;
  options.recompute.full = true;
  const graph::Model model = training_of("gpt2-xl", {}, options);
  const plan::StepCost step = cost::compute_step_cost(context, model);
  Seconds sum;
  Joules energy;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const plan::OperatorCost& op : step.layers[i].operators) {
      sum += op.time * static_cast<double>(model.layers[i].repeat);
      energy += op.energy * static_cast<double>(model.layers[i].repeat);
    }
  }
  EXPECT_NEAR(step.total.value(), sum.value(), 1e-9 * sum.value());
  EXPECT_NEAR((step.forward.energy + step.backward.energy + step.optimizer.energy).value(),
              energy.value(), 1e-9 * energy.value());
  // Recomputation is in backward and about as long as the blocks' forward pass.
  EXPECT_GT(step.recompute.time.value(), 0.7 * step.forward.time.value());
  EXPECT_GT(step.backward.time, step.recompute.time);
}

TEST(Step, SaysWhenTheHostIsTheLimit) {
  const hw::Chip chip = preset("h200");
  cost::CostContext context = cost::make_context(chip);
  context.kernels = cost::Kernels::kLibrary;
  graph::TrainingOptions options;
  options.fusion = graph::Fusion::kNone;
  models::BuildOptions build;
  build.execution = models::Execution::kEager;
  const plan::StepCost small =
      cost::compute_step_cost(context, training_of("bert-large", build, options));
  EXPECT_TRUE(small.is_host_bound);
  EXPECT_GT(small.host, small.forward.time + small.backward.time);
  build.microbatch = 16;
  EXPECT_FALSE(
      cost::compute_step_cost(context, training_of("bert-large", build, options)).is_host_bound);
}

TEST(Obstacles, AreNamed) {
  const hw::Chip tpu = preset("tpuv4");
  models::BuildOptions fp32;
  fp32.precision = graph::Precision::kF32;
  graph::TrainingOptions options;
  options.precision = graph::Precision::kF32;
  const auto format =
      cost::find_obstacle(cost::make_context(tpu), training_of("bert-large", fp32, options));
  ASSERT_TRUE(format);
  EXPECT_NE(format->find("f32, which the chip cannot"), std::string::npos) << *format;

  models::BuildOptions wide;
  wide.tensor_width = 8;
  const auto network = cost::find_obstacle(cost::make_context(tpu), training_of("llama2-7b", wide));
  ASSERT_TRUE(network);
  EXPECT_NE(network->find("name a cluster"), std::string::npos) << *network;

  hw::Chip tiny = tpu;
  tiny.tensor.local_buffer = Bytes(64);
  const auto buffer = cost::find_obstacle(cost::make_context(tiny), training_of("bert-large"));
  ASSERT_TRUE(buffer);
  EXPECT_NE(buffer->find("no tile that fits"), std::string::npos) << *buffer;
}

TEST(Collectives, TakeTheNetworksTime) {
  const hw::Chip chip = preset("h100");
  Diagnostics diagnostics;
  const hw::Cluster cluster = presets::load_cluster("dgx-h100", {}, diagnostics).value();
  cost::CostContext context = cost::make_context(chip);
  context.network =
      cost::Network{&cluster, cost::place_group(cluster, 8, 1, cost::Company::kAll).value()};
  models::BuildOptions wide;
  wide.tensor_width = 8;
  const graph::Model model = training_of("llama2-7b", wide);
  ASSERT_FALSE(cost::find_obstacle(context, model));
  const plan::Estimate estimate = cost::estimate_step(context, model);
  Seconds network;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const plan::OperatorCost& op : estimate.step.layers[i].operators) {
      if (op.bound == plan::Bound::kNetwork) {
        network += op.time * static_cast<double>(model.layers[i].repeat);
        EXPECT_GT(op.network_bytes, Bytes());
      }
    }
  }
  EXPECT_GT(network.value(), 0.02 * estimate.step.total.value());
  EXPECT_LT(network.value(), 0.6 * estimate.step.total.value());
}

TEST(Alignment, RowsThatStartAnywhereLoadInSmallerPieces) {
  const hw::Chip chip = preset("h200");
  const cost::CostContext context = cost::make_context(chip);
  const auto time_of = [&](std::int64_t columns) {
    LayerBuilder build("layer");
    const TensorId x = build.input("x", {4096, 1600}, ElementType::kBf16);
    const TensorId weight = build.parameter("weight", {columns, 1600}, ElementType::kBf16);
    build.hand_over(build.linear("linear", x, weight, std::nullopt));
    const graph::Layer layer = std::move(build).finish();
    const graph::Operator& op = op_of(layer, "linear");
    return cost::compute_operator_cost(context, layer, op, cost::all_in_hbm(layer, op))
        .time.value();
  };
  EXPECT_GT(time_of(50257), 4 * time_of(50304));
  EXPECT_LT(time_of(50256), 1.02 * time_of(50304));
}

// The largest part of the time is named, and the parts add up.
TEST(Explanation, OfAProductAddsUp) {
  const hw::Chip chip = preset("h200");
  const cost::CostContext context = cost::make_context(chip);
  plan::ProductProblem problem;
  problem.m = 512;
  problem.n = 1024;
  problem.k = 4096;
  const auto e = cost::explain_product(context, problem, hw::NumberFormat::kBf16);
  ASSERT_TRUE(e);
  const plan::ProductCost& c = e->cost;
  const double longest =
      std::max({c.core.value(), c.power.value(), c.global.value(), c.hbm.value()});
  EXPECT_NEAR(c.time.value(), c.launch.value() + c.fill.value() + longest + c.reduction.value(),
              1e-15);
  EXPECT_DOUBLE_EQ(e->time.value(), c.time.value() + chip.idle_overhead.value());
  ASSERT_FALSE(e->alternatives.empty());
  for (const plan::ProductAlternative& other : e->alternatives) {
    if (other.mapping) {
      EXPECT_GE(other.time, c.time) << other.what;
    }
  }
  for (const plan::ProductAlternative& other : e->changes) {
    ASSERT_TRUE(other.mapping) << other.what;
    EXPECT_LE(other.time, c.time) << other.what;
  }
  EXPECT_GT(e->energy.value(), 0);
}

}  // namespace
}  // namespace phaze::tests
