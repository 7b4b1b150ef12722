// Ratios of measured to modelled time are smooth where times are not: the model knows of tiles,
// waves and launches, and what it gets wrong changes slowly from shape to shape. So neighbours lend
// a ratio, not a time. Inverse-distance weights keep it between the neighbours' ratios (Shepard
// 1968); nothing is extrapolated.
#include "cost/measured.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "cost/measured_sample.h"
#include "cost/operator.h"
#include "graph/work.h"

namespace phaze::cost {
namespace {

using graph::Layer;
using graph::Operator;
using graph::OpKind;
using graph::TensorId;
using plan::MeasuredOperator;
using Family = MeasuredTable::Family;
using Point = MeasuredTable::Point;

constexpr std::size_t kNeighbours = 4;
// How far a neighbour may be in each direction: a factor of 4.
constexpr double kReach = 1.3862943611198906;
constexpr double kBlur = 0.25;       // points closer than this weigh about alike: shapes scatter
constexpr double kSameTime = 1e-9;   // relative; the same price but for rounding
constexpr double kRounding = 1e-12;  // of logarithms, at the edges of a range

auto family_order(const OperatorKey& key) {
  return std::tuple(key.kind, key.is_backward, key.type);
}
auto family_order(const Family& family) {
  return std::tuple(family.kind, family.is_backward, family.type);
}
auto full_order(const OperatorKey& key) {
  return std::tuple(key.kind, key.is_backward, key.type, key.extents);
}

double log_of(double value) { return std::log(std::max(value, 1.0)); }
double log_of(Flops work) { return log_of(work.value()); }
double log_of(Bytes bytes) { return log_of(static_cast<double>(bytes.value())); }

// The largest operand or result. Where rows are picked by index, the table that they come from
// says nothing: the result counts.
TensorId largest_of(const Layer& layer, const Operator& op) {
  std::vector<TensorId> candidates;
  const bool picks_rows = op.kind == OpKind::kGather ||
                          (op.kind == OpKind::kEmbedding && op.pass != graph::Pass::kBackward);
  if (!picks_rows) {
    candidates = op.inputs;
  }
  candidates.insert(candidates.end(), op.outputs.begin(), op.outputs.end());
  CHECK(!candidates.empty(), "an operator has operands or results");
  const auto elements = [&layer](TensorId id) {
    return graph::element_count(layer.tensors[id].shape);
  };
  return *std::ranges::max_element(candidates, {}, elements);
}

Seconds median_of(std::vector<Seconds> times) {
  std::ranges::sort(times);
  const std::size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) * 0.5;
}

const Family* find_family(const MeasuredTable& table, const OperatorKey& key) {
  const auto order = [](const Family& family) { return family_order(family); };
  const auto found = std::ranges::lower_bound(table.families, family_order(key), {}, order);
  const bool is_there = found != table.families.end() && family_order(*found) == family_order(key);
  return is_there ? &*found : nullptr;
}

// A product is one in both passes, but for how its operands lie in memory: where nobody measured
// backward ones, forward ones stand for them.
const Family* find_family_or_forward(const MeasuredTable& table, OperatorKey key) {
  const Family* family = find_family(table, key);
  const bool is_product = key.kind == OpKind::kProduct || key.kind == OpKind::kConvolution;
  if (family == nullptr && is_product && key.is_backward) {
    key.is_backward = false;
    family = find_family(table, key);
  }
  return family;
}

const MeasuredRow* find_row(const MeasuredTable& table, const Family& family,
                            const plan::OperatorExtents& extents) {
  const auto begin = table.rows.begin() + static_cast<std::ptrdiff_t>(family.begin);
  const auto end = table.rows.begin() + static_cast<std::ptrdiff_t>(family.end);
  const auto found = std::ranges::lower_bound(
      begin, end, extents, {}, [](const MeasuredRow& row) { return row.key.extents; });
  return found != end && found->key.extents == extents ? &*found : nullptr;
}

// The nearest points so far, by distance, then by index.
class Nearest {
 public:
  void offer(double distance, std::size_t index) {
    const std::pair candidate(distance, index);
    if (size_ == kNeighbours && candidate >= items_[size_ - 1]) {
      return;
    }
    std::size_t at = size_ < kNeighbours ? size_++ : size_ - 1;
    for (; at > 0 && candidate < items_[at - 1]; --at) {
      items_[at] = items_[at - 1];
    }
    items_[at] = candidate;
  }
  // Squared.
  double reach() const {
    const double most = kReach * kReach;
    return size_ == kNeighbours ? std::min(most, items_[size_ - 1].first) : most;
  }
  const auto* begin() const { return items_.data(); }
  const auto* end() const { return items_.data() + size_; }

