#include "graph/allocation.h"

#include <gtest/gtest.h>

#include "graph/backward.h"
#include "graph/builder.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

constexpr ElementType kBf16 = ElementType::kBf16;
constexpr std::int64_t kMebi = std::int64_t{1} << 20;

Bytes cached(std::int64_t size) { return allocated_bytes(Bytes(size), Allocation::kCaching); }

TEST(Allocation, OfExactBytesIsTheSize) {
  EXPECT_EQ(allocated_bytes(Bytes(1), Allocation::kExact), Bytes(1));
  EXPECT_EQ(allocated_bytes(Bytes(kMebi + 1), Allocation::kExact), Bytes(kMebi + 1));
}

TEST(Allocation, OfTheCachingAllocatorIsInBlocksOf512Bytes) {
  EXPECT_EQ(cached(1), Bytes(512));
  EXPECT_EQ(cached(512), Bytes(512));
  EXPECT_EQ(cached(513), Bytes(1024));
  EXPECT_EQ(cached(5 * kMebi + 1), Bytes(5 * kMebi + 512));
}

// From 10 MiB on in a segment of 2 MiB steps, whose rest is cut off only if it is over 1 MiB.
TEST(Allocation, OfLargeTensorsMayTakeTheRestOfTheirSegment) {
  EXPECT_EQ(cached(20 * kMebi), Bytes(20 * kMebi));
  EXPECT_EQ(cached(20 * kMebi + 512), Bytes(20 * kMebi + 512));
  EXPECT_EQ(cached(21 * kMebi - 512), Bytes(21 * kMebi - 512));
  EXPECT_EQ(cached(21 * kMebi), Bytes(22 * kMebi));
  EXPECT_EQ(cached(1600 * 6400 * 2), Bytes(20 * kMebi));  // of GPT-2 XL: 19.53 MiB
}

// Segments of 20 MiB: four of 4.75 MiB leave 1 MiB, which is not cut off: the fourth has it.
TEST(PackedSizes, ShareWhatSegmentsLeave) {
  const Bytes size(19 * kMebi / 4);
  const PackedSizes packed(std::vector<Bytes>(8, size), Allocation::kCaching);
  EXPECT_EQ(packed.of(size), Bytes(5 * kMebi));
  EXPECT_EQ(packed.of(Bytes(3)), Bytes(512));
}

// 3 MiB leave 2 of a segment's 20 after six; a tensor of 1.5 MiB fits there, and takes all of it.
TEST(PackedSizes, FillGapsWithWhatFits) {
  std::vector<Bytes> sizes(6, Bytes(3 * kMebi));
  sizes.push_back(Bytes(3 * kMebi / 2));
  const PackedSizes packed(sizes, Allocation::kCaching);
  EXPECT_EQ(packed.of(Bytes(3 * kMebi)), Bytes(3 * kMebi));
  EXPECT_EQ(packed.of(Bytes(3 * kMebi / 2)), Bytes(2 * kMebi));
}

TEST(PackedSizes, AreTheSizesWhenExact) {
  const Bytes size(19 * kMebi / 4);
  EXPECT_EQ(PackedSizes({size, size, size, size}, Allocation::kExact).of(size), size);
}

Bytes kernel_bytes_of(const Layer& layer, const std::string& op) {
  return kernel_bytes(layer, tests::op_of(layer, op));
}

// Figures of PyTorch 2.11 on an H200: what the allocator's peak was above the results while the
// operator ran, blocks of semaphores (512 bytes) left out.
TEST(KernelBytes, OfSumsOverRowsAreThoseThatWereMeasured) {
  struct Measured {
    std::int64_t rows, columns, bytes;
  };
  for (const Measured& m : {Measured{1024, 1024, 8388608}, Measured{1024, 4096, 33554432},
                            Measured{2048, 1600, 26214400}, Measured{2048, 6400, 104857600},
                            Measured{4096, 6144, 138412032}, Measured{4096, 10240, 141557760},
                            Measured{4096, 51200, 157286400}, Measured{8192, 256, 16777216},
                            Measured{8192, 4096, 138412032}, Measured{1024, 30522, 0}}) {
    LayerBuilder build("layer");
    const TensorId x = build.input("x", {m.rows, m.columns}, kBf16);
    build.hand_over(
        build.binary(OpKind::kAdd, "add", x, build.parameter("bias", {m.columns}, kBf16)));
    const Layer layer = add_backward(std::move(build).finish(), {kBf16});
    EXPECT_EQ(kernel_bytes_of(layer, "add.gradient"), Bytes(m.bytes))
        << m.rows << " x " << m.columns;
  }
}

TEST(KernelBytes, OfAttentionsGradientAreThoseThatWereMeasured) {
  const auto measure = [](AttentionShape shape) {
    LayerBuilder build("layer");
    const auto input = [&](const char* name, std::int64_t heads, std::int64_t length) {
      return build.input(name, {shape.batch, length, heads * shape.head_dim}, kBf16);
    };
    const TensorId q = input("q", shape.heads, shape.queries);
    const TensorId k = input("k", shape.kv_heads, shape.keys);
    const TensorId v = input("v", shape.kv_heads, shape.keys);
    build.hand_over(build.attention("attention", {q, k, v}, shape, build.shape(q)));
    const Layer layer = add_backward(std::move(build).finish(), {kBf16});
    EXPECT_EQ(kernel_bytes_of(layer, "attention"), Bytes());
    return kernel_bytes_of(layer, "attention.gradient");
  };
  AttentionShape shape;
  shape.batch = 2;
  shape.heads = shape.kv_heads = 32;
  shape.queries = shape.keys = 4096;
  shape.head_dim = 128;
  EXPECT_EQ(measure(shape), Bytes(135266304));  // Llama 2 7B
  shape.kv_heads = 8;
  EXPECT_EQ(measure(shape), Bytes(269484032));  // Mistral 7B
}

TEST(KernelBytes, OfSoftmaxAndPowersAreWholeCopies) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kBf16);
  build.hand_over(build.unary(OpKind::kSoftmax, "softmax", x));
  build.hand_over(build.unary(OpKind::kPower, "power", x));
  const Layer layer = add_backward(std::move(build).finish(), {kBf16});
  EXPECT_EQ(kernel_bytes_of(layer, "softmax"), Bytes());
  EXPECT_EQ(kernel_bytes_of(layer, "softmax.gradient"), Bytes(16));
  EXPECT_EQ(kernel_bytes_of(layer, "power.gradient"), Bytes(32));
}

// 8192 ids of 32000 rows of 4096: measured 148037120, sorting included.
TEST(KernelBytes, OfATablesGradientAreNearTheMeasured) {
  const auto measure = [](std::int64_t ids, std::int64_t rows, std::int64_t width) {
    LayerBuilder build("layer");
    const TensorId indices = build.constant("ids", {ids}, ElementType::kI64);
    build.hand_over(build.embedding("rows", build.parameter("w", {rows, width}, kBf16), indices));
    const Layer layer = add_backward(std::move(build).finish(), {kBf16});
    return static_cast<double>(kernel_bytes_of(layer, "rows.gradient").value());
  };
  EXPECT_NEAR(measure(8192, 32000, 4096), 148037120, 20e3);
  EXPECT_NEAR(measure(4096, 2050, 1024), 10225152, 60e3);
  EXPECT_EQ(measure(3072, 32000, 4096), 0);
}

}  // namespace
}  // namespace phaze::graph
