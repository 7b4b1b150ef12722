// Which gradients there are and how they come together. What each rule reads:
// backward_rules_test.cpp.
#include "graph/backward.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/optimizer.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;
using tests::op_of;
using tests::tensor_of;

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr ElementType kF32 = ElementType::kF32;

//   x[2,4] -- fc1[8,4] + b1 -- gelu -- fc2[4,8] --+-- residual
//      \__________________________________________/
TEST(Backward, RunsTheOperatorsBackwards) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"fc2.data_gradient", "fc2.weight_gradient", "gelu.gradient", "fc1.data_gradient",
                   "fc1.weight_gradient", "fc1.bias_gradient", "d(x).sum"}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Backward, LeavesTheForwardPassAsItIs) {
  const Layer forward = tests::mlp_layer();
  const Layer layer = tests::with_backward(forward);
  for (const OpId id : ids_of(forward.operators)) {
    EXPECT_EQ(layer.operators[id], forward.operators[id]);
  }
  for (const TensorId id : ids_of(forward.tensors)) {
    EXPECT_EQ(layer.tensors[id], forward.tensors[id]);
  }
  EXPECT_EQ(layer.outputs, forward.outputs);
}

// fc1 is m=2 n=8 k=4: dx = dy w is m=2 n=4 k=8, dw = dy^T x is m=8 n=4 k=2.
TEST(Backward, EachProductHasADataAndAWeightGradient) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  EXPECT_EQ(op_of(layer, "fc1").product, (ProductShape{1, 2, 8, 4}));
  EXPECT_EQ(op_of(layer, "fc1.data_gradient").product, (ProductShape{1, 2, 4, 8}));
  EXPECT_EQ(op_of(layer, "fc1.weight_gradient").product, (ProductShape{1, 8, 4, 2}));
  EXPECT_EQ(tests::inputs_of(layer, "fc1.data_gradient"), (Names{"d(fc1)", "w1"}));
  EXPECT_EQ(tests::inputs_of(layer, "fc1.weight_gradient"), (Names{"d(fc1)", "x"}));
  EXPECT_EQ(tensor_of(layer, "d(w1)").shape, (Shape{8, 4}));
}

// scores = q k^T: m=4 n=4 k=4 in two batches; dq = ds k, dk = q^T ds.
TEST(Backward, AProductOfActivationsHasALeftAndARightGradient) {
  const Layer layer = tests::with_backward(tests::attention_layer());
  EXPECT_EQ(tests::inputs_of(layer, "scores.left_gradient"), (Names{"d(scores)", "k"}));
  EXPECT_EQ(tests::inputs_of(layer, "scores.right_gradient"), (Names{"q", "d(scores)"}));
  EXPECT_EQ(op_of(layer, "context.left_gradient").product, (ProductShape{2, 4, 4, 4}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

//   a[3,2,5] b[3,5,7] in three batches
TEST(Backward, GradientsOfABatchedProductFitTheirTensors) {
  LayerBuilder build("layer");
  const TensorId a = build.input("a", {3, 2, 5}, kBf16);
  const TensorId b = build.input("b", {3, 5, 7}, kBf16);
  build.hand_over(build.product("p", a, b, {3, 2, 7, 5}, {3, 2, 7}, kBf16));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(op_of(layer, "p.left_gradient").product, (ProductShape{3, 2, 5, 7}));
  EXPECT_EQ(op_of(layer, "p.right_gradient").product, (ProductShape{3, 5, 7, 2}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Backward, ABiasGradientIsASumOverRows) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  EXPECT_EQ(op_of(layer, "fc1.bias_gradient").kind, OpKind::kReduce);
  EXPECT_EQ(tests::inputs_of(layer, "fc1.bias_gradient"), (Names{"d(fc1)"}));
  EXPECT_EQ(tensor_of(layer, "d(b1)").shape, (Shape{8}));
}

TEST(Backward, ParameterGradientsHaveTheirOwnType) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  EXPECT_EQ(tests::role_names(layer, Role::kParameterGradient), (Names{"d(w2)", "d(w1)", "d(b1)"}));
  EXPECT_EQ(tensor_of(layer, "d(w1)").type, kF32);
  EXPECT_EQ(tensor_of(layer, "d(gelu)").type, kBf16);
  EXPECT_EQ(tensor_of(layer, "d(gelu)").role, Role::kGradient);
  const Layer narrow = add_backward(tests::mlp_layer(), {kBf16});
  EXPECT_EQ(tensor_of(narrow, "d(w1)").type, kBf16);
}

//   x -- gelu --+
//    \-- relu --+-- sum -- out: two operators read x, two gradients are added.
TEST(Backward, SeveralReadersHaveTheirGradientsAdded) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {3}, kBf16);
  const TensorId a = build.unary(OpKind::kGelu, "a", x);
  const TensorId b = build.unary(OpKind::kRelu, "b", x);
  const TensorId c = build.unary(OpKind::kTanh, "c", x);
  build.hand_over(build.binary(OpKind::kAdd, "out", build.binary(OpKind::kAdd, "ab", a, b), c));
  const Layer layer = tests::with_backward(std::move(build).finish());
  // The gradient of a sum is handed through: no operator for it, and three readers need two sums.
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"c.gradient", "b.gradient", "a.gradient", "d(x).sum", "d(x).sum.2"}));
  EXPECT_EQ(tests::inputs_of(layer, "a.gradient"), (Names{"d(out)", "x"}));
  EXPECT_EQ(op_of(layer, "d(x).sum").kind, OpKind::kAdd);
  EXPECT_EQ(op_of(layer, "d(x).sum").vector_flops, Flops(3));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Backward, ConstantsAndIndicesHaveNoGradient) {
  LayerBuilder build("layer");
  const TensorId ids = build.constant("ids", {3}, ElementType::kI64);
  const TensorId mask = build.constant("mask", {3, 4}, kBf16);
  const TensorId rows = build.embedding("e", build.parameter("table", {9, 4}, kBf16), ids);
  build.hand_over(build.binary(OpKind::kMultiply, "out", rows, mask));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), (Names{"out.gradient", "e.gradient"}));
  EXPECT_FALSE(tests::has_tensor(layer, "d(mask)"));
  EXPECT_FALSE(tests::has_tensor(layer, "d(ids)"));
  EXPECT_TRUE(tests::has_tensor(layer, "d(table)"));
}

