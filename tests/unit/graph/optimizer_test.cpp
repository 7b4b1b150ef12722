#include "graph/optimizer.h"

#include <gtest/gtest.h>

#include "graph/work.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

TEST(Precision, NamesReadBack) {
  for (const Precision precision : {Precision::kMixed, Precision::kBf16, Precision::kF32}) {
    EXPECT_EQ(parse_precision(to_string(precision)), precision);
  }
  for (const OptimizerKind kind : {OptimizerKind::kAdam, OptimizerKind::kSgd}) {
    EXPECT_EQ(parse_optimizer(to_string(kind)), kind);
  }
  EXPECT_EQ(to_string(Precision::kF32), "fp32");
  EXPECT_FALSE(parse_precision("f32"));
  EXPECT_FALSE(parse_optimizer("Adam"));
}

TEST(Precision, ChoosesTheTypes) {
  EXPECT_EQ(weight_type(Precision::kMixed), ElementType::kBf16);
  EXPECT_EQ(gradient_type(Precision::kMixed), ElementType::kF32);
  EXPECT_EQ(weight_type(Precision::kBf16), ElementType::kBf16);
  EXPECT_EQ(gradient_type(Precision::kBf16), ElementType::kBf16);
  EXPECT_EQ(weight_type(Precision::kF32), ElementType::kF32);
  EXPECT_EQ(gradient_type(Precision::kF32), ElementType::kF32);
}

// Weight + gradient + master copy + two moments.
TEST(StatePerParameter, IsTheSumOfItsParts) {
  EXPECT_EQ(state_per_parameter(Precision::kMixed, OptimizerKind::kAdam), Bytes(2 + 4 + 4 + 4 + 4));
  EXPECT_EQ(state_per_parameter(Precision::kBf16, OptimizerKind::kAdam), Bytes(2 + 2 + 2 + 2));
  EXPECT_EQ(state_per_parameter(Precision::kF32, OptimizerKind::kAdam), Bytes(4 + 4 + 4 + 4));
  EXPECT_EQ(state_per_parameter(Precision::kMixed, OptimizerKind::kSgd), Bytes(2 + 4 + 4));
  EXPECT_EQ(state_per_parameter(Precision::kBf16, OptimizerKind::kSgd), Bytes(2 + 2));
  EXPECT_EQ(state_per_parameter(Precision::kF32, OptimizerKind::kSgd), Bytes(4 + 4));
}

Layer stepped(Layer forward, Precision precision, OptimizerKind kind) {
  return add_optimizer(tests::with_backward(std::move(forward)), precision, kind);
}

// The perceptron has 32 + 8 + 32 parameters.
TEST(Optimizer, ReadsGradientsAndStateAndWritesStateAndWeights) {
  const Layer layer = stepped(tests::mlp_layer(), Precision::kMixed, OptimizerKind::kAdam);
  EXPECT_EQ(tests::faults_of(layer), "");
  EXPECT_EQ(tests::op_names(layer, Pass::kOptimizer), (Names{"adam"}));
  EXPECT_EQ(tests::inputs_of(layer, "adam"), (Names{"d(w2)", "d(w1)", "d(b1)", "master_weights",
                                                    "first_moments", "second_moments"}));
  EXPECT_EQ(tests::outputs_of(layer, "adam"), (Names{"master_weights.new", "first_moments.new",
                                                     "second_moments.new", "weights.new"}));
  EXPECT_EQ(tests::tensor_of(layer, "first_moments").shape, (Shape{72}));
  EXPECT_EQ(tests::op_of(layer, "adam").vector_flops, Flops(12 * 72));
}

// Per parameter: gradient, master, two moments are read (4 x 4 bytes); master, moments (3 x 4) and
// the bf16 weight (2) written.
TEST(Optimizer, TrafficOfMixedAdamIsThirtyBytesAParameter) {
  const Layer layer = stepped(tests::mlp_layer(), Precision::kMixed, OptimizerKind::kAdam);
  const Traffic traffic = compute_traffic(layer, tests::op_of(layer, "adam"));
  EXPECT_EQ(traffic.read, Bytes(16 * 72));
  EXPECT_EQ(traffic.written, Bytes(14 * 72));
}

TEST(Optimizer, WithoutAMasterCopyItReadsTheWeights) {
  const Layer layer = stepped(tests::mlp_layer(), Precision::kF32, OptimizerKind::kSgd);
  EXPECT_EQ(tests::inputs_of(layer, "sgd"), (Names{"d(w2)", "d(w1)", "d(b1)", "weights"}));
  EXPECT_EQ(tests::outputs_of(layer, "sgd"), (Names{"weights.new"}));
  EXPECT_EQ(tests::op_of(layer, "sgd").vector_flops, Flops(2 * 72));
  EXPECT_EQ(tests::tensor_of(layer, "weights.new").view_of, tests::tensor_id(layer, "weights"));
}

TEST(Optimizer, NewStateIsWrittenOverTheOld) {
  const Layer layer = stepped(tests::mlp_layer(), Precision::kMixed, OptimizerKind::kAdam);
  for (const char* name : {"master_weights", "first_moments", "second_moments", "weights"}) {
    EXPECT_EQ(tests::tensor_of(layer, name + std::string(".new")).view_of,
              tests::tensor_id(layer, name));
    EXPECT_EQ(tests::tensor_of(layer, name).role, Role::kOptimizerState);
  }
  EXPECT_EQ(tests::tensor_of(layer, "weights").type, ElementType::kBf16);
  EXPECT_EQ(tests::tensor_of(layer, "master_weights").type, ElementType::kF32);
}

TEST(Optimizer, LeavesTiedParametersToTheirOwner) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, ElementType::kBf16);
  const TensorId own = build.parameter("own", {4, 4}, ElementType::kBf16);
  const TensorId tied = build.parameter("tied", {3, 4}, ElementType::kBf16, true);
  build.hand_over(build.linear("second", build.linear("first", x, own), tied));
  const Layer layer = stepped(std::move(build).finish(), Precision::kMixed, OptimizerKind::kAdam);
  EXPECT_EQ(tests::inputs_of(layer, "adam")[0], "d(own)");
  EXPECT_EQ(tests::tensor_of(layer, "first_moments").shape, (Shape{16}));
}

TEST(Optimizer, ALayerWithoutParametersIsLeftAsItIs) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, ElementType::kBf16);
  build.hand_over(build.linear("fc", x, build.parameter("tied", {3, 4}, ElementType::kBf16, true)));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(add_optimizer(layer, Precision::kMixed, OptimizerKind::kAdam), layer);
}

}  // namespace
}  // namespace phaze::graph
