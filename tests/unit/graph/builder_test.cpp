#include "graph/builder.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "support/layers.h"

namespace phaze::graph {
namespace {

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr ElementType kF32 = ElementType::kF32;

TEST(LayerBuilder, TensorsFromOutsideHaveTheirRoles) {
  LayerBuilder build("layer", 7);
  const TensorId x = build.input("x", {2, 3}, kBf16);
  EXPECT_EQ(build.tensor(x), (Tensor{"x", {2, 3}, kBf16, Role::kInput, std::nullopt, false}));
  EXPECT_EQ(build.tensor(build.shared("s", {1}, kF32)).role, Role::kShared);
  EXPECT_EQ(build.tensor(build.constant("c", {1}, kF32)).role, Role::kConstant);
  EXPECT_EQ(build.tensor(build.state("o", {1}, kF32)).role, Role::kOptimizerState);
  const Tensor& gradient = build.tensor(build.outside_gradient("d(x)", x));
  EXPECT_EQ(gradient, (Tensor{"d(x)", {2, 3}, kBf16, Role::kGradient, std::nullopt, false}));
  EXPECT_FALSE(build.tensor(build.parameter("w", {1}, kF32)).is_tied);
  const Tensor& tied = build.tensor(build.parameter("t", {1}, kF32, true));
  EXPECT_TRUE(tied.is_tied && tied.role == Role::kParameter);
  const Layer layer = std::move(build).finish();
  EXPECT_EQ(layer.name, "layer");
  EXPECT_EQ(layer.repeat, 7);
  EXPECT_TRUE(layer.can_recompute);
}

// x[2,5,4] times weight[3,4]: rows are all but the last dimension.
TEST(LayerBuilder, LinearInfersItsProduct) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 5, 4}, kBf16);
  const TensorId w = build.parameter("w", {3, 4}, kBf16);
  const TensorId y = build.linear("fc", x, w, build.parameter("b", {3}, kBf16));
  EXPECT_EQ(build.shape(y), (Shape{2, 5, 3}));
  EXPECT_EQ(build.tensor(y).type, kBf16);
  EXPECT_EQ(build.tensor(y).role, Role::kActivation);
  const Operator& op = build.layer().operators[OpId(0)];
  EXPECT_EQ(op.product, (ProductShape{1, 10, 3, 4}));
  EXPECT_EQ(op.inputs.size(), 3u);
  EXPECT_EQ(op.pass, Pass::kForward);
  EXPECT_EQ(tests::faults_of(build.layer()), "");
}

TEST(LayerBuilder, LinearRefusesAWeightThatDoesNotFit) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  EXPECT_THROW(build.linear("fc", x, build.parameter("w", {3, 5}, kBf16)), std::logic_error);
  EXPECT_THROW(build.linear("fc", x, build.parameter("w", {4}, kBf16)), std::logic_error);
}

TEST(LayerBuilder, RowOperatorsWriteTheirStatistics) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 5, 4}, kBf16);
  build.layer_norm("ln", x, {});
  build.rms_norm("rms", x, {});
  build.mean("mean", x);
  const Layer layer = std::move(build).finish();
  EXPECT_EQ(tests::tensor_of(layer, "ln").shape, (Shape{2, 5, 4}));
  EXPECT_EQ(tests::tensor_of(layer, "ln.statistics").shape, (Shape{2, 5, 2}));  // mean, deviation
  EXPECT_EQ(tests::tensor_of(layer, "rms.statistics").shape, (Shape{2, 5}));
  EXPECT_EQ(tests::tensor_of(layer, "rms.statistics").type, kF32);
  EXPECT_EQ(tests::tensor_of(layer, "mean").shape, (Shape{2, 5, 1}));
}

TEST(LayerBuilder, AttentionWritesAStatisticPerRow) {
  LayerBuilder build("layer");
  const TensorId q = build.input("q", {1, 4, 6}, kBf16);
  const TensorId k = build.input("k", {1, 5, 3}, kBf16);
  const TensorId out = build.attention("a", {q, k, k}, {1, 2, 1, 4, 5, 3}, {1, 4, 6});
  EXPECT_EQ(build.shape(out), (Shape{1, 4, 6}));
  EXPECT_EQ(tests::tensor_of(build.layer(), "a.statistics").shape, (Shape{1, 2, 4}));
  EXPECT_EQ(tests::tensor_of(build.layer(), "a.statistics").type, kF32);
  EXPECT_EQ(tests::faults_of(build.layer()), "");
}

TEST(LayerBuilder, BinaryTakesTheLargerShapeAndTheFirstType) {
  LayerBuilder build("layer");
  const TensorId row = build.constant("row", {4}, kF32);
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId y = build.binary(OpKind::kAdd, "y", row, x);
  EXPECT_EQ(build.shape(y), (Shape{2, 4}));
  EXPECT_EQ(build.tensor(y).type, kF32);
  EXPECT_EQ(build.tensor(build.binary(OpKind::kMultiply, "z", x, row, kF32)).type, kF32);
  EXPECT_EQ(build.tensor(build.unary(OpKind::kCast, "c", x, kF32)).type, kF32);
  EXPECT_EQ(build.tensor(build.unary(OpKind::kGelu, "g", x)).type, kBf16);
}

