#include "graph/work.h"

#include <algorithm>

namespace phaze::graph {
namespace {

constexpr double kForwardProducts = 2;          // scores, and scores times values
constexpr double kBackwardProducts = 5;         // scores again, dV, dP, dQ, dK
constexpr double kBackwardProductsNominal = 4;  // as for separate products

double as_double(std::int64_t value) { return static_cast<double>(value); }

Flops product_flops(const ProductShape& p) {
  return Flops(2 * as_double(p.batch) * as_double(p.m) * as_double(p.n) * as_double(p.k));
}

double attention_product_flops(const AttentionShape& a, double pairs) {
  return 2 * as_double(a.batch) * as_double(a.heads) * as_double(a.head_dim) * pairs;
}

}  // namespace

double visible_pairs(const AttentionShape& shape) {
  const double keys = as_double(shape.keys);
  if (!shape.is_causal) {
    return as_double(shape.queries) * keys;
  }
  // With fewer keys than queries the first queries see nothing.
  const double queries = std::min(as_double(shape.queries), keys);
  // Query i of q sees keys 0 .. i + (keys - queries), of which at most the last `window`.
  const double window = shape.window > 0 ? std::min(as_double(shape.window), keys) : keys;
  const double first = keys - queries + 1;  // keys that query 0 sees
  if (first >= window) {
    return queries * window;
  }
  const double ramp = window - first;  // queries that see fewer than `window`
  return ramp * first + ramp * (ramp - 1) / 2 + (queries - ramp) * window;
}

Flops matrix_flops(const Operator& op) {
  if (op.product) {
    return product_flops(*op.product);
  }
  if (op.attention) {
    const double products = op.pass == Pass::kBackward ? kBackwardProducts : kForwardProducts;
    return Flops(products * attention_product_flops(*op.attention, visible_pairs(*op.attention)));
  }
  return Flops();
}

Flops nominal_flops(const Operator& op) {
  if (op.attention) {
    const double products =
        op.pass == Pass::kBackward ? kBackwardProductsNominal : kForwardProducts;
    const AttentionShape& a = *op.attention;
    const double seen = a.window > 0 ? as_double(std::min(a.keys, a.window)) : as_double(a.keys);
    const double pairs = as_double(a.queries) * seen;
    return Flops(products * attention_product_flops(*op.attention, pairs));
  }
  return matrix_flops(op);
}

Flops compute_vector_flops(const Layer& layer, const Operator& op) {
  const KindTraits& kind = traits(op.kind);
  if (op.attention) {
    // The softmax inside, over the visible pairs.
    const KindTraits& softmax = traits(OpKind::kSoftmax);
    const double per_pair = op.pass == Pass::kBackward
                                ? softmax.forward_flops + softmax.backward_flops
                                : softmax.forward_flops;
    return Flops(per_pair * as_double(op.attention->batch) * as_double(op.attention->heads) *
                 visible_pairs(*op.attention));
  }
  if (op.product) {
    // A bias is an addition per element of the result.
    const bool has_bias = op.inputs.size() > 2;
    return Flops(has_bias ? as_double(element_count(layer.tensors[op.outputs[0]].shape)) : 0);
  }
  const double per_element = op.pass == Pass::kBackward ? kind.backward_flops : kind.forward_flops;
  std::int64_t elements = 0;
  if (!op.inputs.empty()) {
    elements = element_count(layer.tensors[op.inputs[0]].shape);
  }
  if (!op.outputs.empty() && op.kind != OpKind::kEmbedding) {
    elements = std::max(elements, element_count(layer.tensors[op.outputs[0]].shape));
  }
  return Flops(per_element * as_double(elements));
}

Traffic compute_traffic(const Layer& layer, const Operator& op) {
  const Unit unit = traits(op.kind).unit;
  if (unit == Unit::kNone || unit == Unit::kNetwork) {
    return {};
  }
  Traffic traffic;
  for (const TensorId id : op.outputs) {
    traffic.written += size_of(layer.tensors[id]);
  }
  const bool is_forward = op.pass != Pass::kBackward;
  if (op.kind == OpKind::kNllLoss && is_forward) {
    // The label's log-probability of each row, and the labels.
    const Tensor& labels = layer.tensors[op.inputs[1]];
    traffic.read = size_of(labels) + Bytes(bytes_per_element(layer.tensors[op.inputs[0]].type)) *
                                         element_count(labels.shape);
    return traffic;
  }
  const bool picks_rows =
      op.kind == OpKind::kGather || (op.kind == OpKind::kEmbedding && is_forward);
  if (picks_rows) {
    // Only the rows that are picked are read, and their indices.
    for (const TensorId id : op.inputs) {
      if (!is_floating(layer.tensors[id].type)) {
        traffic.read += size_of(layer.tensors[id]);
      }
    }
    traffic.read += traffic.written;
    return traffic;
  }
  std::vector<TensorId> inputs = op.inputs;
  std::ranges::sort(inputs);
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (const TensorId id : inputs) {
    traffic.read += size_of(layer.tensors[id]);
  }
  return traffic;
}

Bytes collective_bytes(const Layer& layer, const Operator& op) {
  if (traits(op.kind).unit != Unit::kNetwork) {
    return {};
  }
  return std::max(size_of(layer.tensors[op.inputs[0]]), size_of(layer.tensors[op.outputs[0]]));
}

}  // namespace phaze::graph
