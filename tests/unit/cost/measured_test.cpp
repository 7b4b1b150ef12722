#include "cost/measured.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/operator.h"
#include "graph/backward.h"
#include "graph/builder.h"
#include "graph/fuse.h"
#include "graph/optimizer.h"
#include "graph/verify.h"
#include "io/measured_reader.h"
#include "presets/chips.h"
#include "support/layers.h"
#include "support/measured.h"

namespace phaze::cost {
namespace {

using graph::ElementType;
using graph::Layer;
using graph::LayerBuilder;
using graph::OpKind;
using graph::TensorId;
using plan::MeasuredOperator;
using tests::measured_product;
using tests::measured_rows;
using tests::op_of;
using tests::simple_price;
using tests::simple_time;

constexpr ElementType kType = ElementType::kBf16;

std::vector<MeasuredOperator> read(const std::string& rows) {
  Diagnostics diagnostics;
  const auto measured = io::read_measured("kind,pass,shape,kv_heads,causal,type,time_us\n" + rows,
                                          "m.csv", diagnostics);
  EXPECT_TRUE(measured) << to_string(diagnostics);
  return measured.value();
}

OperatorKey key_in(const Layer& layer, const std::string& name) {
  return key_of(layer, op_of(layer, name));
}

OperatorKey key_read(const std::string& row) { return tests::key_of(read(row)[0]); }

// x[2,8,32] through what a block is made of.
Layer block() {
  LayerBuilder build("block");
  const TensorId x = build.input("x", {2, 8, 32}, kType);
  TensorId y = build.layer_norm(
      "layer_norm", x, {build.parameter("lw", {32}, kType), build.parameter("lb", {32}, kType)});
  y = build.rms_norm("rms_norm", y, {build.parameter("rw", {32}, kType)});
  const TensorId q = build.linear("q", y, build.parameter("qw", {32, 32}, kType));
  const TensorId k = build.linear("k", y, build.parameter("kw", {16, 32}, kType));
  const TensorId v = build.linear("v", y, build.parameter("vw", {16, 32}, kType));
  y = build.attention("attention", {q, k, v}, {2, 4, 2, 8, 8, 8, true, 0}, {2, 8, 32});
  y = build.binary(OpKind::kAdd, "residual", y, x);
  y = build.linear("up", y, build.parameter("up.weight", {64, 32}, kType));
  y = build.unary(OpKind::kGelu, "gelu", y);
  y = build.unary(OpKind::kSoftmax, "softmax", y);
  y = build.dropout("dropout", y);
  build.hand_over(y);
  return graph::add_backward(std::move(build).finish(), {});
}

TEST(MeasuredKeys, AreThoseOfOperatorsInAGraph) {
  const Layer layer = block();
  ASSERT_EQ(tests::faults_of(layer), "");
  EXPECT_EQ(key_in(layer, "up"), key_read("product,,16x64x32,,,,1\n"));
  EXPECT_EQ(key_in(layer, "up"), key_read("gemm,forward,16x64x32x1,,,,1\n"));
  EXPECT_EQ(key_in(layer, "up.data_gradient"), key_read("product,backward,16x32x64,,,,1\n"));
  EXPECT_EQ(key_in(layer, "attention"), key_read("attention,,2x4x8x8,2,1,,1\n"));
  EXPECT_EQ(key_in(layer, "attention.gradient"), key_read("attention,backward,2x4x8x8,2,1,,1\n"));
  for (const std::string name : {"layer_norm", "rms_norm"}) {
    EXPECT_EQ(key_in(layer, name), key_read(name + ",,16x32,,,,1\n"));
    EXPECT_EQ(key_in(layer, name + ".gradient"), key_read(name + ",backward,16x32,,,,1\n"));
  }
  for (const std::string name : {"gelu", "softmax", "dropout"}) {
    EXPECT_EQ(key_in(layer, name), key_read(name + ",,16x64,,,,1\n"));
    EXPECT_EQ(key_in(layer, name + ".gradient"), key_read(name + ",backward,16x64,,,,1\n"));
  }
  EXPECT_EQ(key_in(layer, "residual"), key_read("add,,16x32,,,,1\n"));
  // A gradient's sum is an addition like any other.
  EXPECT_EQ(key_in(layer, "d(x).sum"), key_read("add,backward,16x32,,,,1\n"));
  // A weight's gradient is a product whose result is wider.
  const OperatorKey gradient = key_in(layer, "up.weight_gradient");
  const OperatorKey row = key_read("product,backward,64x32x16,,,,1\n");
  EXPECT_TRUE(is_same_operator(gradient, row));
  EXPECT_EQ(gradient.bytes - row.bytes, Bytes(64 * 32 * 2));
  EXPECT_FALSE(is_same_operator(gradient, key_read("product,,64x32x16,,,,1\n")));
  EXPECT_FALSE(is_same_operator(gradient, key_read("product,backward,64x32x16,,,f32,1\n")));
}

TEST(MeasuredKeys, RowsThatArePickedCountByTheResult) {
  LayerBuilder build("embedding");
  const TensorId table = build.parameter("table", {1000, 8}, kType);
  const TensorId ids = build.constant("ids", {4, 5}, ElementType::kI64);
  build.hand_over(build.embedding("embedding", table, ids));
  const Layer layer = graph::add_backward(std::move(build).finish(), {});
  EXPECT_EQ(key_in(layer, "embedding"), key_read("embedding,,20x8,,,,1\n"));
  EXPECT_EQ(key_in(layer, "embedding.gradient").extents, (plan::OperatorExtents{1000, 8}));
}

TEST(MeasuredKeys, OptimizersCountTheirParameters) {
  const Layer layer = graph::add_optimizer(tests::with_backward(tests::mlp_layer()),
                                           graph::Precision::kMixed, graph::OptimizerKind::kAdam);
  // fc1 and its bias, fc2.
  EXPECT_EQ(key_in(layer, "adam"), key_read("adam,,72x1,,,f32,1\n"));
}

// Every kind that a table may hold, both ways.
TEST(MeasuredSamples, AreSoundLayers) {
  int kinds = 0;
  for (const OpKind kind : graph::all_op_kinds()) {
    const graph::Unit unit = graph::traits(kind).unit;
    if (unit != graph::Unit::kTensor && unit != graph::Unit::kVector) {
      EXPECT_THROW(make_sample(measured_rows(kind, 4, 6, Seconds(1))), std::logic_error);
      continue;
    }
    ++kinds;
    for (const bool is_backward : {false, true}) {
      MeasuredOperator measured = measured_rows(kind, 4, 6, Seconds(1), is_backward);
      measured.product = {2, 3, 4, 5};
      measured.attention = {2, 4, 2, 3, 5, 8, true, 2};
      const Sample sample = make_sample(measured);
      const graph::Operator& op = sample.layer.operators[sample.op];
      EXPECT_EQ(tests::faults_of(sample.layer), "") << to_string(kind);
      EXPECT_EQ(op.kind, kind);
      const OperatorKey key = key_of(sample.layer, op);
      EXPECT_EQ(key.is_backward, is_backward && plan::has_backward_form(kind)) << to_string(kind);
      EXPECT_EQ(key.type, kType) << to_string(kind);
      const bool is_optimizer = kind == OpKind::kAdam || kind == OpKind::kSgd;
      EXPECT_EQ(key.extents,
                is_optimizer ? (plan::OperatorExtents{1, 24}) : plan::extents_of(measured))
          << to_string(kind);
      EXPECT_GT(key.work.value(), 0) << to_string(kind);
      EXPECT_GT(key.bytes.value(), 0) << to_string(kind);
    }
  }
  EXPECT_EQ(kinds, 41);
}

TEST(MeasuredTable, SeveralMeasurementsOfAnOperatorAreTheirMedian) {
  const std::vector<MeasuredOperator> rows = read(
      "gelu,,64x64,,,,3\nsilu,,64x64,,,,9\ngelu,,64x64,,,,2\ngelu,,64x64,,,,4\n"
      "silu,,64x64,,,,7\n");
  const MeasuredTable table = make_table(rows, simple_price);
  ASSERT_EQ(table.rows.size(), 2U);
  for (const MeasuredOperator& row : {rows[0], rows[1]}) {
    const Lookup found = look_up(table, tests::key_of(row), simple_time(row));
    EXPECT_EQ(found.source, plan::CostSource::kExact);
    EXPECT_DOUBLE_EQ(found.time.value(), row.kind == OpKind::kGelu ? 3e-6 : 8e-6);
  }
}

TEST(MeasuredTable, WhatTheModelCannotPriceIsLeftOut) {
  const auto rows = read("gelu,,64x64,,,,3\nproduct,,8x8x8,,,,9\n");
  const MeasuredTable table =
      make_table(rows, [](const Layer& layer, const graph::Operator& op) -> std::optional<Seconds> {
        return op.product ? std::nullopt : std::optional(simple_time(layer, op));
      });
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.unpriced, 1U);
  EXPECT_EQ(look_up(table, tests::key_of(rows[1]), Seconds(5)).source, plan::CostSource::kModel);
}

TEST(MeasuredTable, AnEmptyOneChangesNothing) {
  const Lookup found = look_up(make_table({}, simple_price), OperatorKey{}, Seconds(5));
  EXPECT_EQ(found.source, plan::CostSource::kModel);
  EXPECT_EQ(found.time, Seconds(5));
}

// Measured at 1 and 4 million elements at twice and eight times the model's time:
//   rows     1024 ... 2048 ... 4096       ratio  2 ... 4 ... 8
TEST(LookUp, BetweenTwoRowsTheGeometricMean) {
  const auto at = [](std::int64_t rows) { return measured_rows(OpKind::kGelu, rows, 1024, {}); };
  MeasuredOperator low = at(1024);
  MeasuredOperator high = at(4096);
  low.time = simple_time(low) * 2;
  high.time = simple_time(high) * 8;
  const MeasuredTable table = make_table({low, high}, simple_price);
  const MeasuredOperator middle = at(2048);
  const Lookup found = look_up(table, tests::key_of(middle), simple_time(middle));
  EXPECT_EQ(found.source, plan::CostSource::kInterpolated);
  EXPECT_NEAR(found.time.value() / simple_time(middle).value(), 4, 1e-9);
  // Next to a row nearly its ratio: the other one, log 4 away in both, weighs 1/16 / (2 log^2 4 +
  // 1/16) as much. Beyond the rows the model.
  const MeasuredOperator near = at(1025);
  const double other = 0.0625 / (2 * std::log(4) * std::log(4) + 0.0625);
  EXPECT_NEAR(look_up(table, tests::key_of(near), Seconds(1)).time.value(),
              2 * std::pow(4, other / (1 + other)), 1e-3);
  for (const std::int64_t rows : {1023, 4097}) {
    const Lookup outside = look_up(table, tests::key_of(at(rows)), Seconds(1));
    EXPECT_EQ(outside.source, plan::CostSource::kModel);
    EXPECT_EQ(outside.time, Seconds(1));
  }
}

TEST(LookUp, AHoleInTheTableIsTheModels) {
  const auto at = [](std::int64_t rows) {
    return measured_rows(OpKind::kGelu, rows, 1024, Seconds(1));
  };
  const MeasuredTable table = make_table({at(16), at(16 * 20)}, simple_price);
  EXPECT_EQ(look_up(table, tests::key_of(at(16 * 3)), Seconds(1)).source,
            plan::CostSource::kInterpolated);
  EXPECT_EQ(look_up(table, tests::key_of(at(72)), Seconds(1)).source, plan::CostSource::kModel);
  EXPECT_EQ(look_up(table, tests::key_of(at(16 * 6)), Seconds(1)).source,
            plan::CostSource::kInterpolated);
}

// The same work and bytes, another shape: all rows there weigh alike.
TEST(LookUp, RowsInOnePlaceShareTheirWeight) {
  MeasuredOperator wide = measured_product(512, 1024, 2048, {});
  MeasuredOperator tall = measured_product(1024, 2048, 512, {});
  wide.time = simple_time(wide) * 2;
  tall.time = simple_time(tall) * 8;
  const MeasuredTable table = make_table({wide, tall}, simple_price);
  const OperatorKey other = tests::key_of(measured_product(2048, 512, 1024, {}));
  EXPECT_NEAR(look_up(table, other, Seconds(1)).time.value(), 4, 1e-9);
}

TEST(LookUp, AnEpilogueTakesTheRatioOfTheOperatorItRidesOn) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {64, 64}, kType);
  TensorId y = build.linear("up", x, build.parameter("w", {64, 64}, kType),
                            build.parameter("b", {64}, kType));
  y = build.binary(OpKind::kAdd, "residual", y, x);
  build.hand_over(y);
  const Layer layer = graph::fuse_elementwise(std::move(build).finish(), graph::Fusion::kFull);
  ASSERT_EQ(layer.operators.size(), 1U);
  const graph::Operator& op = layer.operators[graph::OpId(0)];
  MeasuredOperator row = measured_product(64, 64, 64, {});
  row.time = simple_time(row) * 3;
  const MeasuredTable table = make_table({row}, simple_price);
  const Lookup found = look_up(table, key_of(layer, op), simple_time(layer, op));
  EXPECT_EQ(found.source, plan::CostSource::kInterpolated);
  EXPECT_GT(simple_time(layer, op), simple_time(row));
  EXPECT_DOUBLE_EQ(found.time.value(), simple_time(layer, op).value() * 3);
}

