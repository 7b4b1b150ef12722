// Faults of single operators. Faults of names, shapes and order: verify_structure_test.cpp.
#include <gtest/gtest.h>

#include <limits>

#include "graph/verify.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::faults_of;

constexpr ElementType kBf16 = ElementType::kBf16;

class VerifyOperators : public ::testing::Test {
 protected:
  Operator& op(const char* name) { return layer_.operators[tests::op_id(layer_, name)]; }

  Layer layer_ = tests::mlp_layer();
};

TEST_F(VerifyOperators, WithoutInputsOrOutputs) {
  op("gelu").inputs.clear();
  EXPECT_EQ(faults_of(layer_), "gelu: expected at least one input and one output");
  layer_ = tests::mlp_layer();
  op("residual").outputs.clear();
  EXPECT_EQ(faults_of(layer_),
            "residual: is an activation that no operator writes\n"
            "residual: expected at least one input and one output");
}

TEST_F(VerifyOperators, AProductWithoutItsShape) {
  op("fc1").product.reset();
  EXPECT_EQ(faults_of(layer_), "fc1: a product needs its m, n and k");
}

TEST_F(VerifyOperators, AProductsShapeOnSomethingElse) {
  op("gelu").product = ProductShape{1, 1, 1, 1};
  EXPECT_EQ(faults_of(layer_), "gelu: has m, n and k but is no product");
}

TEST_F(VerifyOperators, AProductWithOneOperand) {
  op("fc2").inputs.resize(1);
  EXPECT_EQ(faults_of(layer_), "fc2: expected 2 to 3 inputs, found 1");
}

TEST_F(VerifyOperators, AProductsExtentsBelowOneOrBeyondMeaning) {
  op("fc2").product->m = 0;
  EXPECT_EQ(faults_of(layer_), "fc2: m, n, k and batch: expected at least 1, found 0");
  op("fc2").product->m = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(faults_of(layer_).find("fc2: m, n, k and batch: expected at"), std::string::npos);
}

// fc2 is [2,8] times [4,8] gives [2,4]; its product says otherwise in one operand at a time.
TEST_F(VerifyOperators, AProductThatDoesNotFitItsTensors) {
  op("fc2").product = ProductShape{1, 3, 4, 8};
  EXPECT_EQ(faults_of(layer_),
            "fc2: the left operand, gelu: expected 24 elements, found 16\n"
            "fc2: the result, fc2: expected 12 elements, found 8");
  op("fc2").product = ProductShape{1, 2, 5, 8};
  EXPECT_EQ(faults_of(layer_),
            "fc2: the right operand, w2: expected 40 elements, found 32\n"
            "fc2: the result, fc2: expected 10 elements, found 8");
  op("fc2").product = ProductShape{2, 2, 4, 8};
  EXPECT_EQ(verify(layer_).size(), 3u);
}

TEST_F(VerifyOperators, AProductWhoseSizesOverflow) {
  op("fc2").product = ProductShape{kMaxElements, kMaxElements, 4, 8};
  const std::string faults = faults_of(layer_);
  EXPECT_NE(faults.find("fc2: the left operand would overflow"), std::string::npos) << faults;
  EXPECT_NE(faults.find("fc2: the result would overflow"), std::string::npos) << faults;
}

// A 5 x 5 image of one channel in patches of 2 x 2: a margin of one pixel is not read.
TEST_F(VerifyOperators, AConvolutionMayLeaveAMarginUnread) {
  LayerBuilder build("layer");
  const TensorId image = build.constant("image", {1, 1, 5, 5}, kBf16);
  const TensorId weight = build.parameter("w", {3, 1, 2, 2}, kBf16);
  build.convolution("patch", image, weight, build.parameter("b", {3}, kBf16), {1, 4, 3, 4},
                    {1, 4, 3});
  Layer layer = std::move(build).finish();
  EXPECT_EQ(faults_of(layer), "");
  layer.tensors[image].shape = {1, 1, 3, 5};
  EXPECT_EQ(faults_of(layer), "patch: the left operand, image: expected 16 elements, found 15");
}

