// What the backward operators of each kind read: that is what training must keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>

#include "graph/backward.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr ElementType kF32 = ElementType::kF32;
constexpr ElementType kI64 = ElementType::kI64;

struct Rule {
  OpKind kind;
  std::function<TensorId(LayerBuilder&)> add;  // an operator called y; returns its result
  Names backward;                              // kinds of the backward operators
  Names saved;                                 // sorted
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << to_string(rule.kind); }

TensorId given(LayerBuilder& build, const char* name, Shape shape = {2, 4}) {
  return build.input(name, std::move(shape), kBf16);
}

Rule unary(OpKind kind, Names saved) {
  return {kind,
          [kind](LayerBuilder& b) { return b.unary(kind, "y", given(b, "x")); },
          {std::string(to_string(kind))},
          std::move(saved)};
}

Rule binary(OpKind kind, Names backward, Names saved) {
  return {kind,
          [kind](LayerBuilder& b) { return b.binary(kind, "y", given(b, "a"), given(b, "b")); },
          std::move(backward), std::move(saved)};
}

Rule collective(OpKind kind, std::int64_t result, Names backward) {
  return {kind,
          [kind, result](LayerBuilder& b) {
            return b.collective(kind, "y", given(b, "x", {4}), {result}, 2);
          },
          std::move(backward),
          {}};
}

Rule other(OpKind kind, std::function<TensorId(LayerBuilder&)> add, Names backward, Names saved) {
  return {kind, std::move(add), std::move(backward), std::move(saved)};
}

// An operator with several results.
TensorId add(LayerBuilder& build, OpKind kind, std::vector<TensorId> inputs,
             const std::vector<std::pair<Shape, ElementType>>& results) {
  Operator op;
  op.kind = kind;
  op.name = "y";
  op.inputs = std::move(inputs);
  std::vector<Tensor> outputs;
  for (const auto& [shape, type] : results) {
    outputs.push_back(
        {outputs.empty() ? "y" : "y.second", shape, type, Role::kActivation, std::nullopt, false});
  }
  return build.add(std::move(op), std::move(outputs))[0];
}

std::vector<Rule> rules() {
  const auto labels = [](LayerBuilder& b) { return b.constant("labels", {2}, kI64); };
  return {
      // Matrix work: both operands; fused attention all it reads and writes.
      other(OpKind::kProduct,
            [](LayerBuilder& b) {
              return b.product("y", given(b, "a", {2, 3}), given(b, "b", {3, 4}), {1, 2, 4, 3},
                               {2, 4}, kBf16);
            },
            {"product", "product"}, {"a", "b"}),
      other(OpKind::kConvolution,
            [](LayerBuilder& b) {
              return b.convolution("y", given(b, "x", {1, 4, 4}), b.parameter("w", {3, 4}, kBf16),
                                   b.parameter("bias", {3}, kBf16), {1, 4, 3, 4}, {4, 3});
            },
            {"convolution", "convolution", "reduce"}, {"x"}),
      other(OpKind::kAttention,
            [](LayerBuilder& b) {
              const Shape shape = {1, 4, 6};
              return b.attention("y",
                                 {given(b, "q", shape), given(b, "k", shape), given(b, "v", shape)},
                                 {1, 2, 2, 4, 4, 3}, shape);
            },
            {"attention"}, {"k", "q", "v", "y", "y.statistics"}),
      // Rows: norms their input and statistics, softmax its result.
      other(OpKind::kLayerNorm,
            [](LayerBuilder& b) {
              return b.layer_norm("y", given(b, "x"),
                                  {b.parameter("w", {4}, kBf16), b.parameter("bias", {4}, kBf16)});
            },
            {"layer_norm"}, {"x", "y.statistics"}),
      other(OpKind::kRmsNorm,
            [](LayerBuilder& b) {
              return b.rms_norm("y", given(b, "x"), {b.parameter("w", {4}, kBf16)});
            },
            {"rms_norm"}, {"x", "y.statistics"}),
      unary(OpKind::kSoftmax, {"y"}),
      unary(OpKind::kLogSoftmax, {"y"}),
      other(OpKind::kCrossEntropy,
            [labels](LayerBuilder& b) {
              return add(b, OpKind::kCrossEntropy, {given(b, "x"), labels(b)},
                         {{{1}, kF32}, {{2, 2}, kF32}});
            },
            {"cross_entropy"}, {"x", "y.second"}),
      other(OpKind::kNllLoss,
            [labels](LayerBuilder& b) {
              return add(b, OpKind::kNllLoss, {given(b, "x"), labels(b)}, {{{1}, kF32}});
            },
            {"nll_loss"}, {}),
      other(OpKind::kSquaredError,
            [](LayerBuilder& b) {
              return add(b, OpKind::kSquaredError,
                         {given(b, "x"), b.constant("target", {2, 4}, kBf16)}, {{{1}, kBf16}});
            },
            {"squared_error"}, {"x"}),
      other(OpKind::kMean, [](LayerBuilder& b) { return b.mean("y", given(b, "x")); }, {"mean"},
            {}),
      other(OpKind::kReduce,
            [](LayerBuilder& b) {
              return add(b, OpKind::kReduce, {given(b, "x")}, {{{4}, kBf16}});
            },
            {"copy"}, {}),
      other(OpKind::kTopK,
            [](LayerBuilder& b) {
              return add(b, OpKind::kTopK, {given(b, "x")}, {{{2, 2}, kBf16}, {{2, 2}, kI64}});
            },
            {"top_k"}, {"y.second"}),
      // Element by element.
      binary(OpKind::kAdd, {}, {}),
      binary(OpKind::kMultiply, {"multiply", "multiply"}, {"a", "b"}),
      unary(OpKind::kScale, {}),
      unary(OpKind::kGelu, {"x"}),
      unary(OpKind::kGeluTanh, {"x"}),
      unary(OpKind::kQuickGelu, {"x"}),
      unary(OpKind::kRelu, {"y"}),
      unary(OpKind::kSilu, {"x"}),
      unary(OpKind::kTanh, {"y"}),
      unary(OpKind::kSigmoid, {"y"}),
      unary(OpKind::kPower, {"x"}),
      unary(OpKind::kRsqrt, {"y"}),
      binary(OpKind::kDivide, {"divide", "divide"}, {"b", "y"}),
      unary(OpKind::kNegate, {}),
      other(OpKind::kAddScalar,
            [](LayerBuilder& b) { return b.unary(OpKind::kAddScalar, "y", given(b, "x")); }, {},
            {}),
      binary(OpKind::kSwiglu, {"swiglu"}, {"a", "b"}),
      binary(OpKind::kGeglu, {"geglu"}, {"a", "b"}),
      binary(OpKind::kReglu, {"reglu"}, {"a", "b"}),
      other(OpKind::kRotary,
            [](LayerBuilder& b) {
              return add(b, OpKind::kRotary, {given(b, "x"), b.constant("table", {2, 8}, kBf16)},
                         {{{2, 4}, kBf16}});
            },
            {"rotary"}, {}),
      other(OpKind::kDropout, [](LayerBuilder& b) { return b.dropout("y", given(b, "x")); },
            {"dropout"}, {"y.mask"}),
      unary(OpKind::kCast, {}),
      // Moving data.
      other(OpKind::kCopy, [](LayerBuilder& b) { return b.copy("y", given(b, "x"), {8}); },
            {"view"}, {}),
      other(OpKind::kConcatenate,
            [](LayerBuilder& b) {
              return b.concatenate("y", {given(b, "a"), given(b, "b")}, {4, 4});
            },
            {"split"}, {}),
      other(OpKind::kEmbedding,
            [](LayerBuilder& b) {
              return b.embedding("y", b.parameter("table", {9, 4}, kBf16),
                                 b.constant("ids", {2}, kI64));
            },
            {"embedding"}, {}),
      other(OpKind::kGather,
            [](LayerBuilder& b) {
              return b.gather("y", given(b, "x"), b.input("rows", {3}, kI64), {3, 4});
            },
            {"scatter_add"}, {"rows"}),
      other(OpKind::kScatterAdd,
            [](LayerBuilder& b) {
              return b.scatter_add("y", given(b, "x"), b.input("rows", {2}, kI64), {5, 4});
            },
            {"gather"}, {"rows"}),
      other(OpKind::kView, [](LayerBuilder& b) { return b.view("y", given(b, "x"), {8}); },
            {"view"}, {}),
      other(OpKind::kSplit, [](LayerBuilder& b) { return b.split("y", given(b, "x"), {4})[0]; },
            {"concatenate"}, {}),
      // Network: the reverse exchange. A sum over devices hands its gradient through.
      collective(OpKind::kAllReduce, 4, {}),
      collective(OpKind::kAllGather, 8, {"reduce_scatter"}),
      collective(OpKind::kReduceScatter, 2, {"all_gather"}),
      collective(OpKind::kAllToAll, 4, {"all_to_all"}),
      collective(OpKind::kEnterTensorParallel, 4, {"all_reduce"}),
  };
}

