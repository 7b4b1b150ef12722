// What must hold for every table of measured operators.
#include "cost/measured.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cost/operator.h"
#include "presets/chips.h"
#include "support/measured.h"

namespace phaze::cost {
namespace {

using graph::OpKind;
using plan::MeasuredOperator;

std::int64_t pick(std::int64_t least, std::int64_t most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

// Few distinct extents, so that rows meet.
std::int64_t extent() { return pick(1, 6) << pick(0, 6); }

MeasuredOperator arbitrary_operator() {
  MeasuredOperator measured;
  measured.kind = *rc::gen::elementOf(
      std::vector<OpKind>{OpKind::kProduct, OpKind::kProduct, OpKind::kAttention, OpKind::kRmsNorm,
                          OpKind::kGelu, OpKind::kSoftmax, OpKind::kCast});
  measured.is_backward = pick(0, 1) == 1 && plan::has_backward_form(measured.kind);
  measured.product = {pick(1, 2), extent(), extent(), extent()};
  const std::int64_t kv_heads = pick(1, 3);
  measured.attention = {pick(1, 3), kv_heads * pick(1, 3), kv_heads, extent(), extent(),
                        64,         pick(0, 1) == 1,       0};
  measured.rows = extent();
  measured.columns = extent();
  return measured;
}

// Times within a factor of eight of the simple model's.
std::vector<MeasuredOperator> arbitrary_rows() {
  std::vector<MeasuredOperator> rows(static_cast<std::size_t>(pick(1, 60)));
  for (MeasuredOperator& row : rows) {
    row = arbitrary_operator();
    row.time = tests::simple_time(row) * std::exp2(static_cast<double>(pick(-300, 300)) / 100);
  }
  return rows;
}

auto identity(const OperatorKey& key) {
  return std::tuple(key.kind, key.is_backward, key.type, key.extents);
}

bool is_family(const OperatorKey& row, const OperatorKey& key) {
  return row.kind == key.kind && row.is_backward == key.is_backward && row.type == key.type;
}

bool has_family(const MeasuredTable& table, const OperatorKey& key) {
  return std::ranges::any_of(table.rows,
                             [&](const MeasuredRow& row) { return is_family(row.key, key); });
}

double logarithm(double value) { return std::log(std::max(1.0, value)); }

// The definition, word by word and without an index.
std::optional<double> plain_ratio(const MeasuredTable& table, OperatorKey key) {
  if (!has_family(table, key) && key.kind == OpKind::kProduct) {
    key.is_backward = false;
  }
  const double work = logarithm(key.work.value());
  const double bytes = logarithm(static_cast<double>(key.bytes.value()));
  double least_work = 1e300;
  double most_work = -1;
  double least_bytes = 1e300;
  double most_bytes = -1;
  std::vector<std::pair<double, double>> near;  // squared distance, logarithm of the ratio
  for (const MeasuredRow& row : table.rows) {
    if (!is_family(row.key, key)) {
      continue;
    }
    const double x = logarithm(row.key.work.value());
    const double y = logarithm(static_cast<double>(row.key.bytes.value()));
    least_work = std::min(least_work, x);
    most_work = std::max(most_work, x);
    least_bytes = std::min(least_bytes, y);
    most_bytes = std::max(most_bytes, y);
    if (std::abs(x - work) <= std::log(4.0) && std::abs(y - bytes) <= std::log(4.0)) {
      near.emplace_back((x - work) * (x - work) + (y - bytes) * (y - bytes),
                        std::log(row.measured.value() / row.modelled.value()));
    }
  }
  if (near.empty() || work < least_work || work > most_work || bytes < least_bytes ||
      bytes > most_bytes) {
    return std::nullopt;
  }
  std::ranges::stable_sort(near, {}, [](const auto& each) { return each.first; });
  // Which of several at the same distance is the fourth is not part of the definition.
  if (near.size() > 4 && near[4].first - near[3].first < 1e-9) {
    return std::nan("");
  }
  near.resize(std::min<std::size_t>(near.size(), 4));
  double weights = 0;
  double sum = 0;
  for (const auto& [distance, ratio] : near) {
    weights += 1 / (distance + 0.0625);
    sum += ratio / (distance + 0.0625);
  }
  return std::exp(sum / weights);
}

RC_GTEST_PROP(MeasuredTables, RowsReproduceTheirTimes, ()) {
  const std::vector<MeasuredOperator> rows = arbitrary_rows();
  const MeasuredTable table = make_table(rows, tests::simple_price);
  for (const MeasuredOperator& row : rows) {
    const OperatorKey key = tests::key_of(row);
    std::vector<double> times;
    for (const MeasuredOperator& other : rows) {
      if (identity(tests::key_of(other)) == identity(key)) {
        times.push_back(other.time.value());
      }
    }
    std::ranges::sort(times);
    const double median = times.size() % 2 == 1
                              ? times[times.size() / 2]
                              : (times[times.size() / 2 - 1] + times[times.size() / 2]) / 2;
    const Lookup found = look_up(table, key, tests::simple_time(row));
    RC_ASSERT(found.source == plan::CostSource::kExact);
    RC_ASSERT(found.time.value() == median);
  }
}

RC_GTEST_PROP(MeasuredTables, RatiosStayBetweenThoseOfTheTable, ()) {
  const MeasuredTable table = make_table(arbitrary_rows(), tests::simple_price);
  for (int i = 0; i < 20; ++i) {
    const MeasuredOperator any = arbitrary_operator();
    OperatorKey key = tests::key_of(any);
    const Seconds modelled = tests::simple_time(any);
    const Lookup found = look_up(table, key, modelled);
    if (found.source == plan::CostSource::kModel) {
      RC_ASSERT(found.time == modelled);
      continue;
    }
    if (!has_family(table, key)) {
      RC_ASSERT(key.kind == OpKind::kProduct);
      RC_ASSERT(key.is_backward);
      key.is_backward = false;
    }
    double least = 1e300;
    double most = 0;
    for (const MeasuredRow& row : table.rows) {
      if (is_family(row.key, key)) {
        least = std::min(least, row.measured.value() / row.modelled.value());
        most = std::max(most, row.measured.value() / row.modelled.value());
      }
    }
    const double ratio = found.time.value() / modelled.value();
    RC_ASSERT(ratio >= least * (1 - 1e-12));
    RC_ASSERT(ratio <= most * (1 + 1e-12));
  }
}

RC_GTEST_PROP(MeasuredTables, TheIndexFindsWhatTheDefinitionSays, ()) {
  const MeasuredTable table = make_table(arbitrary_rows(), tests::simple_price);
  for (int i = 0; i < 20; ++i) {
    const MeasuredOperator any = arbitrary_operator();
    const OperatorKey key = tests::key_of(any);
    const Lookup found = look_up(table, key, tests::simple_time(any));
    if (found.source == plan::CostSource::kExact) {
      continue;
    }
    const std::optional<double> expected = plain_ratio(table, key);
    RC_ASSERT((found.source == plan::CostSource::kInterpolated) == expected.has_value());
    if (expected && !std::isnan(*expected)) {
      const double ratio = found.time.value() / tests::simple_time(any).value();
      RC_ASSERT(std::abs(ratio / *expected - 1) < 1e-9);
    }
  }
}

// Also where operands stay on the chip, so that the model says less than for the row.
RC_GTEST_PROP(MeasuredTables, TheModelsOwnTimesChangeNothing, ()) {
  Diagnostics diagnostics;
  static const hw::Chip kChip = presets::load_chip("h100", {}, diagnostics).value();
  static const CostContext kContext = make_context(kChip);
  const auto price = [](const MeasuredOperator& any, const Placement* placement) {
    const Sample sample = make_sample(any);
    const graph::Operator& op = sample.layer.operators[sample.op];
    return compute_operator_cost(kContext, sample.layer, op,
                                 placement != nullptr ? *placement : all_in_hbm(sample.layer, op))
        .time;
  };
  std::vector<MeasuredOperator> rows = arbitrary_rows();
  for (MeasuredOperator& row : rows) {
    row.time = price(row, nullptr);
  }
  const MeasuredTable table = make_table(rows, kContext);
  RC_ASSERT(table.unpriced == 0U);
  const Placement on_chip{Bytes(), Bytes(), Bytes(pick(1, 1000))};
  for (const MeasuredOperator& any : {rows[0], arbitrary_operator(), arbitrary_operator()}) {
    for (const Placement* placement : {static_cast<const Placement*>(nullptr), &on_chip}) {
      const Seconds modelled = price(any, placement);
      RC_ASSERT(look_up(table, tests::key_of(any), modelled).time == modelled);
    }
  }
}

RC_GTEST_PROP(MeasuredTables, TheOrderOfRowsDoesNotMatter, ()) {
  std::vector<MeasuredOperator> rows = arbitrary_rows();
  const MeasuredTable table = make_table(rows, tests::simple_price);
  std::ranges::reverse(rows);
  const MeasuredTable other = make_table(rows, tests::simple_price);
  for (int i = 0; i < 20; ++i) {
    const MeasuredOperator any = arbitrary_operator();
    const OperatorKey key = tests::key_of(any);
    RC_ASSERT(look_up(table, key, Seconds(1)).time == look_up(other, key, Seconds(1)).time);
  }
}

}  // namespace
}  // namespace phaze::cost