TEST(LookUp, KindsPassesAndTypesAreApart) {
  const auto rows = read("gelu,,64x64,,,,3\nproduct,,64x64x64,,,,5\n");
  const MeasuredTable table = make_table(rows, simple_price);
  const auto source = [&](const std::string& row) {
    const MeasuredOperator measured = read(row)[0];
    return look_up(table, tests::key_of(measured), simple_time(measured)).source;
  };
  EXPECT_EQ(source("gelu,,64x64,,,,1\n"), plan::CostSource::kExact);
  EXPECT_EQ(source("silu,,64x64,,,,1\n"), plan::CostSource::kModel);
  EXPECT_EQ(source("gelu,backward,64x64,,,,1\n"), plan::CostSource::kModel);
  EXPECT_EQ(source("gelu,,64x64,,,f32,1\n"), plan::CostSource::kModel);
  // Backward products take forward ones where there are no others.
  EXPECT_EQ(source("product,backward,64x64x64,,,,1\n"), plan::CostSource::kExact);
  const MeasuredTable both =
      make_table(read("product,,64x64x64,,,,5\nproduct,backward,32x32x32,,,,1\n"), simple_price);
  const MeasuredOperator backward = read("product,backward,64x64x64,,,,1\n")[0];
  EXPECT_EQ(look_up(both, tests::key_of(backward), Seconds(1)).source, plan::CostSource::kModel);
}