//   q[1,4,6], k[1,5,3], v[1,5,3]: two heads of three on one key head, four queries, five keys.
class VerifyAttention : public ::testing::Test {
 protected:
  VerifyAttention() {
    LayerBuilder build("layer");
    const TensorId q = build.input("q", {1, 4, 6}, kBf16);
    const TensorId k = build.input("k", {1, 5, 3}, kBf16);
    const TensorId v = build.input("v", {1, 5, 3}, kBf16);
    build.hand_over(build.attention("a", {q, k, v}, {1, 2, 1, 4, 5, 3}, {1, 4, 6}));
    layer_ = std::move(build).finish();
  }
  Operator& op(const char* name) { return layer_.operators[tests::op_id(layer_, name)]; }
  Operator& op() { return op("a"); }
  Tensor& tensor(const char* name) { return layer_.tensors[tests::tensor_id(layer_, name)]; }

  Layer layer_;
};

TEST_F(VerifyAttention, AGoodOneHasNoFault) {
  EXPECT_EQ(faults_of(layer_), "");
  EXPECT_EQ(faults_of(tests::with_backward(layer_)), "");
}

TEST_F(VerifyAttention, WithoutItsShape) {
  op().attention.reset();
  EXPECT_EQ(faults_of(layer_), "a: attention needs its shape");
}

TEST_F(VerifyAttention, ItsShapeOnSomethingElse) {
  op().kind = OpKind::kConcatenate;
  EXPECT_EQ(faults_of(layer_), "a: expected 1 outputs, found 2");
}

TEST_F(VerifyAttention, AnExtentBelowOne) {
  op().attention->kv_heads = 0;
  EXPECT_EQ(faults_of(layer_), "a: attention: expected extents of at least 1, found 0");
}

TEST_F(VerifyAttention, KeyHeadsThatDoNotDivideTheHeads) {
  op().attention->kv_heads = 3;
  tensor("k").shape = tensor("v").shape = {1, 5, 9};
  EXPECT_EQ(faults_of(layer_), "a: attention: kv_heads (3) must divide heads (2)");
}

TEST_F(VerifyAttention, AWindowWithoutACausalMaskOrBelowNothing) {
  op().attention->window = 2;
  EXPECT_EQ(faults_of(layer_), "a: attention: a window needs a causal mask");
  op().attention->is_causal = true;
  EXPECT_EQ(faults_of(layer_), "");
  op().attention->window = -1;
  EXPECT_EQ(faults_of(layer_), "a: attention: window: expected at least 0, found -1");
}

TEST_F(VerifyAttention, WithoutValues) {
  op().inputs.resize(2);
  EXPECT_EQ(faults_of(layer_), "a: expected 3 to 4 inputs, found 2");
}

TEST_F(VerifyAttention, TensorsThatDoNotFit) {
  tensor("q").shape = {1, 4, 7};
  EXPECT_EQ(faults_of(layer_), "a: q, q: expected 24 elements, found 28");
  tensor("q").shape = {1, 4, 6};
  tensor("k").shape = {1, 5, 6};
  EXPECT_EQ(faults_of(layer_), "a: k, k: expected 15 elements, found 30");
  tensor("k").shape = {1, 5, 3};
  tensor("v").shape = {1, 6, 3};
  EXPECT_EQ(faults_of(layer_), "a: v, v: expected 15 elements, found 18");
  tensor("v").shape = {1, 5, 3};
  tensor("a").shape = {1, 4, 5};
  EXPECT_EQ(faults_of(layer_), "a: the result, a: expected 24 elements, found 20");
}

