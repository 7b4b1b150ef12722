// Faults of names, shapes, order and views. Faults of single operators: verify_operators_test.cpp.
#include <gtest/gtest.h>

#include "graph/verify.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::faults_of;

// Each test breaks one thing:  x[2,4] -- fc1 -- gelu -- fc2 --+-- residual
class VerifyStructure : public ::testing::Test {
 protected:
  Operator& op(const char* name) { return layer_.operators[tests::op_id(layer_, name)]; }
  Tensor& tensor(const char* name) { return layer_.tensors[tests::tensor_id(layer_, name)]; }
  TensorId id(const char* name) { return tests::tensor_id(layer_, name); }
  TensorId beyond() const { return TensorId(layer_.tensors.size()); }

  Layer layer_ = tests::mlp_layer();
};

TEST_F(VerifyStructure, AGoodLayerHasNoFault) {
  EXPECT_EQ(faults_of(layer_), "");
  EXPECT_EQ(faults_of(tests::with_backward(layer_)), "");
  EXPECT_EQ(faults_of(tests::attention_layer()), "");
  EXPECT_EQ(faults_of(tests::attention_layer(2)), "");
  EXPECT_EQ(faults_of(Layer{}), "");
}

TEST_F(VerifyStructure, AnInputThatDoesNotExist) {
  op("gelu").inputs[0] = beyond();
  EXPECT_EQ(faults_of(layer_), "gelu: refers to a tensor that does not exist");
}

TEST_F(VerifyStructure, AnOutputThatDoesNotExist) {
  op("gelu").outputs[0] = beyond();
  EXPECT_EQ(faults_of(layer_), "gelu: refers to a tensor that does not exist");
}

TEST_F(VerifyStructure, AViewOfATensorThatDoesNotExist) {
  tensor("gelu").view_of = beyond();
  EXPECT_EQ(faults_of(layer_), "gelu: is a view of a tensor that does not exist");
}

TEST_F(VerifyStructure, AnOutputOfTheLayerThatDoesNotExist) {
  layer_.outputs = {beyond()};
  EXPECT_EQ(faults_of(layer_), "an output of the layer does not exist");
}

TEST_F(VerifyStructure, ATensorWithoutName) {
  tensor("w1").name = "";
  EXPECT_EQ(faults_of(layer_), ": has no name");
}

TEST_F(VerifyStructure, TwoTensorsOfOneName) {
  tensor("w2").name = "w1";
  const std::vector<Fault> faults = verify(layer_);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "has the name of another tensor");
  EXPECT_EQ(faults[0].tensor, TensorId(3));  // the second one: x, w1, b1, w2
  EXPECT_EQ(faults[0].op, std::nullopt);
}

TEST_F(VerifyStructure, AnExtentBelowOne) {
  tensor("x").shape = {2, 0};
  EXPECT_EQ(faults_of(layer_), "x: shape: expected extents of at least 1, found 0");
  tensor("x").shape = {-2, -4};
  EXPECT_EQ(faults_of(layer_), "x: shape: expected extents of at least 1, found -2");
}

TEST_F(VerifyStructure, MoreElementsThanCanBeMeant) {
  LayerBuilder build("layer");
  build.unary(OpKind::kRelu, "y", build.input("x", {kMaxElements}, ElementType::kI8));
  Layer layer = std::move(build).finish();
  EXPECT_EQ(faults_of(layer), "");
  layer.tensors[TensorId(0)].shape = {kMaxElements / 2 + 1, 2};
  EXPECT_EQ(faults_of(layer), "x: has more than 2^50 elements");
  layer.tensors[TensorId(0)].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_EQ(faults_of(layer), "x: has more than 2^50 elements");
}

TEST_F(VerifyStructure, MoreParametersThanCanBeMeant) {
  tensor("w1").shape = tensor("w2").shape = {kMaxElements};  // each of them can
  EXPECT_EQ(faults_of(layer_), "has more than 2^50 parameters");
}

TEST_F(VerifyStructure, ViewsThatFormACycle) {
  tensor("gelu").view_of = id("fc1");
  tensor("fc1").view_of = id("gelu");
  EXPECT_EQ(faults_of(layer_), "fc1: is a view of itself");
}

