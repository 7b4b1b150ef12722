#include "graph/memory.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/training.h"

namespace phaze::graph {
namespace {

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr std::int64_t kRow = 16;     // bytes of two rows of four numbers
constexpr std::int64_t kMatrix = 32;  // of four rows of four

MemoryOptions exact() {
  MemoryOptions options;
  options.workspace = Bytes();
  options.allocation = Allocation::kExact;
  return options;
}

Model trained(std::vector<Layer> layers, const char* recompute = "none") {
  Model model;
  model.layers = std::move(layers);
  TrainingOptions options;
  options.precision = Precision::kBf16;
  options.recompute = *parse_recompute_policy(recompute);
  options.fusion = Fusion::kNone;
  return to_training(std::move(model), options);
}

PeakMemory peak_of(std::vector<Layer> layers, const char* recompute = "none") {
  return compute_peak_memory(trained(std::move(layers), recompute), exact());
}

// x[2,4] -- fc[4,4] -- y
Layer linear_layer(std::int64_t repeat = 1) {
  LayerBuilder build("linear", repeat);
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.linear("fc", x, build.parameter("w", {4, 4}, kBf16)));
  return std::move(build).finish();
}

// ids[3] -- rows of table[4,4] -- y[3,4]
Layer embedding_layer() {
  LayerBuilder build("embedding");
  const TensorId ids = build.constant("ids", {2}, ElementType::kI64);
  build.hand_over(build.embedding("rows", build.parameter("table", {4, 4}, kBf16), ids));
  return std::move(build).finish();
}

// x[2,4] -- projection with another layer's table[4,4] -- y
Layer tied_layer() {
  LayerBuilder build("tied");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.linear("project", x, build.parameter("table", {4, 4}, kBf16, true)));
  return std::move(build).finish();
}

TEST(PeakMemory, OfNothingIsTheWorkspace) {
  MemoryOptions options = exact();
  options.workspace = Bytes(7);
  const PeakMemory peak = compute_peak_memory(Model(), options);
  EXPECT_EQ(peak.total, Bytes(7));
  EXPECT_EQ(peak.workspace, Bytes(7));
  EXPECT_EQ(peak.moment, Moment::kOptimizer);
}

//   forward:  w, two moments | x, y
//   backward: w, two moments | x, y, dy, dx, dw   <- the peak
//   optimiser: w, two moments | dw
TEST(PeakMemory, OfOneProductIsAtItsWeightsGradient) {
  const PeakMemory peak = peak_of({linear_layer()});
  EXPECT_EQ(peak.moment, Moment::kBackward);
  EXPECT_EQ(peak.layer, "linear");
  EXPECT_EQ(peak.op, "fc.weight_gradient");
  EXPECT_EQ(peak.parameters, Bytes(kMatrix));
  EXPECT_EQ(peak.optimizer_states, Bytes(2 * kMatrix));
  EXPECT_EQ(peak.gradients, Bytes(kMatrix));
  EXPECT_EQ(peak.saved_activations, Bytes(2 * kRow));  // y is the caller's until then
  EXPECT_EQ(peak.transient, Bytes(2 * kRow));
  EXPECT_EQ(peak.total, Bytes(4 * kMatrix + 4 * kRow));
}

// Mixed precision: weights in bf16; gradients, master weights and moments in fp32.
TEST(PeakMemory, TakesTheOptimizersTypes) {
  Model model;
  model.layers = {linear_layer()};
  const PeakMemory peak = compute_peak_memory(to_training(std::move(model), {}), exact());
  EXPECT_EQ(peak.parameters, Bytes(kMatrix));
  EXPECT_EQ(peak.gradients, Bytes(2 * kMatrix));
  EXPECT_EQ(peak.optimizer_states, Bytes(3 * 2 * kMatrix));
}

// Each layer keeps its x; the last one's y is the caller's. Backward of the last layer: all x, dy,
// dx, dw. Of the first: one x, dy, dx, all dw: more, since a dw is twice an x.
TEST(PeakMemory, OfManyLayersGrowsWithTheirNumberAndIsFoundAtOnce) {
  for (const std::int64_t layers : {3, 4, 5, 1'000'000}) {
    const PeakMemory peak = peak_of({linear_layer(layers)});
    EXPECT_EQ(peak.parameters, Bytes(layers * kMatrix));
    EXPECT_EQ(peak.gradients, Bytes(layers * kMatrix)) << layers;
    EXPECT_EQ(peak.saved_activations, Bytes(kRow));
    EXPECT_EQ(peak.transient, Bytes(2 * kRow));
  }
}

