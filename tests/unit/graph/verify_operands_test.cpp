// How many operands a kind has and how large its result is; look-ups and views.
#include <gtest/gtest.h>

#include "graph/verify.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::faults_of;

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr ElementType kI64 = ElementType::kI64;

// One operator on inputs in0, in1, ... of these shapes, with the result out.
Layer with_shapes(OpKind kind, const std::vector<Shape>& inputs, Shape result) {
  LayerBuilder build("layer");
  Operator op;
  op.kind = kind;
  op.name = "op";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    op.inputs.push_back(build.input("in" + std::to_string(i), inputs[i], kBf16));
  }
  build.add(std::move(op),
            {{"out", std::move(result), kBf16, Role::kActivation, std::nullopt, false}});
  return std::move(build).finish();
}

TEST(VerifyOperands, MoreInputsThanTheKindHas) {
  EXPECT_EQ(faults_of(with_shapes(OpKind::kGelu, {{4}, {4}}, {4})),
            "op: expected 1 inputs, found 2");
  EXPECT_EQ(faults_of(with_shapes(OpKind::kAdd, {{4}, {4}, {4}}, {4})),
            "op: expected 2 inputs, found 3");
  EXPECT_EQ(faults_of(with_shapes(OpKind::kConcatenate, {{4}, {4}, {4}}, {12})), "");
}

TEST(VerifyOperands, FewerInputsThanTheKindHas) {
  EXPECT_EQ(faults_of(with_shapes(OpKind::kAdd, {{4}}, {4})), "op: expected 2 inputs, found 1");
}

TEST(VerifyOperands, AResultThatIsNotAsLargeAsItsOperand) {
  for (const OpKind kind : {OpKind::kGelu, OpKind::kSoftmax, OpKind::kScale, OpKind::kCast}) {
    EXPECT_EQ(faults_of(with_shapes(kind, {{2, 4}}, {8})), "") << to_string(kind);
    EXPECT_EQ(faults_of(with_shapes(kind, {{4}}, {8})), "op: the result has 8 elements, expected 4")
        << to_string(kind);
  }
  EXPECT_EQ(faults_of(with_shapes(OpKind::kSoftmax, {{8}}, {4})),
            "op: the result has 4 elements, expected 8");
}

// The larger operand gives the shape; nothing grows by itself.
TEST(VerifyOperands, AResultLargerThanBothOperands) {
  EXPECT_EQ(faults_of(with_shapes(OpKind::kAdd, {{4}, {2, 4}}, {2, 4})), "");
  EXPECT_EQ(faults_of(with_shapes(OpKind::kAdd, {{4}, {4}}, {2, 4})),
            "op: the result has 8 elements, expected 4");
}

TEST(VerifyOperands, KindsWhoseResultMayBeOfAnotherSize) {
  EXPECT_EQ(faults_of(with_shapes(OpKind::kCopy, {{4}}, {3, 4})), "");
  EXPECT_EQ(faults_of(with_shapes(OpKind::kMean, {{2, 4}}, {2, 1})), "");
  EXPECT_EQ(faults_of(with_shapes(OpKind::kReduce, {{2, 4}}, {4})), "");
}

// Of an operator with others fused into it the first result is another's.
TEST(VerifyOperands, AFusedOperatorHasTheResultOfItsGuest) {
  Layer layer = with_shapes(OpKind::kGelu, {{4}, {2, 4}}, {2, 4});
  layer.operators[OpId(0)].fused = {{"add", OpKind::kAdd}};
  EXPECT_EQ(faults_of(layer), "");
}

class VerifyEmbedding : public ::testing::Test {
 protected:
  VerifyEmbedding() {
    LayerBuilder build("layer");
    const TensorId ids = build.constant("ids", {2, 3}, kI64);
    build.embedding("rows", build.parameter("table", {9, 4}, kBf16), ids);
    layer_ = std::move(build).finish();
  }
  Tensor& tensor(const char* name) { return layer_.tensors[tests::tensor_id(layer_, name)]; }

  Layer layer_;
};

TEST_F(VerifyEmbedding, AGoodOneHasNoFault) { EXPECT_EQ(faults_of(layer_), ""); }

TEST_F(VerifyEmbedding, IndicesThatAreNoWholeNumbers) {
  tensor("ids").type = kBf16;
  EXPECT_EQ(faults_of(layer_),
            "rows: reads indices and a table, found numbers of type bf16 as indices");
}

TEST_F(VerifyEmbedding, AResultThatIsNotARowForEachIndex) {
  for (const Shape& shape : {Shape{2, 3, 5}, Shape{2, 4, 4}, Shape{2, 3}}) {
    tensor("rows").shape = shape;
    EXPECT_EQ(faults_of(layer_),
              "rows: the result, rows, is not a row of the table for each index");
  }
}

TEST_F(VerifyEmbedding, ATableWithoutRows) {
  tensor("table").shape = {};
  EXPECT_EQ(faults_of(layer_), "rows: the result, rows, is not a row of the table for each index");
}

//   x[2,4] - view flat[8]; x - gelu y
class VerifyViews : public ::testing::Test {
 protected:
  VerifyViews() {
    LayerBuilder build("layer");
    x_ = build.input("x", {2, 4}, kBf16);
    flat_ = build.view("flat", x_, {8});
    y_ = build.unary(OpKind::kGelu, "y", x_);
    layer_ = std::move(build).finish();
  }

  TensorId x_, flat_, y_;
  Layer layer_;
};

TEST_F(VerifyViews, AViewOfSomethingElse) {
  layer_.tensors[flat_].view_of = y_;
  EXPECT_EQ(faults_of(layer_), "flat: flat must be a view of what the operator reads");
  layer_.tensors[flat_].view_of.reset();
  EXPECT_EQ(faults_of(layer_), "flat: flat must be a view of what the operator reads");
}

TEST_F(VerifyViews, AResultThatIsWrittenIsNoView) {
  layer_.tensors[y_].view_of = x_;
  EXPECT_EQ(faults_of(layer_), "y: y cannot be a view: the operator writes it");
}

}  // namespace
}  // namespace phaze::graph