 private:
  std::array<std::pair<double, std::size_t>, kNeighbours> items_{};
  std::size_t size_ = 0;
};

// Points are ordered by work: going out from the operator's on both sides ends early.
Nearest find_neighbours(const MeasuredTable& table, const Family& family, const Point& at) {
  Nearest nearest;
  const auto first = table.points.begin() + static_cast<std::ptrdiff_t>(family.begin);
  const auto last = table.points.begin() + static_cast<std::ptrdiff_t>(family.end);
  const auto middle = static_cast<std::size_t>(
      std::ranges::lower_bound(first, last, at.work, {}, &Point::work) - table.points.begin());
  // Whether points further on may still matter.
  const auto visit = [&](std::size_t index) {
    const Point& point = table.points[index];
    const double dx = point.work - at.work;
    const double dy = point.bytes - at.bytes;
    if (dx * dx > nearest.reach() + kRounding) {
      return false;
    }
    if (std::abs(dx) <= kReach && std::abs(dy) <= kReach) {
      nearest.offer(dx * dx + dy * dy, index);
    }
    return true;
  };
  std::size_t up = middle;
  std::size_t down = middle;
  bool goes_up = true;
  bool goes_down = true;
  while (goes_up || goes_down) {
    goes_up = goes_up && up < family.end && visit(up++);
    goes_down = goes_down && down > family.begin && visit(--down);
  }
  return nearest;
}

bool is_inside(const Family& family, const Point& at) {
  return at.work >= family.least.work - kRounding && at.work <= family.most.work + kRounding &&
         at.bytes >= family.least.bytes - kRounding && at.bytes <= family.most.bytes + kRounding;
}

// The logarithm of measured over modelled.
std::optional<double> interpolate(const MeasuredTable& table, const Family& family,
                                  const Point& at) {
  if (!is_inside(family, at)) {
    return std::nullopt;
  }
  double weights = 0;
  double sum = 0;
  std::optional<double> least;
  std::optional<double> most;
  for (const auto& [distance, index] : find_neighbours(table, family, at)) {
    const double ratio = table.points[index].ratio;
    const double weight = 1 / (distance + kBlur * kBlur);
    weights += weight;
    sum += weight * ratio;
    least = std::min(ratio, least.value_or(ratio));
    most = std::max(ratio, most.value_or(ratio));
  }
  if (!least) {
    return std::nullopt;
  }
  return std::clamp(sum / weights, *least, *most);
}

void add_points(MeasuredTable& table, Family& family) {
  const auto first = static_cast<std::ptrdiff_t>(table.points.size());
  for (std::size_t i = family.begin; i < family.end; ++i) {
    const MeasuredRow& row = table.rows[i];
    const Point point{log_of(row.key.work), log_of(row.key.bytes),
                      std::log(row.measured.value() / row.modelled.value())};
    const bool is_first = i == family.begin;
    family.least.work = is_first ? point.work : std::min(family.least.work, point.work);
    family.least.bytes = is_first ? point.bytes : std::min(family.least.bytes, point.bytes);
    family.most.work = is_first ? point.work : std::max(family.most.work, point.work);
    family.most.bytes = is_first ? point.bytes : std::max(family.most.bytes, point.bytes);
    table.points.push_back(point);
  }
  std::ranges::stable_sort(table.points.begin() + first, table.points.end(), {},
                           [](const Point& p) { return std::pair(p.work, p.bytes); });
}

void add_index(MeasuredTable& table) {
  for (std::size_t begin = 0; begin < table.rows.size();) {
    const OperatorKey& key = table.rows[begin].key;
    std::size_t end = begin + 1;
    while (end < table.rows.size() && family_order(table.rows[end].key) == family_order(key)) {
      ++end;
    }
    Family family{key.kind, key.is_backward, key.type, begin, end, {}, {}};
    add_points(table, family);
    table.families.push_back(family);
    begin = end;
  }
}

}  // namespace