//   x[2,4] as bf16 holds 16 bytes.
TEST_F(VerifyStructure, AViewOfMoreThanThereIs) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, ElementType::kBf16);
  const TensorId y = build.view("y", x, {4});
  Layer layer = std::move(build).finish();
  EXPECT_EQ(faults_of(layer), "");
  layer.tensors[y].shape = {9};
  EXPECT_EQ(faults_of(layer), "y: is a view of x and larger than it");
  layer.tensors[y].shape = {8};
  EXPECT_EQ(faults_of(layer), "");
  layer.tensors[y].type = ElementType::kF32;
  EXPECT_EQ(faults_of(layer), "y: is a view of x and larger than it");
}

TEST_F(VerifyStructure, AnOperatorWithoutName) {
  op("gelu").name = "";
  EXPECT_EQ(faults_of(layer_), ": has no name");
}

TEST_F(VerifyStructure, TwoOperatorsOfOneName) {
  op("fc2").name = "fc1";
  const std::vector<Fault> faults = verify(layer_);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].message, "has the name of another operator");
  EXPECT_EQ(faults[0].op, OpId(2));
}

TEST_F(VerifyStructure, ReadingBeforeWriting) {
  std::swap(op("fc1"), op("gelu"));
  EXPECT_EQ(faults_of(layer_), "gelu: reads fc1 before it is written");
}

TEST_F(VerifyStructure, WritingTwice) {
  op("residual").outputs[0] = id("fc2");
  // Nothing writes the layer's output then.
  EXPECT_EQ(faults_of(layer_),
            "residual: writes fc2, which is written already\n"
            "residual: is an activation that no operator writes");
}

TEST_F(VerifyStructure, WritingWhatIsGiven) {
  for (const Role role : {Role::kInput, Role::kShared, Role::kConstant, Role::kParameter}) {
    tensor("residual").role = role;
    EXPECT_EQ(faults_of(layer_),
              "residual: writes residual, which is a " + std::string(to_string(role)));
  }
}

TEST_F(VerifyStructure, AnActivationThatNobodyWrites) {
  tensor("x").role = Role::kActivation;
  EXPECT_EQ(faults_of(layer_), "x: is an activation that no operator writes");
}

TEST_F(VerifyStructure, PassesOutOfOrder) {
  op("gelu").pass = Pass::kBackward;
  EXPECT_EQ(faults_of(layer_),
            "fc2: a forward operator comes after a backward operator\n"
            "residual: a forward operator comes after a backward operator");
  op("gelu").pass = Pass::kOptimizer;
  op("fc2").pass = op("residual").pass = Pass::kBackward;
  EXPECT_EQ(faults_of(layer_),
            "fc2: a backward operator comes after a optimizer operator\n"
            "residual: a backward operator comes after a optimizer operator");
}

TEST_F(VerifyStructure, RecomputationHappensWithinBackward) {
  op("gelu").pass = Pass::kBackward;
  op("fc2").pass = Pass::kRecompute;
  op("residual").pass = Pass::kBackward;
  EXPECT_EQ(faults_of(layer_), "");
}

TEST_F(VerifyStructure, ARepeatBelowOne) {
  layer_.repeat = 0;
  EXPECT_EQ(faults_of(layer_), "repeat: expected at least 1, found 0");
}

// Every tensor once, and once more for each time that an operator reads or writes it:
//   x 8, w1 32, b1 8, w2 32, fc1 16, gelu 16, fc2 8, residual 8 = 128
//   fc1 8 + 32 + 8 + 16, gelu 16 + 16, fc2 16 + 32 + 8, residual 8 + 8 + 8 = 176
TEST_F(VerifyStructure, TotalElementsCountOperandsAndRepeats) {
  Model model;
  model.layers = {layer_, layer_};
  model.layers[1].repeat = 10;
  EXPECT_EQ(total_elements(model), (128 + 176) * 11);
}

TEST_F(VerifyStructure, AllFaultsAreReported) {
  op("gelu").name = "";
  layer_.repeat = -1;
  tensor("x").role = Role::kActivation;
  EXPECT_EQ(verify(layer_).size(), 3u);
}

}  // namespace
}  // namespace phaze::graph