//   x -- a -- b -- c, each written beside its operand, which is then freed
TEST(PeakMemory, FreesWhatNobodyReadsAnyMore) {
  LayerBuilder build("chain");
  TensorId x = build.constant("x", {2, 4}, kBf16);
  for (int i = 0; i < 5; ++i) {
    x = build.unary(OpKind::kScale, "scale", x);
  }
  build.hand_over(x);
  const PeakMemory peak = peak_of({std::move(build).finish()});
  EXPECT_EQ(peak.moment, Moment::kForward);
  EXPECT_EQ(peak.op, "scale.2");
  EXPECT_EQ(peak.constants, Bytes(kRow));
  EXPECT_EQ(peak.transient + peak.saved_activations, Bytes(2 * kRow));
}

//   x[2,4] -- gelu -- y -- two views of y -- add -- z
TEST(PeakMemory, CountsAStorageOnceForAllItsViews) {
  LayerBuilder build("views");
  const TensorId x = build.constant("x", {2, 4}, kBf16);
  const TensorId y = build.unary(OpKind::kGelu, "gelu", x);
  const TensorId a = build.view("a", y, {8});
  const TensorId b = build.view("b", y, {4, 2});
  build.hand_over(build.binary(OpKind::kAdd, "add", a, build.view("c", b, {8})));
  EXPECT_EQ(peak_of({std::move(build).finish()}).total, Bytes(3 * kRow));  // x, y, z
}

// A hundred layers share the mask; it is there once.
TEST(PeakMemory, CountsConstantsOfOneShapeOnce) {
  LayerBuilder build("masked", 100);
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.binary(OpKind::kAdd, "mask", x, build.constant("m", {2, 4}, kBf16)));
  EXPECT_EQ(peak_of({std::move(build).finish()}).constants, Bytes(kRow));
}

//   x -- gelu1 -- gelu2 -- gelu3: each keeps its input, three rows; with recomputation one
Layer gelus(std::int64_t repeat) {
  LayerBuilder build("gelus", repeat);
  TensorId x = build.input("x", {2, 4}, kBf16);
  for (int i = 0; i < 3; ++i) {
    x = build.unary(OpKind::kGelu, "gelu", x);
  }
  build.hand_over(x);
  return std::move(build).finish();
}

TEST(PeakMemory, WithRecomputationHoldsInputsAndOneLayersResults) {
  const std::int64_t layers = 50;
  const PeakMemory kept = peak_of({gelus(layers)});
  EXPECT_EQ(kept.saved_activations, Bytes((3 * layers + 1) * kRow));
  const PeakMemory again = peak_of({gelus(layers)}, "full");
  EXPECT_EQ(again.saved_activations, Bytes((layers + 1) * kRow));
  // While the last layer runs again: its three results, of which the last is not needed, and dy.
  EXPECT_EQ(again.moment, Moment::kRecompute);
  EXPECT_EQ(again.transient, Bytes(4 * kRow));
}

// The table is a parameter of the embedding and used again at the end: one parameter, one
// gradient. When the embedding's part comes, it, the other part and their sum are there.
TEST(PeakMemory, CountsTiedParametersOnceAndTheirGradientsWhileTheyAreAddedUp) {
  const PeakMemory peak = peak_of({embedding_layer(), tied_layer()});
  EXPECT_EQ(peak.layer, "embedding");
  EXPECT_EQ(peak.op, "rows.gradient");
  EXPECT_EQ(peak.parameters, Bytes(kMatrix));
  EXPECT_EQ(peak.optimizer_states, Bytes(2 * kMatrix));
  EXPECT_EQ(peak.gradients, Bytes(kMatrix));
  EXPECT_EQ(peak.transient, Bytes(kRow + 2 * kMatrix));  // dy, the new part and the sum
}

// A pipeline's last stage has the table without owning it: no state, but the weight.
TEST(PeakMemory, CountsATiedParameterWhoseOwnerIsElsewhere) {
  const PeakMemory peak = peak_of({tied_layer()});
  EXPECT_EQ(peak.parameters, Bytes(kMatrix));
  EXPECT_EQ(peak.optimizer_states, Bytes());
  EXPECT_EQ(peak.gradients, Bytes(kMatrix));
}

