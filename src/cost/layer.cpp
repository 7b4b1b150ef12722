#include "cost/layer.h"

#include <algorithm>

#include "graph/work.h"

namespace phaze::cost {

using graph::Layer;
using graph::Operator;
using graph::OpId;
using graph::TensorId;
using plan::LayerCost;
using plan::PassCost;

namespace {

// Bytes that pass by between two uses of a storage, as a cache that drops the oldest sees it.
class RecentlyUsed {
 public:
  RecentlyUsed(const Layer& layer, Bytes capacity)
      : storages_(graph::compute_storages(layer)), capacity_(capacity) {
    last_.resize(layer.tensors.size(), std::nullopt);
  }

  bool is_near(TensorId id, Bytes bytes) const {
    const std::optional<Bytes>& last = last_[storages_[id]];
    return last && now_ - *last + bytes <= capacity_;
  }

  // Other layers ran in between.
  void forget() { std::fill(last_.begin(), last_.end(), std::nullopt); }
  void just_written(TensorId id) { last_[storages_[id]] = now_; }

  void touch(TensorId id, Bytes bytes) {
    now_ += bytes;
    last_[storages_[id]] = now_;
  }

 private:
  IdVector<TensorId, TensorId> storages_;
  IdVector<TensorId, std::optional<Bytes>> last_;
  Bytes capacity_;
  Bytes now_;
};

void add(PassCost& pass, const plan::OperatorCost& cost) {
  pass.time += cost.time;
  pass.energy += cost.energy;
  pass.launches += cost.time.value() > 0 ? 1 : 0;
}

}  // namespace

IdVector<OpId, Placement> compute_placements(const Layer& layer, const hw::Chip& chip) {
  RecentlyUsed recent(layer, Bytes(chip.global.size.value() / 2));
  IdVector<OpId, Placement> placements(layer.operators.size(), {});
  const auto producers = graph::compute_producers(layer);
  // What the neighbour in the pass has just written: the input forward, gradients from outside
  // backward.
  const auto enter = [&](bool is_backward) {
    recent.forget();
    for (const TensorId id : ids_of(layer.tensors)) {
      const graph::Role role = layer.tensors[id].role;
      const bool is_handed_over = is_backward ? role == graph::Role::kGradient && !producers[id] &&
                                                    !layer.tensors[id].view_of
                                              : role == graph::Role::kInput;
      if (is_handed_over) {
        recent.just_written(id);
      }
    }
  };
  const auto side_of = [](graph::Pass pass) {
    return pass == graph::Pass::kForward ? 0 : pass == graph::Pass::kOptimizer ? 2 : 1;
  };
  int side = -1;
  for (const OpId op_id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[op_id];
    if (side_of(op.pass) != side) {
      side = side_of(op.pass);
      enter(side == 1);
    }
    const graph::Traffic traffic = graph::compute_traffic(layer, op);
    Placement placement;
    Bytes left = traffic.read;  // what is really read of the operands
    for (const TensorId id : op.inputs) {
      const Bytes bytes = std::min(left, graph::size_of(layer.tensors[id]));
      (recent.is_near(id, bytes) ? placement.from_global : placement.from_hbm) += bytes;
      left = left - bytes;
    }
    for (const TensorId id : op.inputs) {
      recent.touch(id, std::min(traffic.read, graph::size_of(layer.tensors[id])));
    }
    placement.to_hbm = traffic.written;
    for (const TensorId id : op.outputs) {
      recent.touch(id, std::min(traffic.written, graph::size_of(layer.tensors[id])));
    }
    placements[op_id] = placement;
  }
  return placements;
}

LayerCost compute_layer_cost(const CostContext& context, const Layer& layer) {
  const IdVector<OpId, Placement> placements = compute_placements(layer, *context.chip);
  LayerCost answer;
  answer.operators.resize(layer.operators.size(), {});
  for (const OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    const plan::OperatorCost cost = compute_operator_cost(context, layer, op, placements[id]);
    switch (op.pass) {
      case graph::Pass::kForward:
        add(answer.forward, cost);
        break;
      case graph::Pass::kRecompute:
        add(answer.recompute, cost);
        add(answer.backward, cost);
        break;
      case graph::Pass::kBackward:
        add(answer.backward, cost);
        break;
      case graph::Pass::kOptimizer:
        add(answer.optimizer, cost);
        break;
    }
    answer.operators[id] = cost;
  }
  return answer;
}

}  // namespace phaze::cost
