#include "graph/work.h"

#include <gtest/gtest.h>

#include "support/layers.h"

namespace phaze::graph {
namespace {

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr ElementType kF32 = ElementType::kF32;

// Query i stands at key i + keys - queries; a causal mask hides the keys after it, a window all but
// the last so many.
double count_pairs(const AttentionShape& shape) {
  double pairs = 0;
  for (std::int64_t i = 0; i < shape.queries; ++i) {
    const std::int64_t own = i + shape.keys - shape.queries;
    for (std::int64_t j = 0; j < shape.keys; ++j) {
      const bool is_hidden = shape.is_causal && j > own;
      const bool is_far = shape.is_causal && shape.window > 0 && j <= own - shape.window;
      pairs += is_hidden || is_far ? 0 : 1;
    }
  }
  return pairs;
}

TEST(VisiblePairs, AreThoseOfTheMaskCountedOneByOne) {
  for (std::int64_t queries = 1; queries <= 7; ++queries) {
    for (std::int64_t keys = 1; keys <= 7; ++keys) {
      for (std::int64_t window = 0; window <= 9; ++window) {
        const AttentionShape shape{1, 1, 1, queries, keys, 1, true, window};
        EXPECT_EQ(visible_pairs(shape), count_pairs(shape))
            << queries << " queries, " << keys << " keys, window " << window;
      }
      const AttentionShape all{1, 1, 1, queries, keys, 1, false, 0};
      EXPECT_EQ(visible_pairs(all), static_cast<double>(queries * keys));
    }
  }
}

//   1 0 0 0
//   1 1 0 0
//   0 1 1 0     window 2
//   0 0 1 1
TEST(VisiblePairs, OfAWindowOfTwoInFour) {
  EXPECT_EQ(visible_pairs({1, 1, 1, 4, 4, 1, true, 2}), 7);
  EXPECT_EQ(visible_pairs({1, 1, 1, 4, 4, 1, true, 0}), 10);
  EXPECT_EQ(visible_pairs({1, 1, 1, 4, 4, 1, false, 0}), 16);
}

TEST(MatrixFlops, OfAProductAreTwoPerMultiplication) {
  Operator op;
  op.kind = OpKind::kProduct;
  op.product = ProductShape{2, 3, 5, 7};
  EXPECT_EQ(matrix_flops(op), Flops(2 * 2 * 3 * 5 * 7));
  EXPECT_EQ(nominal_flops(op), matrix_flops(op));
}

TEST(MatrixFlops, SurviveProductsBeyondSixtyFourBits) {
  Operator op;
  op.kind = OpKind::kProduct;
  op.product = ProductShape{1, 1 << 30, 1 << 30, 1 << 30};
  EXPECT_EQ(matrix_flops(op), Flops(2.0 * 1073741824 * 1073741824 * 1073741824));
}

// Two products of batch x heads x pairs x head_dim forward; backward five as it runs, four as
// papers count it. 3 sequences x 2 heads x 4 wide; 10 visible of 16 pairs.
TEST(MatrixFlops, OfAttentionCountWhatIsVisible) {
  Operator op;
  op.kind = OpKind::kAttention;
  op.attention = AttentionShape{3, 2, 1, 4, 4, 4, true, 0};
  const double one_pair = 2 * 3 * 2 * 4;
  EXPECT_EQ(matrix_flops(op), Flops(2 * one_pair * 10));
  EXPECT_EQ(nominal_flops(op), Flops(2 * one_pair * 16));
  op.pass = Pass::kRecompute;
  EXPECT_EQ(matrix_flops(op), Flops(2 * one_pair * 10));
  op.pass = Pass::kBackward;
  EXPECT_EQ(matrix_flops(op), Flops(5 * one_pair * 10));
  EXPECT_EQ(nominal_flops(op), Flops(4 * one_pair * 16));
}

TEST(MatrixFlops, OfAnythingElseAreNone) {
  const Layer layer = tests::mlp_layer();
  EXPECT_EQ(matrix_flops(tests::op_of(layer, "gelu")), Flops());
  EXPECT_EQ(nominal_flops(tests::op_of(layer, "residual")), Flops());
  EXPECT_EQ(tests::matrix_flops_of(layer), 2 * (2 * 8 * 4) * 2);
}

TEST(VectorFlops, AreTheKindsPerElement) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.unary(OpKind::kGelu, "gelu", x);
  build.layer_norm("norm", x, {});
  build.mean("mean", x);  // as many as it reads
  build.copy("expand", x, {3, 2, 4});
  const Layer layer = std::move(build).finish();
  EXPECT_EQ(tests::op_of(layer, "gelu").vector_flops, Flops(5 * 8));
  EXPECT_EQ(tests::op_of(layer, "norm").vector_flops, Flops(8 * 8));
  EXPECT_EQ(tests::op_of(layer, "mean").vector_flops, Flops(8));
  EXPECT_EQ(tests::op_of(layer, "expand").vector_flops, Flops(0));
}

TEST(VectorFlops, OfABackwardOperatorAreItsOwn) {
  const Layer layer = tests::with_backward(tests::mlp_layer());
  EXPECT_EQ(tests::op_of(layer, "gelu").vector_flops, Flops(5 * 16));
  EXPECT_EQ(tests::op_of(layer, "gelu.gradient").vector_flops, Flops(10 * 16));
}

TEST(VectorFlops, OfAProductAreItsBias) {
  const Layer layer = tests::mlp_layer();
  EXPECT_EQ(tests::op_of(layer, "fc1").vector_flops, Flops(2 * 8));
  EXPECT_EQ(tests::op_of(layer, "fc2").vector_flops, Flops(0));
}

TEST(VectorFlops, OfAttentionAreTheSoftmaxOfWhatIsVisible) {
  LayerBuilder build("layer");
  const TensorId q = build.input("q", {1, 4, 6}, kBf16);
  build.attention("a", {q, q, q}, {1, 2, 2, 4, 4, 3, true, 0}, {1, 4, 6});
  Operator op = build.layer().operators[OpId(0)];
  EXPECT_EQ(compute_vector_flops(build.layer(), op), Flops(5 * 2 * 10));
  op.pass = Pass::kBackward;  // the softmax again, and its gradient
  EXPECT_EQ(compute_vector_flops(build.layer(), op), Flops((5 + 4) * 2 * 10));
}

TEST(VectorFlops, OfATablesGradientAreTheRowsAddedToIt) {
  LayerBuilder build("layer");
  const TensorId ids = build.constant("ids", {3}, ElementType::kI64);
  build.hand_over(build.embedding("e", build.parameter("table", {100, 8}, kBf16), ids));
  const Layer layer = tests::with_backward(std::move(build).finish());
  EXPECT_EQ(tests::op_of(layer, "e").vector_flops, Flops(0));
  EXPECT_EQ(tests::op_of(layer, "e.gradient").vector_flops, Flops(3 * 8));
}

TEST(Traffic, ReadsEachOperandAndWritesEachResultOnce) {
  const Layer layer = tests::mlp_layer();
  const Traffic fc1 = compute_traffic(layer, tests::op_of(layer, "fc1"));
  EXPECT_EQ(fc1.read, Bytes(2 * (2 * 4 + 8 * 4 + 8)));
  EXPECT_EQ(fc1.written, Bytes(2 * (2 * 8)));
}

TEST(Traffic, ReadsATensorThatIsGivenTwiceOnce) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kF32);
  build.binary(OpKind::kMultiply, "square", x, x);
  EXPECT_EQ(compute_traffic(build.layer(), build.layer().operators[OpId(0)]).read, Bytes(16));
}

