#pragma once
// One operator as it was measured on a chip: what a table of measurements is made of.

#include <array>
#include <cstdint>

#include "base/units.h"
#include "graph/layer.h"

namespace phaze::plan {

struct MeasuredOperator {
  graph::OpKind kind = graph::OpKind::kProduct;
  bool is_backward = false;
  graph::ElementType type = graph::ElementType::kBf16;
  // One of the three, by kind.
  graph::ProductShape product;         // products and convolutions
  graph::AttentionShape attention;     // attention
  std::int64_t rows = 0, columns = 0;  // all others, of their largest operand or result
  Seconds time;

  bool operator==(const MeasuredOperator&) const = default;
};

// batch, m, n, k; or batch, heads, kv_heads, queries, keys, head_dim, causal, window; or rows,
// columns. The rest is zero.
using OperatorExtents = std::array<std::int64_t, 8>;
OperatorExtents extents_of(const graph::ProductShape& shape);
OperatorExtents extents_of(const graph::AttentionShape& shape);
OperatorExtents extents_of(const MeasuredOperator& measured);

// Is the kind another operator when it goes backward? Sums, copies, casts and the like are the same
// one in both passes.
bool has_backward_form(graph::OpKind kind);

}  // namespace phaze::plan