TEST(LookUp, AnOperatorWithoutTimeKeepsNone) {
  const auto rows = read("gelu,,64x64,,,,3\n");
  const MeasuredTable table = make_table(rows, simple_price);
  const Lookup found = look_up(table, tests::key_of(rows[0]), Seconds(0));
  EXPECT_EQ(found.time, Seconds(0));
  EXPECT_EQ(found.source, plan::CostSource::kModel);
}

TEST(MeasuredTable, IsPricedByTheModelOfTheChip) {
  Diagnostics diagnostics;
  const hw::Chip chip = presets::load_chip("h100", {}, diagnostics).value();
  CostContext context = make_context(chip);
  const auto rows = read(
      "product,,4096x4096x4096,,,,300\nproduct,,8x8x8,,,i8,9\nattention,,1x16x2048x128,,1,,90\n"
      "rms_norm,backward,4096x4096,,,,50\n");
  const MeasuredTable table = make_table(rows, context);
  const Sample sample = make_sample(rows[0]);
  const graph::Operator& op = sample.layer.operators[sample.op];
  const Seconds modelled =
      compute_operator_cost(context, sample.layer, op, all_in_hbm(sample.layer, op)).time;
  const Lookup found = look_up(table, key_of(sample.layer, op), modelled);
  EXPECT_EQ(found.source, plan::CostSource::kExact);
  EXPECT_EQ(found.time, rows[0].time);
  // A context that uses the table prices another one as before.
  context.table = &table;
  const MeasuredTable again = make_table(rows, context);
  ASSERT_EQ(again.rows.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(again.rows[i].modelled, table.rows[i].modelled);
  }
}

}  // namespace
}  // namespace phaze::cost