TEST(Traffic, OfALookUpIsTheRowsThatArePicked) {
  LayerBuilder build("layer");
  const TensorId ids = build.constant("ids", {3}, ElementType::kI64);
  build.embedding("e", build.parameter("table", {100, 8}, kBf16), ids);
  build.gather("g", build.input("x", {50, 8}, kBf16), ids, {3, 8});
  const Layer layer = std::move(build).finish();
  for (const char* name : {"e", "g"}) {
    const Traffic traffic = compute_traffic(layer, tests::op_of(layer, name));
    EXPECT_EQ(traffic.read, Bytes(3 * 8 + 3 * 8 * 2)) << name;
    EXPECT_EQ(traffic.written, Bytes(3 * 8 * 2)) << name;
  }
}

// One fp32 number of each of five rows, and the labels.
TEST(Traffic, OfALossByLabelsReadsWhatTheLabelsPick) {
  LayerBuilder build("layer");
  const TensorId odds = build.input("odds", {5, 100}, ElementType::kF32);
  const TensorId labels = build.constant("labels", {5}, ElementType::kI64);
  Operator loss;
  loss.kind = OpKind::kNllLoss;
  loss.name = "loss";
  loss.inputs = {odds, labels};
  build.hand_over(
      build.add(std::move(loss),
                {{"loss", {1}, ElementType::kF32, Role::kActivation, std::nullopt, false}})[0]);
  const Layer layer = tests::with_backward(std::move(build).finish());
  const Traffic forward = compute_traffic(layer, tests::op_of(layer, "loss"));
  EXPECT_EQ(forward.read, Bytes(5 * 4 + 5 * 8));
  EXPECT_EQ(forward.written, Bytes(4));
  const Traffic backward = compute_traffic(layer, tests::op_of(layer, "loss.gradient"));
  EXPECT_EQ(backward.read, Bytes(4 + 5 * 8));
  EXPECT_EQ(backward.written, Bytes(5 * 100 * 4));
}