//   encoder -- memory;  ids -- decoder, which multiplies by memory, three times
TEST(PeakMemory, KeepsASharedResultAndOneSumOfItsGradients) {
  LayerBuilder encoder("encoder");
  const TensorId c = encoder.constant("c", {2, 4}, kBf16);
  encoder.hand_over(encoder.linear("fc", c, encoder.parameter("w", {4, 4}, kBf16)));
  LayerBuilder start("start");
  const TensorId ids = start.constant("ids", {2}, ElementType::kI64);
  start.hand_over(start.embedding("rows", start.parameter("table", {5, 4}, kBf16), ids));
  LayerBuilder decoder("decoder", 3);
  const TensorId x = decoder.input("x", {2, 4}, kBf16);
  const TensorId memory = decoder.shared("memory", {2, 4}, kBf16);
  decoder.hand_over(decoder.binary(OpKind::kMultiply, "by", x, memory));
  const PeakMemory peak = peak_of(
      {std::move(encoder).finish(), std::move(start).finish(), std::move(decoder).finish()});
  EXPECT_EQ(peak.layer, "decoder");
  EXPECT_EQ(peak.moment, Moment::kBackward);
  // Last decoder: three x, the result and memory; dy and both gradients. The next one has the sum
  // of memory's gradients beside the same, but neither its x nor the result any more.
  EXPECT_EQ(peak.saved_activations, Bytes(5 * kRow));
  EXPECT_EQ(peak.transient, Bytes(3 * kRow));
}

// y = a * b: gradients of both are made before a and b are let go.
TEST(PeakMemory, FreesWhatAGradientReadsWhenAllOfItHasRun) {
  LayerBuilder build("product");
  const TensorId a = build.input("a", {2, 4}, kBf16);
  const TensorId b = build.input("b", {2, 4}, kBf16);
  build.hand_over(build.binary(OpKind::kMultiply, "y", a, b));
  const PeakMemory peak = peak_of({std::move(build).finish()});
  EXPECT_EQ(peak.op, "y.gradient.2");
  EXPECT_EQ(peak.saved_activations, Bytes(3 * kRow));  // a, b and the caller's y
  EXPECT_EQ(peak.transient, Bytes(3 * kRow));          // dy, da, db
}

//   x read by three products of 4 x 4: their gradients of x are added up as they come, in place
TEST(PeakMemory, AddsGradientsUpAsTheyComeAndInPlace) {
  LayerBuilder build("qkv");
  const TensorId x = build.input("x", {64, 4}, kBf16);
  for (const char* name : {"q", "k", "v"}) {
    build.hand_over(
        build.linear(name, x, build.parameter(std::string(name) + ".w", {4, 4}, kBf16)));
  }
  const std::int64_t rows = 64 * 4 * 2;
  const PeakMemory peak = peak_of({std::move(build).finish()});
  // k's: x, the caller's q, k, v; dq, dk; d(x) by v and by k.
  EXPECT_EQ(peak.op, "k.weight_gradient");
  EXPECT_EQ(peak.saved_activations, Bytes(4 * rows));
  EXPECT_EQ(peak.transient, Bytes(4 * rows));
}

// logits[64,8] in bf16, a softmax of them in fp32
TEST(PeakMemory, OfALossHoldsTheOddsAndTwoGradientsOfThem) {
  LayerBuilder build("head");
  const TensorId logits = build.input("logits", {64, 8}, kBf16);
  const TensorId labels = build.constant("labels", {64}, ElementType::kI64);
  const TensorId wide = build.unary(OpKind::kCast, "to_f32", logits, ElementType::kF32);
  const TensorId odds = build.unary(OpKind::kLogSoftmax, "odds", wide);
  Operator loss;
  loss.kind = OpKind::kNllLoss;
  loss.name = "loss";
  loss.inputs = {odds, labels};
  build.hand_over(
      build.add(std::move(loss),
                {{"loss", {1}, ElementType::kF32, Role::kActivation, std::nullopt, false}})[0]);
  const PeakMemory peak = peak_of({std::move(build).finish()});
  const std::int64_t wide_bytes = 64 * 8 * 4;
  EXPECT_EQ(peak.moment, Moment::kLoss);
  EXPECT_EQ(peak.op, "odds.gradient");
  EXPECT_EQ(peak.saved_activations, Bytes(wide_bytes + 4));  // odds, loss; logits are not kept
  EXPECT_EQ(peak.transient, Bytes(2 * wide_bytes));
}

TEST(Moment, HasNames) {
  EXPECT_EQ(to_string(Moment::kForward), "forward");
  EXPECT_EQ(to_string(Moment::kOptimizer), "optimizer");
}

}  // namespace
}  // namespace phaze::graph
