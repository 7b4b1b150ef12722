#pragma once
// Measured operators and a model that a reader can follow by hand.

#include <algorithm>
#include <optional>
#include <string>

#include "cost/measured.h"
#include "cost/measured_sample.h"
#include "graph/work.h"

namespace phaze::tests {

// A microsecond for a megabyte or for a hundred megaflops, the longer one.
inline Seconds simple_time(const graph::Layer& layer, const graph::Operator& op) {
  const cost::OperatorKey key = cost::key_of(layer, op);
  return std::max(Seconds(key.work.value() / 1e14),
                  Seconds(static_cast<double>(key.bytes.value()) / 1e12));
}

inline std::optional<Seconds> simple_price(const graph::Layer& layer, const graph::Operator& op) {
  return simple_time(layer, op);
}

inline cost::OperatorKey key_of(const plan::MeasuredOperator& measured) {
  const cost::Sample sample = cost::make_sample(measured);
  return cost::key_of(sample.layer, sample.layer.operators[sample.op]);
}

inline Seconds simple_time(const plan::MeasuredOperator& measured) {
  const cost::Sample sample = cost::make_sample(measured);
  return simple_time(sample.layer, sample.layer.operators[sample.op]);
}

inline plan::MeasuredOperator measured_product(std::int64_t m, std::int64_t n, std::int64_t k,
                                               Seconds time, bool is_backward = false) {
  plan::MeasuredOperator measured;
  measured.product = {1, m, n, k};
  measured.time = time;
  measured.is_backward = is_backward;
  return measured;
}

inline plan::MeasuredOperator measured_rows(graph::OpKind kind, std::int64_t rows,
                                            std::int64_t columns, Seconds time,
                                            bool is_backward = false) {
  plan::MeasuredOperator measured;
  measured.kind = kind;
  measured.rows = rows;
  measured.columns = columns;
  measured.time = time;
  measured.is_backward = is_backward;
  return measured;
}

}  // namespace phaze::tests