TEST(Traffic, OfATablesGradientWritesTheWholeTable) {
  LayerBuilder build("layer");
  const TensorId ids = build.constant("ids", {3}, ElementType::kI64);
  build.hand_over(build.embedding("e", build.parameter("table", {100, 8}, kBf16), ids));
  const Layer layer = tests::with_backward(std::move(build).finish());
  const Traffic traffic = compute_traffic(layer, tests::op_of(layer, "e.gradient"));
  EXPECT_EQ(traffic.read, Bytes(3 * 8 * 2 + 3 * 8));
  EXPECT_EQ(traffic.written, Bytes(100 * 8 * 4));
}

TEST(Traffic, OfViewsAndOfTheNetworkIsNotHere) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4, 2}, kBf16);
  build.view("view", x, {8});
  build.split("split", x, {1, 1});
  build.collective(OpKind::kAllReduce, "reduce", x, {4, 2}, 2);
  for (const Operator& op : build.layer().operators) {
    EXPECT_EQ(compute_traffic(build.layer(), op).read, Bytes()) << op.name;
    EXPECT_EQ(compute_traffic(build.layer(), op).written, Bytes()) << op.name;
  }
}

// Two devices, x[4] on each: gathering makes 8, scattering 2.
TEST(CollectiveBytes, AreTheFullBuffer) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {4}, kBf16);
  build.collective(OpKind::kAllReduce, "reduce", x, {4}, 2);
  build.collective(OpKind::kAllGather, "gather", x, {8}, 2);
  build.collective(OpKind::kReduceScatter, "scatter", x, {2}, 2);
  build.collective(OpKind::kAllToAll, "exchange", x, {4}, 2);
  build.collective(OpKind::kEnterTensorParallel, "enter", x, {4}, 2);
  build.unary(OpKind::kGelu, "gelu", x);
  const Layer layer = std::move(build).finish();
  const auto bytes = [&](const char* name) {
    return collective_bytes(layer, tests::op_of(layer, name));
  };
  EXPECT_EQ(bytes("reduce"), Bytes(8));
  EXPECT_EQ(bytes("gather"), Bytes(16));
  EXPECT_EQ(bytes("scatter"), Bytes(8));
  EXPECT_EQ(bytes("exchange"), Bytes(8));
  EXPECT_EQ(bytes("enter"), Bytes());
  EXPECT_EQ(bytes("gelu"), Bytes());
}

}  // namespace
}  // namespace phaze::graph
