// Rules that depend on the shapes: what was repeated forward is summed backward.
#include <gtest/gtest.h>

#include "graph/backward.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;
using tests::op_of;
using tests::tensor_of;

constexpr ElementType kBf16 = ElementType::kBf16;

// x[2,4] + row[4]: the row's gradient is the sum over both rows of x.
TEST(BackwardShapes, ABroadcastSummandsGradientIsASum) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId row = build.input("row", {4}, kBf16);
  build.hand_over(build.binary(OpKind::kAdd, "y", x, row));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), (Names{"y.gradient"}));
  EXPECT_EQ(op_of(layer, "y.gradient").kind, OpKind::kReduce);
  EXPECT_EQ(tensor_of(layer, "d(row)").shape, (Shape{4}));
}

// x[2,4] * row[4]: a product of x's shape, then a sum.
TEST(BackwardShapes, ABroadcastFactorsGradientIsAProductAndASum) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId row = build.parameter("row", {4}, kBf16);
  build.hand_over(build.binary(OpKind::kMultiply, "y", x, row));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"y.gradient", "y.gradient.2", "y.gradient.sum"}));
  EXPECT_EQ(tests::inputs_of(layer, "y.gradient.2"), (Names{"d(y)", "x"}));
  EXPECT_EQ(tensor_of(layer, "y.gradient").shape, (Shape{2, 4}));
  EXPECT_EQ(tensor_of(layer, "d(row)").shape, (Shape{4}));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
}

TEST(BackwardShapes, OfASquareReadsItsOperandOnlyAndAddsBothGradients) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  build.hand_over(build.binary(OpKind::kMultiply, "y", x, x));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"y.gradient", "y.gradient.2", "d(x).sum"}));
}

// Grouped keys copied out to all heads: four copies, one gradient.
TEST(BackwardShapes, AnExpandingCopyIsSummed) {
  LayerBuilder build("layer");
  build.hand_over(build.copy("expand", build.input("k", {2, 4}, kBf16), {2, 16}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(op_of(layer, "expand.gradient").kind, OpKind::kReduce);
  EXPECT_EQ(tensor_of(layer, "d(k)").shape, (Shape{2, 4}));
}

// The first token of a sequence: the gradient of the others is zero, and written.
TEST(BackwardShapes, AViewOfAPartIsWrittenInFull) {
  LayerBuilder build("layer");
  build.hand_over(build.view("first", build.input("x", {1, 3, 4}, kBf16), {1, 4}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(op_of(layer, "first.gradient").kind, OpKind::kCopy);
  EXPECT_EQ(tensor_of(layer, "d(x)").shape, (Shape{1, 3, 4}));
  EXPECT_EQ(tensor_of(layer, "d(x)").view_of, std::nullopt);
}

TEST(BackwardShapes, AWholeViewsGradientIsAView) {
  LayerBuilder build("layer");
  build.hand_over(build.view("flat", build.input("x", {3, 4}, kBf16), {12}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tensor_of(layer, "d(x)").view_of, tests::tensor_id(layer, "d(flat)"));
  EXPECT_EQ(tensor_of(layer, "d(x)").shape, (Shape{3, 4}));
}

//   x[2,6] -- split [2,2],[2,4]: the gradients of the parts are put side by side again.
TEST(BackwardShapes, ASplitsGradientIsAConcatenationInItsOrder) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 6}, kBf16);
  const std::vector<TensorId> parts = build.split("s", x, {2, 4});
  build.hand_over(build.unary(OpKind::kScale, "b", parts[1]));
  build.hand_over(build.unary(OpKind::kScale, "a", parts[0]));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::inputs_of(layer, "s.gradient"), (Names{"d(s.0)", "d(s.1)"}));
  EXPECT_EQ(tensor_of(layer, "d(x)").shape, (Shape{2, 6}));
}

TEST(BackwardShapes, AConcatenationsGradientIsViewsOfItsParts) {
  LayerBuilder build("layer");
  const TensorId a = build.input("a", {2, 1}, kBf16);
  const TensorId b = build.constant("b", {2, 3}, kBf16);
  build.hand_over(build.concatenate("y", {a, b}, {2, 4}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::outputs_of(layer, "y.gradient"), (Names{"d(a)", "d(b)"}));
  EXPECT_EQ(tensor_of(layer, "d(a)").view_of, tests::tensor_id(layer, "d(y)"));
  EXPECT_EQ(tensor_of(layer, "d(a)").shape, (Shape{2, 1}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(BackwardShapes, ANormsWeightsAreMadeByTheSameOperator) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId weight = build.parameter("w", {4}, kBf16);
  const TensorId bias = build.parameter("b", {4}, kBf16);
  build.hand_over(build.layer_norm("n", x, {weight, bias}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::inputs_of(layer, "n.gradient"), (Names{"d(n)", "x", "n.statistics", "w"}));
  EXPECT_EQ(tests::outputs_of(layer, "n.gradient"), (Names{"d(x)", "d(w)", "d(b)"}));
}

TEST(BackwardShapes, ALearnedBiasOfAttentionHasItsGradientFromIt) {
  LayerBuilder build("layer");
  const Shape shape = {1, 4, 6};
  const TensorId q = build.input("q", shape, kBf16);
  const TensorId bias = build.shared("bias", {2, 4, 4}, kBf16);
  build.hand_over(build.attention("a", {q, q, q, bias}, {1, 2, 2, 4, 4, 3}, shape));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::outputs_of(layer, "a.gradient"), (Names{"d(q)", "d(q).2", "d(q).3", "d(bias)"}));
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward),
            (Names{"a.gradient", "d(q).sum", "d(q).sum.2"}));
}

// With sequence parallelism a norm's weight is used through an identity, whose gradient is added
// up over the devices.
TEST(BackwardShapes, AReplicatedParametersGradientIsReduced) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId weight = build.parameter("w", {4}, kBf16);
  const TensorId used =
      build.collective(OpKind::kEnterTensorParallel, "w.everywhere", weight, {4}, 2);
  build.hand_over(build.rms_norm("n", x, {used}));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(op_of(layer, "w.everywhere.gradient").kind, OpKind::kAllReduce);
  EXPECT_EQ(op_of(layer, "w.everywhere.gradient").group, 2);
  EXPECT_EQ(tensor_of(layer, "d(w)").role, Role::kParameterGradient);
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "n.statistics"}));  // the weight is not
}

}  // namespace
}  // namespace phaze::graph
