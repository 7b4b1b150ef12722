#include "search/sequence_overlap.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace phaze::search {
namespace {

using graph::OpId;
using graph::OpKind;

// Of the cores, that run the collective's kernels meanwhile: 16 of an H100's 132, NCCL's default
// for NVLink rings.
constexpr double kBusyCores = 0.12;

bool is_along_sequence(OpKind kind) {
  return kind == OpKind::kAllGather || kind == OpKind::kReduceScatter;
}

bool is_forward(const graph::Operator& op) { return op.pass == graph::Pass::kForward; }

}  // namespace

IdVector<OpId, Seconds> compute_hidden(const graph::Layer& layer, const plan::LayerCost& cost) {
  IdVector<OpId, Seconds> hidden(layer.operators.size(), Seconds());
  std::vector<OpId> products;
  for (const OpId id : ids_of(layer.operators)) {
    if (layer.operators[id].product && layer.operators[id].pass != graph::Pass::kOptimizer) {
      products.push_back(id);
    }
  }
  const auto distance = [](OpId a, OpId b) {
    const auto [low, high] = std::minmax(a.index(), b.index());
    return high - low;
  };
  for (const OpId id : ids_of(layer.operators)) {
    const graph::Operator& op = layer.operators[id];
    if (!is_along_sequence(op.kind) || op.pass == graph::Pass::kOptimizer || op.group < 2) {
      continue;
    }
    auto nearest = products.end();
    for (auto other = products.begin(); other != products.end(); ++other) {
      if (is_forward(layer.operators[*other]) == is_forward(op) &&
          (nearest == products.end() || distance(*other, id) < distance(*nearest, id))) {
        nearest = other;
      }
    }
    if (nearest != products.end()) {
      const Seconds both = std::min(cost.operators[id].time, cost.operators[*nearest].time);
      hidden[id] = both * std::max(0.0, 1 - 1 / static_cast<double>(op.group) - kBusyCores);
      products.erase(nearest);
    }
  }
  return hidden;
}

}  // namespace phaze::search
