#include "graph/fuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graph/optimizer.h"
#include "graph/summary.h"
#include "graph/work.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

constexpr ElementType kBf16 = ElementType::kBf16;

Names fused_into(const Layer& layer, const std::string& host) {
  Names names;
  for (const FusedPart& part : tests::op_of(layer, host).fused) {
    names.push_back(part.name);
  }
  return names;
}

TEST(Fusion, NamesReadBack) {
  for (const Fusion fusion : {Fusion::kNone, Fusion::kElementwise, Fusion::kFull}) {
    EXPECT_EQ(parse_fusion(to_string(fusion)), fusion);
  }
  EXPECT_FALSE(parse_fusion("all"));
}

TEST(Fuse, SwitchedOffLeavesTheLayerAsItIs) {
  const Layer layer = tests::with_backward(tests::attention_layer());
  EXPECT_EQ(fuse_elementwise(layer, Fusion::kNone), layer);
}

//   x[2,4] -- fc1 + b1 -- gelu -- fc2 --+-- residual
TEST(Fuse, ElementwiseOperatorsRideOnTheProductBeforeThem) {
  const Layer layer = fuse_elementwise(tests::mlp_layer(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"fc1", "fc2"}));
  EXPECT_EQ(fused_into(layer, "fc1"), (Names{"gelu"}));
  EXPECT_EQ(fused_into(layer, "fc2"), (Names{"residual"}));
  EXPECT_EQ(tests::op_of(layer, "fc1").fused[0].kind, OpKind::kGelu);
  // fc1's own result was for gelu only, and is gone.
  EXPECT_EQ(tests::outputs_of(layer, "fc1"), (Names{"gelu"}));
  EXPECT_FALSE(tests::has_tensor(layer, "fc1"));
  EXPECT_EQ(tests::inputs_of(layer, "fc2"), (Names{"gelu", "w2", "x"}));
  EXPECT_EQ(tests::outputs_of(layer, "fc2"), (Names{"residual"}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Fuse, OnlyIntoOneAnotherIfToldSo) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId y = build.linear("fc", x, build.parameter("w", {4, 4}, kBf16));
  const TensorId scaled = build.unary(OpKind::kScale, "scale", y);
  const TensorId bent = build.unary(OpKind::kGelu, "gelu", scaled);
  build.hand_over(build.dropout("dropout", bent));
  const Layer source = std::move(build).finish();
  Layer layer = fuse_elementwise(source, Fusion::kElementwise);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"fc", "scale"}));
  EXPECT_EQ(fused_into(layer, "scale"), (Names{"gelu", "dropout"}));
  layer = fuse_elementwise(source, Fusion::kFull);
  EXPECT_EQ(fused_into(layer, "fc"), (Names{"scale", "gelu", "dropout"}));
  EXPECT_EQ(tests::outputs_of(layer, "fc"), (Names{"dropout"}));  // nobody reads the mask
}

TEST(Fuse, WhatBackwardReadsIsStillWritten) {
  const Layer layer = fuse_elementwise(tests::with_backward(tests::mlp_layer()), Fusion::kFull);
  EXPECT_EQ(tests::faults_of(layer), "");
  EXPECT_EQ(tests::outputs_of(layer, "fc1"), (Names{"gelu", "fc1"}));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "fc1", "gelu"}));
}

TEST(Fuse, WhatIsHandedOverIsStillWritten) {
  LayerBuilder build("layer");
  const TensorId a = build.unary(OpKind::kScale, "a", build.input("x", {4}, kBf16));
  build.hand_over(a);
  build.hand_over(build.unary(OpKind::kGelu, "b", a));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::outputs_of(layer, "a"), (Names{"b", "a"}));
  EXPECT_EQ(tests::names_of(layer, layer.outputs), (Names{"a", "b"}));
}

TEST(Fuse, PassesDoNotMix) {
  const Layer layer = fuse_elementwise(tests::with_backward(tests::mlp_layer()), Fusion::kFull);
  // gelu's gradient rides on the gradient product before it, not on its forward operator.
  EXPECT_EQ(fused_into(layer, "fc2.data_gradient"), (Names{"gelu.gradient"}));
  EXPECT_EQ(fused_into(layer, "fc1.data_gradient"), (Names{"d(x).sum"}));
}