TEST(LayerBuilder, DropoutWritesAMaskOfBytes) {
  LayerBuilder build("layer");
  build.dropout("drop", build.input("x", {2, 4}, kBf16));
  EXPECT_EQ(tests::outputs_of(build.layer(), "drop"), (tests::Names{"drop", "drop.mask"}));
  EXPECT_EQ(tests::tensor_of(build.layer(), "drop.mask").type, ElementType::kBool);
}

TEST(LayerBuilder, EmbeddingPicksARowPerIndex) {
  LayerBuilder build("layer");
  const TensorId ids = build.constant("ids", {2, 5}, ElementType::kI64);
  const TensorId y = build.embedding("e", build.parameter("table", {100, 8}, kBf16), ids);
  EXPECT_EQ(build.shape(y), (Shape{2, 5, 8}));
  EXPECT_EQ(tests::inputs_of(build.layer(), "e"), (tests::Names{"ids", "table"}));
}

TEST(LayerBuilder, SplitIsViewsOfTheLastDimension) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 7}, kBf16);
  const std::vector<TensorId> parts = build.split("s", x, {3, 4});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(build.shape(parts[0]), (Shape{2, 3}));
  EXPECT_EQ(build.shape(parts[1]), (Shape{2, 4}));
  EXPECT_EQ(build.tensor(parts[1]).view_of, x);
  EXPECT_THROW(build.split("t", x, {3, 3}), std::logic_error);
}

TEST(LayerBuilder, EnteringATensorParallelRegionIsAView) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId in = build.collective(OpKind::kEnterTensorParallel, "enter", x, {2, 4}, 8);
  const TensorId sum = build.collective(OpKind::kAllReduce, "reduce", x, {2, 4}, 8);
  EXPECT_EQ(build.tensor(in).view_of, x);
  EXPECT_EQ(build.tensor(sum).view_of, std::nullopt);
  EXPECT_EQ(tests::op_of(build.layer(), "reduce").group, 8);
}

TEST(LayerBuilder, RepeatedNamesGetANumber) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2}, kBf16);
  build.unary(OpKind::kGelu, "y", x);
  build.unary(OpKind::kGelu, "y", x);
  build.unary(OpKind::kGelu, "y", x);
  EXPECT_EQ(tests::op_names(build.layer(), Pass::kForward), (tests::Names{"y", "y.2", "y.3"}));
  EXPECT_TRUE(tests::has_tensor(build.layer(), "y.3"));
}

// The numbered name may be somebody else's already.
TEST(LayerBuilder, NumberedNamesAvoidThoseThatAreTaken) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2}, kBf16);
  for (const char* name : {"y.2", "y", "y", "y.2", "y", "y.2.2"}) {
    build.unary(OpKind::kGelu, name, x);
  }
  const tests::Names names = tests::op_names(build.layer(), Pass::kForward);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size())
      << ::testing::PrintToString(names);
  EXPECT_EQ(tests::faults_of(build.layer()), "");
}

TEST(LayerBuilder, GoesOnWithALayerThatExists) {
  LayerBuilder build(tests::mlp_layer(), Pass::kBackward);
  const TensorId x = tests::tensor_id(build.layer(), "x");
  build.unary(OpKind::kGelu, "gelu", x);
  const Layer layer = std::move(build).finish();
  EXPECT_EQ(tests::op_names(layer, Pass::kBackward), (tests::Names{"gelu.2"}));
  EXPECT_EQ(tests::faults_of(layer), "");
}

TEST(LayerBuilder, RegionsAreThoseOfTheTimeOfAdding) {
  const Layer layer = tests::attention_layer();
  EXPECT_EQ(tests::op_of(layer, "norm1").region, Region::kNorm);
  EXPECT_EQ(tests::op_of(layer, "q").region, Region::kNone);
  EXPECT_EQ(tests::op_of(layer, "softmax").region, Region::kAttentionCore);
  EXPECT_EQ(tests::op_of(layer, "out").region, Region::kNone);
}

TEST(LayerBuilder, CountsVectorWorkUnlessItIsGiven) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.unary(OpKind::kGelu, "g", x);
  Operator op;
  op.kind = OpKind::kGelu;
  op.name = "given";
  op.inputs = {x};
  op.vector_flops = Flops(1);
  build.add(op, {{"given", {2, 4}, kBf16, Role::kActivation, std::nullopt, false}});
  EXPECT_EQ(tests::op_of(build.layer(), "g").vector_flops, Flops(5 * 8));
  EXPECT_EQ(tests::op_of(build.layer(), "given").vector_flops, Flops(1));
}

TEST(LayerBuilder, RemembersWhatIsHandedOverAndMayNotBeRecomputed) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2}, kBf16);
  build.hand_over(build.unary(OpKind::kGelu, "y", x));
  build.forbid_recompute();
  const Layer layer = std::move(build).finish();
  EXPECT_EQ(tests::names_of(layer, layer.outputs), (tests::Names{"y"}));
  EXPECT_FALSE(layer.can_recompute);
}

}  // namespace
}  // namespace phaze::graph