Layer build(const Rule& rule) {
  LayerBuilder build("layer");
  build.hand_over(rule.add(build));
  return std::move(build).finish();
}

class BackwardRule : public ::testing::TestWithParam<Rule> {};

TEST_P(BackwardRule, ReadsWhatTheFormulaNeeds) {
  const Rule& rule = GetParam();
  const Layer layer = tests::with_backward(build(rule));
  Names kinds;
  for (const Operator& op : layer.operators) {
    if (op.pass == Pass::kBackward) {
      kinds.emplace_back(to_string(op.kind));
    }
  }
  EXPECT_EQ(kinds, rule.backward);
  Names saved = tests::saved_names(layer);
  std::ranges::sort(saved);
  EXPECT_EQ(saved, rule.saved);
  EXPECT_EQ(tests::faults_of(layer), "");
}

// The gradient of every tensor has that tensor's shape.
TEST_P(BackwardRule, GradientsHaveTheShapesOfTheirTensors) {
  const Layer forward = build(GetParam());
  const Layer layer = tests::with_backward(forward);
  for (const Tensor& tensor : forward.tensors) {
    const std::string gradient = "d(" + tensor.name + ")";
    if (tests::has_tensor(layer, gradient)) {
      EXPECT_EQ(tests::tensor_of(layer, gradient).shape, tensor.shape) << gradient;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BackwardRule, ::testing::ValuesIn(rules()),
                         [](const auto& test) { return std::string(to_string(test.param.kind)); });

TEST(BackwardRules, CoverEveryKindOfAForwardPass) {
  std::set<OpKind> covered = {OpKind::kJoin, OpKind::kAdam, OpKind::kSgd};  // not in forward
  for (const Rule& rule : rules()) {
    covered.insert(rule.kind);
  }
  for (const OpKind kind : all_op_kinds()) {
    EXPECT_TRUE(covered.contains(kind)) << to_string(kind);
  }
}

TEST(BackwardRules, KindsThatAreNotOfAForwardPassAreBugs) {
  for (const OpKind kind : {OpKind::kJoin, OpKind::kAdam, OpKind::kSgd}) {
    LayerBuilder build("layer");
    build.hand_over(add(build, kind, {given(build, "x")}, {{{2, 4}, kBf16}}));
    EXPECT_THROW(tests::with_backward(std::move(build).finish()), std::logic_error);
  }
}

}  // namespace
}  // namespace phaze::graph
