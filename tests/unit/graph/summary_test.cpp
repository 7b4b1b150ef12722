#include "graph/summary.h"

#include <gtest/gtest.h>

#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

constexpr ElementType kBf16 = ElementType::kBf16;

TEST(Saved, IsNothingWithoutABackwardPass) {
  EXPECT_EQ(compute_saved(tests::mlp_layer()), std::vector<TensorId>{});
}

//   x[2,4] -- fc1 -- gelu -- fc2 --+-- residual
TEST(Saved, IsWhatBackwardReadsOfForward) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  // x for fc1's weight, fc1 for gelu, gelu for fc2's weight; neither weights nor gradients.
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "fc1", "gelu"}));
  EXPECT_EQ(summarise(layer).saved_activation_bytes, Bytes(2 * (8 + 16 + 16)));
}

// Both parts of x are read: its storage is kept once, and whole.
TEST(Saved, CountsAStorageOnceHoweverManyViewsAreRead) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 6}, kBf16);
  const std::vector<TensorId> parts = build.split("s", x, {2, 4});
  build.hand_over(build.unary(OpKind::kGelu, "a", parts[0]));
  build.hand_over(build.unary(OpKind::kGelu, "b", build.view("v", parts[1], {8})));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
  EXPECT_EQ(summarise(layer).saved_activation_bytes, Bytes(2 * 12));
}

TEST(Saved, LeavesConstantsAndSharedTensorsOut) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  const TensorId shared = build.shared("memory", {4}, kBf16);
  const TensorId mask = build.constant("mask", {4}, kBf16);
  const TensorId masked = build.binary(OpKind::kMultiply, "masked", x, mask);
  build.hand_over(build.binary(OpKind::kMultiply, "y", masked, shared));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::saved_names(layer), (Names{"masked"}));
  EXPECT_EQ(tests::names_of(layer, compute_saved_shared(layer)), (Names{"memory"}));
}

TEST(Summary, CountsTheWorkOfEachPass) {
  LayerSummary summary = summarise(tests::mlp_layer());
  const double fc = 2.0 * 2 * 8 * 4;  // either product
  EXPECT_EQ(summary.parameters, 32 + 8 + 32);
  EXPECT_EQ(summary.forward_flops, Flops(2 * fc));
  EXPECT_EQ(summary.backward_flops, Flops());
  EXPECT_EQ(summary.model_flops, Flops(2 * fc));
  EXPECT_EQ(summary.forward_vector_flops, Flops(16 + 5 * 16 + 8));  // bias, gelu, residual
  summary = summarise(tests::with_backward(tests::mlp_layer()));
  EXPECT_EQ(summary.backward_flops, Flops(4 * fc));
  EXPECT_EQ(summary.model_flops, Flops(6 * fc));
  EXPECT_EQ(summary.recompute_flops, Flops());
  // gelu's gradient, the bias's sum, the sum of x's two gradients.
  EXPECT_EQ(summary.backward_vector_flops, Flops(10 * 16 + 16 + 8));
}

TEST(Summary, CountsTiedParametersApart) {
  LayerBuilder build("layer");
  build.parameter("own", {3, 4}, kBf16);
  build.parameter("tied", {5}, kBf16, true);
  const LayerSummary summary = summarise(build.layer());
  EXPECT_EQ(summary.parameters, 12);
  EXPECT_EQ(summary.tied_parameters, 5);
}

TEST(Summary, OfAModelIsTheSumOverRepeats) {
  Model model;
  model.layers = {tests::with_backward(tests::mlp_layer()),
                  tests::with_backward(tests::attention_layer())};
  model.layers[0].repeat = 3;
  const LayerSummary a = summarise(model.layers[0]);
  const LayerSummary b = summarise(model.layers[1]);
  const ModelSummary total = summarise(model);
  EXPECT_EQ(total.parameters, 3 * a.parameters + b.parameters);
  EXPECT_EQ(total.forward_flops, a.forward_flops * 3 + b.forward_flops);
  EXPECT_EQ(total.backward_flops, a.backward_flops * 3 + b.backward_flops);
  EXPECT_EQ(total.model_flops, a.model_flops * 3 + b.model_flops);
  EXPECT_EQ(total.saved_activation_bytes, a.saved_activation_bytes * 3 + b.saved_activation_bytes);
}

}  // namespace
}  // namespace phaze::graph
