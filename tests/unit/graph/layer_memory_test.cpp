#include "graph/layer_memory.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/training.h"

namespace phaze::graph {
namespace {

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr std::int64_t kRow = 16;  // bytes of two rows of four numbers

std::vector<LayerMemory> memory_of(std::vector<Layer> layers, const char* recompute = "none") {
  Model model;
  model.layers = std::move(layers);
  TrainingOptions options;
  options.precision = Precision::kBf16;
  options.recompute = *parse_recompute_policy(recompute);
  options.fusion = Fusion::kNone;
  return compute_layer_memory(to_training(std::move(model), options), Allocation::kExact);
}

// x[2,4] -- fc[4,4] -- y
Layer linear_layer(std::int64_t repeat = 1) {
  LayerBuilder build("linear", repeat);
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.linear("fc", x, build.parameter("w", {4, 4}, kBf16)));
  return std::move(build).finish();
}

// x[2,4] -- fc1[4,4] -- gelu -- fc2[4,4] -- y
Layer two_linear_layer() {
  LayerBuilder build("two");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  const TensorId h = build.linear("fc1", x, build.parameter("w1", {4, 4}, kBf16));
  const TensorId g = build.unary(OpKind::kGelu, "gelu", h);
  build.hand_over(build.linear("fc2", g, build.parameter("w2", {4, 4}, kBf16)));
  return std::move(build).finish();
}

// Each layer saves its input. Forward the result is there besides, backward the gradients of result
// and input.
TEST(LayerMemory, OfAProduct) {
  const auto memory = memory_of({linear_layer(3), linear_layer()});
  ASSERT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory[0].saved, Bytes(kRow));
  EXPECT_EQ(memory[0].transient, Bytes(2 * kRow));
  // The last layer's result stays with the caller until backward.
  EXPECT_EQ(memory[1].saved, Bytes(2 * kRow));
  EXPECT_EQ(memory[1].transient, Bytes(2 * kRow));
}

TEST(LayerMemory, DoesNotDependOnRepeats) {
  const auto few = memory_of({linear_layer(5), linear_layer()});
  const auto many = memory_of({linear_layer(500), linear_layer()});
  EXPECT_EQ(few, many);
}

//   saved: x, h, g; with full recomputation x, from which h and g are made again
TEST(LayerMemory, RecomputationMovesWhatIsSavedToWhatIsNeededBesides) {
  const auto none = memory_of({two_linear_layer(), linear_layer()});
  const auto full = memory_of({two_linear_layer(), linear_layer()}, "full");
  EXPECT_EQ(none[0].saved, Bytes(3 * kRow));
  EXPECT_EQ(full[0].saved, Bytes(kRow));
  // All alive at fc2's gradients: x, h, g, dy, dg; those of x, h and dy, dg in either case.
  EXPECT_EQ(none[0].saved + none[0].transient, Bytes(5 * kRow));
  EXPECT_EQ(full[0].saved + full[0].transient, Bytes(6 * kRow));  // y is made again too
}

// The table of an embedding and its gradient are counted elsewhere; a tied one's second gradient
// and their sum stand beside the first.
TEST(LayerMemory, LeavesGradientsOfParametersOut) {
  const auto embedding = [] {
    LayerBuilder build("embedding");
    const TensorId ids = build.constant("ids", {2}, ElementType::kI64);
    build.hand_over(build.embedding("rows", build.parameter("table", {64, 4}, kBf16), ids));
    return std::move(build).finish();
  };
  const auto head = [](bool is_tied) {
    LayerBuilder build("head");
    const TensorId x = build.input("x", {2, 4}, kBf16);
    build.hand_over(build.linear("project", x, build.parameter("table", {64, 4}, kBf16, is_tied)));
    return std::move(build).finish();
  };
  constexpr std::int64_t kTable = std::int64_t{64} * 4 * 2;
  const auto own = memory_of({embedding(), head(false)});
  const auto tied = memory_of({embedding(), head(true)});
  EXPECT_EQ(own[0].transient, Bytes(kRow));
  EXPECT_EQ(tied[0].transient, Bytes(kRow + 2 * kTable));
}

// Two layers read what the first hands over besides: it belongs to the first of them.
TEST(LayerMemory, OfSharedTensors) {
  LayerBuilder first("first");
  const TensorId a = first.input("x", {2, 4}, kBf16);
  first.hand_over(first.linear("fc1", a, first.parameter("w1", {4, 4}, kBf16)));
  first.hand_over(first.linear("fc2", a, first.parameter("w2", {4, 4}, kBf16)));
  const auto reader = [](const char* name) {
    LayerBuilder build(name);
    const TensorId x = build.input("x", {2, 4}, kBf16);
    const TensorId memory = build.shared("memory", {2, 4}, kBf16);
    build.hand_over(build.binary(OpKind::kMultiply, "product", x, memory));
    return std::move(build).finish();
  };
  const auto memory = memory_of({std::move(first).finish(), reader("second"), reader("third")});
  EXPECT_EQ(memory[0].saved, Bytes(kRow));
  EXPECT_EQ(memory[1].saved, Bytes(2 * kRow));  // its input, and what is shared
  EXPECT_EQ(memory[2].saved, Bytes(2 * kRow));  // its input, and the last result
  EXPECT_GE(memory[2].transient, Bytes(2 * kRow));
}

// The first layer's backward reads its result too, and is the last to do so. On a device of its own
// the second needs it all the same.
TEST(LayerMemory, AnInputIsSavedWhoeverElseReadsIt) {
  LayerBuilder first("first");
  const TensorId x = first.input("x", {2, 4}, kBf16);
  const TensorId y = first.linear("fc", x, first.parameter("w", {4, 4}, kBf16));
  first.hand_over(first.unary(OpKind::kRelu, "relu", y));
  const auto memory = memory_of({std::move(first).finish(), linear_layer(), linear_layer()});
  EXPECT_EQ(memory[0].saved, Bytes(2 * kRow));
  EXPECT_EQ(memory[1].saved, Bytes(kRow));
}

}  // namespace
}  // namespace phaze::graph