TEST(Fuse, RowOperatorsAndCopiesStandAlone) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId norm = build.rms_norm("norm", x, {});
  const TensorId bent = build.unary(OpKind::kGelu, "gelu", norm);
  build.hand_over(build.unary(OpKind::kSoftmax, "softmax", bent));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"norm", "gelu", "softmax"}));
}

// A row that is repeated has fewer elements than what it is added to: it stands alone.
TEST(Fuse, OnlyEqualCountsFuse) {
  LayerBuilder build("layer");
  const TensorId row = build.unary(OpKind::kGelu, "row", build.input("r", {4}, kBf16));
  build.hand_over(build.binary(OpKind::kAdd, "y", build.input("x", {2, 4}, kBf16), row));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"row", "y"}));
}

//   a = scale(x);  s = softmax(a);  y = a * s: y needs s, which needs a. Fused they would wait for
//   each other.
TEST(Fuse, NoOperatorMayLieBetweenThePair) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.unary(OpKind::kScale, "a", x);
  const TensorId s = build.unary(OpKind::kSoftmax, "s", a);
  build.hand_over(build.binary(OpKind::kMultiply, "y", a, s));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"a", "s", "y"}));
}

// The other operand comes later than the host: the pair runs at the guest's place.
TEST(Fuse, TheHostMovesDownToItsGuest) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.unary(OpKind::kScale, "a", x);
  const TensorId s = build.unary(OpKind::kSoftmax, "s", x);
  build.hand_over(build.binary(OpKind::kMultiply, "y", a, s));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"s", "a"}));
  EXPECT_EQ(fused_into(layer, "a"), (Names{"y"}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

// Somebody between them reads the host: the pair runs at the host's place.
TEST(Fuse, TheGuestMovesUpToItsHost) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.unary(OpKind::kScale, "a", x);
  build.hand_over(build.unary(OpKind::kSoftmax, "s", a));
  build.hand_over(build.unary(OpKind::kGelu, "y", a));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_names(layer, Pass::kForward), (Names{"a", "s"}));
  EXPECT_EQ(tests::outputs_of(layer, "a"), (Names{"y", "a"}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

//   gelu(x) + relu(z): the sum joins one of them, and with it the other.
TEST(Fuse, BothOperandsOfASumJoinIt) {
  LayerBuilder build("layer");
  const TensorId a = build.unary(OpKind::kGelu, "a", build.input("x", {4}, kBf16));
  const TensorId b = build.unary(OpKind::kRelu, "b", build.input("z", {4}, kBf16));
  build.hand_over(build.binary(OpKind::kAdd, "y", a, b));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kElementwise);
  ASSERT_EQ(layer.operators.size(), 1u);
  EXPECT_EQ(layer.operators[OpId(0)].fused.size(), 2u);
  EXPECT_EQ(layer.tensors.size(), 3u);  // x, z, y
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Fuse, PrefersTheProductAmongItsOperands) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.unary(OpKind::kScale, "a", x);
  const TensorId p = build.linear("p", x, build.parameter("w", {4, 4}, kBf16));
  build.hand_over(build.binary(OpKind::kAdd, "y", a, p));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(fused_into(layer, "p"), (Names{"y"}));
}

TEST(Fuse, KeepsTheWorkAndMovesFewerBytes) {
  const Layer source = add_optimizer(tests::with_backward(tests::attention_layer()),
                                     Precision::kMixed, OptimizerKind::kAdam);
  const Layer layer = fuse_elementwise(source, Fusion::kFull);
  EXPECT_LT(layer.operators.size(), source.operators.size());
  EXPECT_EQ(tests::matrix_flops_of(layer), tests::matrix_flops_of(source));
  EXPECT_EQ(tests::vector_flops_of(layer), tests::vector_flops_of(source));
  EXPECT_LT(tests::moved_bytes(layer), tests::moved_bytes(source));
  EXPECT_EQ(summarise(layer).saved_activation_bytes, summarise(source).saved_activation_bytes);
  EXPECT_EQ(summarise(layer).parameters, summarise(source).parameters);
}

TEST(Fuse, KeepsEveryParametersGradient) {
  const Layer source = tests::with_backward(tests::attention_layer());
  const Layer layer = fuse_elementwise(source, Fusion::kFull);
  EXPECT_EQ(tests::role_names(layer, Role::kParameterGradient),
            tests::role_names(source, Role::kParameterGradient));
}

//   h = gelu(x);  y = swiglu(gate, h): one backward operator writes d(gate), a result of the layer,
//   and d(h), which gelu's gradient reads and which goes away.
TEST(Fuse, KeepsTheGradientsOfInputs) {
  LayerBuilder build("layer");
  const TensorId gate = build.input("gate", {4}, kBf16);
  const TensorId h = build.unary(OpKind::kGelu, "h", build.input("x", {4}, kBf16));
  build.hand_over(build.binary(OpKind::kSwiglu, "y", gate, h));
  const Layer layer =
      fuse_elementwise(tests::with_backward(std::move(build).finish()), Fusion::kFull);
  EXPECT_EQ(fused_into(layer, "y.gradient"), (Names{"h.gradient"}));
  EXPECT_EQ(tests::outputs_of(layer, "y.gradient"), (Names{"d(x)", "d(gate)"}));
}

TEST(Fuse, AConcatenationOfWhatWasWrittenForItIsAJoin) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.unary(OpKind::kSoftmax, "a", x);
  const TensorId b = build.unary(OpKind::kSoftmax, "b", x);
  build.hand_over(build.concatenate("y", {a, b}, {4, 4}));
  const Layer source = tests::with_backward(std::move(build).finish());
  Layer layer = fuse_elementwise(source, Fusion::kFull);
  // The gradients of a and b read their results: those are not written for y alone.
  EXPECT_EQ(tests::op_of(layer, "y").kind, OpKind::kConcatenate);

  LayerBuilder again("layer");
  const TensorId z = again.input("x", {2, 4}, kBf16);
  again.hand_over(
      again.concatenate("y", {again.copy("a", z, {2, 4}), again.copy("b", z, {2, 4})}, {4, 4}));
  layer = fuse_elementwise(tests::with_backward(std::move(again).finish()), Fusion::kFull);
  EXPECT_EQ(tests::op_of(layer, "y").kind, OpKind::kJoin);
  EXPECT_EQ(tests::tensor_of(layer, "a").view_of, tests::tensor_id(layer, "y"));
  EXPECT_EQ(compute_traffic(layer, tests::op_of(layer, "y")).written, Bytes());
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(Fuse, AConcatenationOfInputsOrOfOneTensorTwiceIsNoJoin) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId a = build.copy("a", x, {2, 4});
  build.hand_over(build.concatenate("y", {x, a}, {4, 4}));
  build.hand_over(build.concatenate("z", {build.copy("b", x, {2, 4}), x}, {4, 4}));
  const TensorId c = build.copy("c", x, {2, 4});
  build.hand_over(build.concatenate("twice", {c, c}, {4, 4}));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  for (const char* name : {"y", "z", "twice"}) {
    EXPECT_EQ(tests::op_of(layer, name).kind, OpKind::kConcatenate) << name;
  }
}

TEST(Fuse, AMixedPairBelongsToNoRegion) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  build.set_region(Region::kActivation);
  const TensorId a = build.unary(OpKind::kGelu, "a", x);
  const TensorId b = build.unary(OpKind::kGelu, "b", a);
  build.set_region(Region::kNone);
  build.hand_over(build.unary(OpKind::kScale, "c", b));
  build.hand_over(b);
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_EQ(tests::op_of(layer, "a").region, Region::kNone);
}

TEST(Fuse, KeepsParametersThatNobodyReads) {
  LayerBuilder build("layer");
  build.parameter("mask_token", {4}, kBf16);
  build.hand_over(build.unary(OpKind::kGelu, "y", build.input("x", {4}, kBf16)));
  const Layer layer = fuse_elementwise(std::move(build).finish(), Fusion::kFull);
  EXPECT_TRUE(tests::has_tensor(layer, "mask_token"));
}

}  // namespace
}  // namespace phaze::graph