// The first product of a model reads pixels, which need no gradient.
TEST(Backward, AProductOfAConstantHasAWeightGradientOnly) {
  LayerBuilder build("layer");
  const TensorId x = build.constant("pixels", {2, 4}, kBf16);
  build.hand_over(build.linear("fc", x, build.parameter("w", {3, 4}, kBf16)));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), (Names{"fc.weight_gradient"}));
}

TEST(Backward, ALayerOfConstantsOnlyHasNoBackwardPass) {
  LayerBuilder build("layer");
  build.hand_over(build.unary(OpKind::kGelu, "y", build.constant("c", {4}, kBf16)));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), Names{});
  EXPECT_FALSE(tests::has_tensor(layer, "d(y)"));
}

TEST(Backward, WhatDoesNotReachTheOutputHasNoGradient) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  build.unary(OpKind::kGelu, "unused", x);
  build.hand_over(build.unary(OpKind::kTanh, "y", x));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), (Names{"y.gradient"}));
}

TEST(Backward, SharedTensorsHaveAGradient) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  const TensorId memory = build.shared("memory", {4}, kBf16);
  build.hand_over(build.binary(OpKind::kMultiply, "y", x, memory));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tensor_of(layer, "d(memory)").role, Role::kGradient);
}

// The layer that owns a tied parameter updates it: here its gradient is only handed over.
TEST(Backward, ATiedParametersGradientIsNotOneOfThisLayer) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.linear("fc", x, build.parameter("tied", {3, 4}, kBf16, true)));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tensor_of(layer, "d(tied)").role, Role::kGradient);
  EXPECT_EQ(tensor_of(layer, "d(tied)").type, kF32);
  EXPECT_EQ(tests::role_names(layer, Role::kParameterGradient), Names{});
}

TEST(Backward, AParameterThatIsUsedTwiceHasOneSummedGradient) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId w = build.parameter("w", {4, 4}, kBf16);
  build.hand_over(build.linear("second", build.linear("first", x, w), w));
  const Layer layer = add_optimizer(tests::with_backward(std::move(build).finish()),
                                    Precision::kMixed, OptimizerKind::kAdam);
  EXPECT_EQ(tests::inputs_of(layer, "adam")[0], "d(w).sum");
  EXPECT_EQ(tensor_of(layer, "d(w).sum").role, Role::kParameterGradient);
  EXPECT_EQ(tests::faults_of(layer), "");
}

// A class token is copied to every image of the batch; for one image that is no more than another
// shape, but its gradient still changes from the activations' type to its own.
TEST(Backward, ACopiedParametersGradientHasItsType) {
  for (const std::int64_t images : {1, 3}) {
    LayerBuilder build("layer");
    const TensorId token = build.parameter("token", {1, 4}, kBf16);
    build.hand_over(build.copy("expand", token, {images, 4}));
    const Layer layer = tests::with_backward(std::move(build).finish());
    EXPECT_EQ(op_of(layer, "expand.gradient").kind, images > 1 ? OpKind::kReduce : OpKind::kCast);
    EXPECT_EQ(tensor_of(layer, "d(token)").type, kF32);
    EXPECT_EQ(tensor_of(layer, "d(token)").view_of, std::nullopt);
    EXPECT_EQ(tests::faults_of(layer), "") << images;
  }
}

// Where an activation's gradient is handed through, a parameter's is written in its own type: the
// optimiser looks for it.
TEST(Backward, AParametersGradientIsNeverHandedThrough) {
  for (const OpKind kind : {OpKind::kAdd, OpKind::kAddScalar, OpKind::kAllReduce}) {
    LayerBuilder build("layer");
    const TensorId x = build.input("x", {4}, kBf16);
    const TensorId p = build.parameter("p", {4}, kBf16);
    build.hand_over(kind == OpKind::kAdd         ? build.binary(kind, "y", x, p)
                    : kind == OpKind::kAddScalar ? build.unary(kind, "y", p)
                                                 : build.collective(kind, "y", p, {4}, 2));
    const Layer layer = tests::with_backward(std::move(build).finish());
    EXPECT_EQ(tests::role_names(layer, Role::kParameterGradient), (Names{"d(p)"}));
    EXPECT_EQ(tensor_of(layer, "d(p)").type, kF32);
  }
}

TEST(Backward, SeveralOutputsHaveTheirGradientsFromOutside) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  const TensorId a = build.unary(OpKind::kGelu, "a", x);
  build.hand_over(a);
  build.hand_over(build.unary(OpKind::kTanh, "b", a));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"b.gradient", "d(a).sum", "a.gradient"}));
  EXPECT_EQ(tests::inputs_of(layer, "d(a).sum"), (Names{"d(a)", "d(a).2"}));
}

}  // namespace
}  // namespace phaze::graph