OperatorKey key_of(const Layer& layer, const Operator& op) {
  OperatorKey key;
  key.kind = op.kind;
  key.is_backward = op.pass == graph::Pass::kBackward && plan::has_backward_form(op.kind);
  if (op.product) {
    key.extents = plan::extents_of(*op.product);
    key.type = layer.tensors[op.inputs[0]].type;
  } else if (op.attention) {
    key.extents = plan::extents_of(*op.attention);
    key.type = layer.tensors[op.inputs[0]].type;
  } else {
    const graph::Tensor& largest = layer.tensors[largest_of(layer, op)];
    const std::int64_t columns = largest.shape.empty() ? 1 : largest.shape.back();
    key.extents = {graph::element_count(largest.shape) / std::max<std::int64_t>(columns, 1),
                   columns};
    key.type = largest.type;
  }
  key.work = graph::matrix_flops(op);
  if (key.work.value() <= 0) {
    key.work = op.vector_flops;
  }
  if (key.work.value() <= 0) {  // data is moved: an operation an element
    key.work = Flops(static_cast<double>(key.extents[0]) * static_cast<double>(key.extents[1]));
  }
  const graph::Traffic traffic = graph::compute_traffic(layer, op);
  key.bytes = traffic.read + traffic.written;
  return key;
}

bool is_same_operator(const OperatorKey& a, const OperatorKey& b) {
  return full_order(a) == full_order(b);
}

MeasuredTable make_table(const std::vector<MeasuredOperator>& measured, const Price& price) {
  std::vector<OperatorKey> keys;
  keys.reserve(measured.size());
  for (const MeasuredOperator& each : measured) {
    const Sample sample = make_sample(each);
    keys.push_back(key_of(sample.layer, sample.layer.operators[sample.op]));
  }
  std::vector<std::size_t> order(measured.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&keys](std::size_t i) { return full_order(keys[i]); });

  MeasuredTable table;
  for (std::size_t at = 0; at < order.size();) {
    const std::size_t first = order[at];
    std::vector<Seconds> times;
    for (; at < order.size() && is_same_operator(keys[order[at]], keys[first]); ++at) {
      times.push_back(measured[order[at]].time);
    }
    const Sample sample = make_sample(measured[first]);
    const auto modelled = price(sample.layer, sample.layer.operators[sample.op]);
    if (modelled && modelled->value() > 0 && std::isfinite(modelled->value())) {
      table.rows.push_back({keys[first], median_of(std::move(times)), *modelled});
    } else {
      ++table.unpriced;
    }
  }
  add_index(table);
  return table;
}

MeasuredTable make_table(const std::vector<MeasuredOperator>& measured,
                         const CostContext& context) {
  CostContext model = context;
  model.table = nullptr;
  model.share = {};
  return make_table(measured,
                    [&model](const Layer& layer, const Operator& op) -> std::optional<Seconds> {
                      if (find_obstacle(model, layer, op)) {
                        return std::nullopt;
                      }
                      return compute_operator_cost(model, layer, op, all_in_hbm(layer, op)).time;
                    });
}

Lookup look_up(const MeasuredTable& table, const OperatorKey& key, Seconds modelled) {
  const Family* family = find_family_or_forward(table, key);
  if (family == nullptr || !(modelled.value() > 0)) {
    return {modelled, plan::CostSource::kModel};
  }
  if (const MeasuredRow* row = find_row(table, *family, key.extents)) {
    const double difference = std::abs(modelled.value() - row->modelled.value());
    if (difference <= kSameTime * row->modelled.value()) {
      return {row->measured, plan::CostSource::kExact};
    }
    const double ratio = row->measured.value() / row->modelled.value();
    return {modelled * ratio, plan::CostSource::kInterpolated};
  }
  const Point at{log_of(key.work), log_of(key.bytes), 0};
  if (const std::optional<double> ratio = interpolate(table, *family, at)) {
    return {modelled * std::exp(*ratio), plan::CostSource::kInterpolated};
  }
  return {modelled, plan::CostSource::kModel};
}

}  // namespace phaze::cost