TEST_F(VerifyAttention, BackwardReadsTheGradientFirst) {
  layer_ = tests::with_backward(layer_);
  Operator& backward = op("a.gradient");
  backward.inputs.erase(backward.inputs.begin());
  EXPECT_EQ(faults_of(layer_),
            "a.gradient: q, k: expected 24 elements, found 15\n"
            "a.gradient: v, a: expected 15 elements, found 24");
}

struct Arity {
  OpKind kind;
  std::size_t inputs, outputs;
};

class VerifyArity : public ::testing::TestWithParam<Arity> {};

// As many tensors of one element as asked for, all in the same shape.
Layer one_operator(OpKind kind, std::size_t inputs, std::size_t outputs) {
  LayerBuilder build("layer");
  Operator op;
  op.kind = kind;
  op.name = "op";
  for (std::size_t i = 0; i < inputs; ++i) {
    const bool is_index = kind == OpKind::kEmbedding && i == 0;
    op.inputs.push_back(build.input("in", {1}, is_index ? ElementType::kI64 : kBf16));
  }
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    results.push_back({"out", {1}, kBf16, Role::kActivation, std::nullopt, false});
  }
  if (kind == OpKind::kAttention) {
    op.attention = AttentionShape{1, 1, 1, 1, 1, 1};
  }
  build.add(std::move(op), std::move(results));
  return std::move(build).finish();
}

