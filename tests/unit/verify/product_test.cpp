// The checker of products against figures that were worked out by hand, and against wrong claims.
#include "verify/product.h"

#include <gtest/gtest.h>

#include <functional>

namespace phaze::verify {
namespace {

using plan::Bound;
using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

// Two cores of 2 x 2 elements at 1 Hz, so that cycles are seconds.
TensorMachine small_machine() {
  TensorMachine t;
  t.cores = 2;
  t.rows = t.columns = 2;
  t.clock = Hertz(1);
  t.local_buffer = Bytes(1000);
  t.local_bandwidth = BytesPerSecond(100);
  t.port_bandwidth = BytesPerSecond(50);
  t.global_buffer = Bytes(400);
  t.global_bandwidth = BytesPerSecond(25);
  t.hbm_bandwidth = BytesPerSecond(10);
  t.peak = FlopsPerSecond(16);
  t.sustained = FlopsPerSecond(8);
  t.launch = Seconds(3);
  t.tile_start = Seconds(1);
  return t;
}

//          4 columns
//   5    [ 2 x 2 | 2 x 2 ]      A is 5 x 6, B 6 x 4, elements of 2 bytes; tiles of 4 x 2 make two
//   rows [ 2 x 2 | 2 x 2 ]      rows of tiles (4 and 1 rows) and two columns: four items, two
//   waves.
//        [ 1 x 2 | 1 x 2 ]
ProductProblem small_problem() { return {1, 5, 4, 6}; }
ProductMapping small_mapping() {
  return {Dataflow::kOutput, Stationary::kC, Stationary::kA, 4, 2, 1, 5, 1, 1};
}

TEST(VerifyProduct, PricesByHand) {
  const std::optional<ProductCost> cost =
      price_product(small_problem(), small_machine(), small_mapping());
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->waves, 2);
  EXPECT_EQ(cost->launch, Seconds(3));
  // 2 + 2 cycles, and 4 deep 2 x 4 x 2 bytes of A and as many of B in, 2 x 2 x 2 of C out, at 10.
  EXPECT_DOUBLE_EQ(cost->fill.value(), 4 + (16 + 16 + 8) / 10.0);
  // A full tile: two passes of 6 cycles. Local: 48 bytes of A and 24 of B in, A once and B twice to
  // the array, 32 bytes of sums out of it and on: 72 + 48 + 48 + 64 = 232 bytes or 2.32 s. Port:
  // 72 + 16 bytes or 1.76 s. Twice 12 cycles and twice a start.
  EXPECT_DOUBLE_EQ(cost->core.value(), 2 * (12 + 1));
  EXPECT_EQ(cost->local_bytes, Bytes(4 * 232));
  EXPECT_DOUBLE_EQ(cost->power.value(), 2 * 120 / 8.0);
  // A (60 bytes) and B (48) once from HBM, C (40) to it.
  EXPECT_EQ(cost->hbm_bytes, Bytes(148));
  EXPECT_DOUBLE_EQ(cost->hbm.value(), 14.8);
  // To the cores A and B twice, C once; and what passes HBM.
  EXPECT_EQ(cost->global_bytes, Bytes(2 * 60 + 2 * 48 + 40 + 148));
  EXPECT_DOUBLE_EQ(cost->global.value(), 404 / 25.0);
  EXPECT_EQ(cost->reduction, Seconds(0));
  EXPECT_DOUBLE_EQ(cost->time.value(), 3 + 8 + 30);
  EXPECT_EQ(cost->bound, Bound::kPower);
  EXPECT_DOUBLE_EQ(cost->utilisation, 240 / (16 * 41.0));
}

TEST(VerifyProduct, PricesSplitsOfKByHand) {
  ProductMapping mapping = small_mapping();
  mapping.dataflow = Dataflow::kWeight;
  mapping.tile_m = 5;
  mapping.tile_n = 4;
  mapping.k_splits = 2;
  std::optional<ProductCost> cost = price_product(small_problem(), small_machine(), mapping);
  ASSERT_TRUE(cost.has_value());
  EXPECT_EQ(cost->waves, 1);
  // A share of 3 of k in two passes of 2 rows, two of columns, 5 rows of A each time.
  EXPECT_DOUBLE_EQ(cost->core.value(), 2 * 2 * 5 + 1);
  // In 30 + 24 bytes; B once and A twice to the array; 80 bytes of sums written, read and written,
  // and out.
  EXPECT_EQ(cost->local_bytes, Bytes(2 * (54 + 24 + 60 + 4 * 80)));
  // Sums of two shares, 160 bytes, fit half of the global buffer; C leaves in the reduction.
  EXPECT_DOUBLE_EQ(cost->hbm.value(), (60 + 48) / 10.0);
  EXPECT_DOUBLE_EQ(cost->global.value(), (60 + 48 + 160 + 108) / 25.0);
  EXPECT_DOUBLE_EQ(cost->reduction.value(), 3 + (160 + 40 + 40) / 25.0);
  EXPECT_EQ(cost->hbm_bytes, Bytes(148));
  EXPECT_EQ(cost->global_bytes, Bytes(376 + 240));

  TensorMachine machine = small_machine();
  machine.global_buffer = Bytes(319);  // sums go through HBM
  cost = price_product(small_problem(), machine, mapping);
  ASSERT_TRUE(cost.has_value());
  EXPECT_DOUBLE_EQ(cost->hbm.value(), (108 + 160) / 10.0);
  EXPECT_DOUBLE_EQ(cost->reduction.value(), 3 + 200 / 10.0);
  EXPECT_EQ(cost->hbm_bytes, Bytes(268 + 200));
}

TEST(VerifyProduct, AcceptsWhatItPrices) {
  const ProductCost cost = *price_product(small_problem(), small_machine(), small_mapping());
  EXPECT_TRUE(verify_product(small_problem(), small_machine(), small_mapping(), cost).empty());
}

TEST(VerifyProduct, NoticesEveryWrongFigure) {
  const ProductCost right = *price_product(small_problem(), small_machine(), small_mapping());
  const std::function<void(ProductCost&)> changes[] = {
      [](ProductCost& c) { c.time += Seconds(1e-6); },
      [](ProductCost& c) { c.launch += Seconds(1e-6); },
      [](ProductCost& c) { c.fill += Seconds(1e-6); },
      [](ProductCost& c) { c.core += Seconds(1e-6); },
      [](ProductCost& c) { c.power += Seconds(1e-6); },
      [](ProductCost& c) { c.global += Seconds(1e-6); },
      [](ProductCost& c) { c.hbm += Seconds(1e-6); },
      [](ProductCost& c) { c.reduction += Seconds(1e-6); },
      [](ProductCost& c) { c.bound = Bound::kHbm; },
      [](ProductCost& c) { c.bound = Bound::kNothing; },
      [](ProductCost& c) { c.utilisation += 1e-6; },
      [](ProductCost& c) { c.waves += 1; },
      [](ProductCost& c) { c.local_bytes += Bytes(1); },
      [](ProductCost& c) { c.global_bytes += Bytes(1); },
      [](ProductCost& c) { c.hbm_bytes += Bytes(1); },
  };
  for (const auto& change : changes) {
    ProductCost wrong = right;
    change(wrong);
    EXPECT_FALSE(verify_product(small_problem(), small_machine(), small_mapping(), wrong).empty());
  }
}

std::string faults_of(const ProductMapping& mapping, const TensorMachine& machine) {
  std::string text;
  for (const std::string& fault : verify_product(small_problem(), machine, mapping, {})) {
    text += fault + "\n";
  }
  return text;
}

TEST(VerifyProduct, NoticesMappingsThatAreNone) {
  const auto with = [](const std::function<void(ProductMapping&, TensorMachine&)>& change) {
    ProductMapping mapping = small_mapping();
    TensorMachine machine = small_machine();
    change(mapping, machine);
    return faults_of(mapping, machine);
  };
  using M = ProductMapping&;
  using T = TensorMachine&;
  EXPECT_EQ(with([](M m, T) { m.tile_m = 3; }), "tile_m 3 of 5 is no multiple of 2\n");
  EXPECT_EQ(with([](M m, T) { m.tile_n = 6; }), "tile_n 6 of 4 is no multiple of 2\n");
  EXPECT_EQ(with([](M m, T) { m.k_splits = 3; }), "k_splits 3 of 2 cores and 6 steps of k\n");
  EXPECT_EQ(with([](M, T t) { t.dataflows[0] = false; }),
            "the machine lacks the dataflow output\n");
  // 4 x 2 sums of 4 bytes, and twice 4 deep 4 rows and 2 columns of 2 bytes.
  EXPECT_EQ(with([](M, T t) { t.local_buffer = Bytes(127); }),
            "an item takes 128 bytes of a local buffer of 127\n");
  EXPECT_EQ(with([](M, T t) { t.accumulators = 7; }), "a tile of 8 sums on 7 accumulators\n");
  EXPECT_EQ(with([](M m, T) { m.panel = 3; }), "a panel of 3 of 5 is no multiple of the tile 4\n");
  EXPECT_EQ(with([](M, T t) { t.global_buffer = Bytes(119); }),
            "a panel of 5 takes more than half of the global buffer\n");
  const auto group = [&with](std::int64_t m, std::int64_t n, std::int64_t buffer) {
    return with([=](M mapping, T machine) {
      mapping.global = Stationary::kC;
      mapping.group_m = m;
      mapping.group_n = n;
      machine.global_buffer = Bytes(buffer);
    });
  };
  EXPECT_EQ(group(2, 2, 4000), "a group of 2 x 2 tiles in 1 shares on 2 cores\n");
  EXPECT_EQ(group(2, 1, 319), "a group takes 160 bytes, more than half of the global buffer\n");
  EXPECT_EQ(group(0, 1, 4000), "an empty group\n");
}

}  // namespace
}  // namespace phaze::verify