TEST_P(VerifyArity, TooFewInputsOrOutputsAreFaults) {
  const Arity arity = GetParam();
  EXPECT_EQ(faults_of(one_operator(arity.kind, arity.inputs, arity.outputs)), "");
  if (arity.inputs > 1) {
    EXPECT_NE(faults_of(one_operator(arity.kind, arity.inputs - 1, arity.outputs))
                  .find("inputs, found " + std::to_string(arity.inputs - 1)),
              std::string::npos);
  }
  if (arity.outputs > 1) {
    Layer layer = one_operator(arity.kind, arity.inputs, arity.outputs - 1);
    EXPECT_EQ(faults_of(layer), "op: expected " + std::to_string(arity.outputs) +
                                    " outputs, found " + std::to_string(arity.outputs - 1));
    // Fusion drops results that nobody reads.
    layer.operators[OpId(0)].fused = {{"guest", OpKind::kRelu}};
    EXPECT_EQ(faults_of(layer), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, VerifyArity,
    ::testing::Values(Arity{OpKind::kAttention, 3, 2}, Arity{OpKind::kLayerNorm, 1, 2},
                      Arity{OpKind::kRmsNorm, 1, 2}, Arity{OpKind::kCrossEntropy, 2, 2},
                      Arity{OpKind::kNllLoss, 2, 1}, Arity{OpKind::kSquaredError, 2, 1},
                      Arity{OpKind::kTopK, 1, 2}, Arity{OpKind::kMultiply, 2, 1},
                      Arity{OpKind::kDivide, 2, 1}, Arity{OpKind::kSwiglu, 2, 1},
                      Arity{OpKind::kGeglu, 2, 1}, Arity{OpKind::kReglu, 2, 1},
                      Arity{OpKind::kEmbedding, 2, 1}, Arity{OpKind::kGather, 2, 1},
                      Arity{OpKind::kScatterAdd, 2, 1}),
    [](const auto& test) { return std::string(to_string(test.param.kind)); });

TEST_F(VerifyOperators, DropoutWithoutItsMask) {
  Layer layer = one_operator(OpKind::kDropout, 1, 1);
  EXPECT_EQ(faults_of(layer), "op: expected 2 outputs, found 1");
  layer.operators[OpId(0)].fused = {{"guest", OpKind::kRelu}};
  EXPECT_EQ(faults_of(layer), "");
}

TEST_F(VerifyOperators, OperandsThatCannotBeBroadcast) {
  layer_.tensors[tests::tensor_id(layer_, "x")].shape = {3};
  op("fc1").product.reset();
  op("fc1").kind = OpKind::kCopy;  // whose shape is free
  op("fc1").inputs.resize(1);
  EXPECT_EQ(faults_of(layer_), "residual: x has 3 elements, which cannot be broadcast to 8");
}

// One head: the table of cosines and sines has twice the elements of what it rotates.
TEST_F(VerifyOperators, ARotaryTableIsNotBroadcastButLookedUp) {
  Layer layer = one_operator(OpKind::kRotary, 2, 1);
  layer.tensors[TensorId(1)].shape = {2};
  EXPECT_EQ(faults_of(layer), "");
  layer.tensors[TensorId(0)].shape = {3};
  EXPECT_EQ(faults_of(layer), "op: in has 3 elements, which cannot be broadcast to 1");
}

TEST_F(VerifyOperators, KindsThatAreNotOfAForwardPass) {
  for (const OpKind kind : {OpKind::kAdam, OpKind::kSgd, OpKind::kJoin}) {
    const std::string fault =
        "op: " + std::string(to_string(kind)) + " is not an operator of a forward pass";
    Layer layer = one_operator(kind, 1, 1);
    EXPECT_EQ(faults_of(layer), fault);
    layer.operators[OpId(0)].pass = Pass::kBackward;
    EXPECT_EQ(faults_of(layer), "");
  }
}

// Fusion comes last and joins in place also what forward concatenates; nothing differentiates
// such a layer any more.
TEST_F(VerifyOperators, AJoinMayStandInTheForwardPassOfATrainingStep) {
  Layer layer = one_operator(OpKind::kJoin, 2, 1);
  Operator backward = layer.operators[OpId(0)];
  backward.name = "backward";
  backward.pass = Pass::kBackward;
  backward.outputs = {
      layer.tensors.push_back({"gradient", {1}, kBf16, Role::kGradient, std::nullopt, false})};
  layer.operators.push_back(backward);
  EXPECT_EQ(faults_of(layer), "");
}

TEST_F(VerifyOperators, AGroupBelowOne) {
  op("gelu").group = 0;
  EXPECT_EQ(faults_of(layer_), "gelu: group: expected at least 1, found 0");
}

struct Exchange {
  OpKind kind;
  std::int64_t group, in, out;
  bool fits;
};

TEST_F(VerifyOperators, CollectivesThatDoNotFitTheirGroup) {
  for (const Exchange& e :
       {Exchange{OpKind::kAllReduce, 2, 4, 4, true}, Exchange{OpKind::kAllReduce, 2, 4, 8, false},
        Exchange{OpKind::kAllToAll, 2, 4, 4, true}, Exchange{OpKind::kAllToAll, 2, 4, 2, false},
        Exchange{OpKind::kAllGather, 2, 4, 8, true}, Exchange{OpKind::kAllGather, 2, 4, 4, false},
        Exchange{OpKind::kAllGather, 3, 2, 8, false},  // 8 / 3 rounds to 2
        Exchange{OpKind::kReduceScatter, 2, 8, 4, true},
        Exchange{OpKind::kReduceScatter, 2, 4, 8, false},
        Exchange{OpKind::kReduceScatter, 3, 8, 2, false},
        Exchange{OpKind::kReduceScatter, 9, 8, 1, false}}) {
    Layer layer = one_operator(e.kind, 1, 1);
    layer.operators[OpId(0)].group = e.group;
    layer.tensors[TensorId(0)].shape = {e.in};
    layer.tensors[TensorId(1)].shape = {e.out};
    const std::string fault = "op: a group of " + std::to_string(e.group) + " does not turn " +
                              std::to_string(e.in) + " elements into " + std::to_string(e.out);
    EXPECT_EQ(faults_of(layer), e.fits ? "" : fault) << to_string(e.kind);
  }
}

TEST_F(VerifyOperators, VectorWorkThatIsNoCount) {
  for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e30}) {
    op("gelu").vector_flops = Flops(value);
    EXPECT_EQ(faults_of(layer_), "gelu: vector_flops: expected a count") << value;
  }
}

}  // namespace
}  // namespace phaze::graph
