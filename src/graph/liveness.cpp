#include "graph/liveness.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace phaze::graph {
namespace {

bool is_in_backward_half(const Operator& op) {
  return op.pass == Pass::kRecompute || op.pass == Pass::kBackward;
}

// The forward operator whose gradient this one is a part of: NAME of "NAME.gradient",
// "NAME.weight_gradient", "NAME.gradient.sum" and numbered ones.
std::string_view origin_of(const Operator& op) {
  const std::string_view name = op.name;
  const std::size_t word = name.rfind("gradient");
  const std::size_t dot = word == std::string_view::npos ? word : name.rfind('.', word);
  return op.pass == Pass::kBackward && dot != std::string_view::npos ? name.substr(0, dot) : "";
}

// The tensor whose gradient this is: NAME of "d(NAME)", "d(NAME).sum" and numbered ones.
std::string name_of_origin(const std::string& gradient) {
  const std::size_t end = gradient.rfind(')');
  return gradient.starts_with("d(") && end != std::string::npos ? gradient.substr(2, end - 2) : "";
}

class BackwardOrder {
 public:
  explicit BackwardOrder(const Layer& layer)
      : layer_(layer), waiting_(layer.tensors.size(), {}), missing_(layer.operators.size(), 0) {}

  std::vector<BackwardNode> run() && {
    append_sums(list_sums());
    BackwardNode node;
    std::string_view origin;
    for (const OpId id : ids_of(layer_.operators)) {
      const Operator& op = layer_.operators[id];
      if (!is_in_backward_half(op) || is_gradient_sum(op)) {
        continue;
      }
      if (origin.empty() || origin_of(op) != origin) {
        append(std::exchange(node, {}));
      }
      origin = origin_of(op);
      node.push_back(id);
    }
    append(std::move(node));
    return std::move(order_);
  }

 private:
  // Counts what each sum waits for; the sums that wait for nothing.
  std::set<OpId> list_sums() {
    const IdVector<TensorId, std::optional<OpId>> producers = compute_producers(layer_);
    std::set<OpId> ready;
    for (const OpId id : ids_of(layer_.operators)) {
      if (!is_gradient_sum(layer_.operators[id])) {
        continue;
      }
      for (const TensorId input : layer_.operators[id].inputs) {
        if (producers[input]) {
          waiting_[input].push_back(id);
          ++missing_[id];
        }
      }
      if (missing_[id] == 0) {
        ready.insert(id);
      }
    }
    return ready;
  }

  // The node, and the sums for which it was the last to wait for.
  void append(BackwardNode node) {
    std::set<OpId> ready;
    for (const OpId id : node) {
      wake(id, ready);
    }
    if (!node.empty()) {
      order_.push_back(std::move(node));
    }
    append_sums(std::move(ready));
  }

  // Of several that are ready, the first in the graph's order.
  void append_sums(std::set<OpId> ready) {
    while (!ready.empty()) {
      const OpId id = ready.extract(ready.begin()).value();
      order_.push_back({id});
      wake(id, ready);
    }
  }

  void wake(OpId id, std::set<OpId>& ready) {
    for (const TensorId output : layer_.operators[id].outputs) {
      for (const OpId sum : waiting_[output]) {
        if (--missing_[sum] == 0) {
          ready.insert(sum);
        }
      }
    }
  }

  const Layer& layer_;
  IdVector<TensorId, std::vector<OpId>> waiting_;
  IdVector<OpId, std::size_t> missing_;
  std::vector<BackwardNode> order_;
};

void find_gradients(const Layer& layer, LayerLiveness& live) {
  std::map<std::string, TensorId> origins;
  for (const TensorId id : ids_of(layer.tensors)) {
    const Tensor& tensor = layer.tensors[id];
    if (tensor.role == Role::kShared || tensor.role == Role::kParameter) {
      origins.emplace(tensor.name, id);
    }
  }
  IdVector<TensorId, char> is_read(layer.tensors.size(), 0);
  IdVector<TensorId, char> is_made(layer.tensors.size(), 0);
  for (const Operator& op : layer.operators) {
    for (const TensorId id : op.inputs) {
      if (is_in_backward_half(op)) {
        is_read[id] = 1;
      }
    }
    for (const TensorId id : op.outputs) {
      is_made[id] = 1;
    }
  }
  for (const OpId at : ids_of(layer.operators)) {
    for (const TensorId id : layer.operators[at].outputs) {
      const Tensor& tensor = layer.tensors[id];
      const bool is_parameters = tensor.role == Role::kParameterGradient;
      if (is_read[id] != 0 || (tensor.role != Role::kGradient && !is_parameters)) {
        continue;
      }
      const auto origin = origins.find(name_of_origin(tensor.name));
      if (origin != origins.end()) {
        live.contributions[at].push_back({id, origin->second});
      } else if (is_parameters) {
        live.contributions[at].push_back({id, std::nullopt});
      } else {
        live.handed_on.push_back(id);
      }
    }
  }
  for (const TensorId id : ids_of(layer.tensors)) {
    const Tensor& tensor = layer.tensors[id];
    if (tensor.role == Role::kGradient && is_made[id] == 0 && !tensor.view_of) {
      live.outside_gradients.push_back(id);
    }
  }
}

void find_checkpoint(const Layer& layer, LayerLiveness& live) {
  std::set<TensorId> read, made;
  for (const Operator& op : layer.operators) {
    if (op.pass != Pass::kRecompute) {
      continue;
    }
    for (const TensorId id : op.inputs) {
      read.insert(live.storages[id]);
    }
    for (const TensorId id : op.outputs) {
      if (!layer.tensors[id].view_of) {
        made.insert(id);
      }
    }
  }
  for (const TensorId id : read) {
    if (!made.contains(id)) {
      live.checkpoint.push_back(id);
    }
  }
}

}  // namespace

bool is_gradient_sum(const Operator& op) {
  return op.pass == Pass::kBackward && op.kind == OpKind::kAdd && op.fused.empty() &&
         op.inputs.size() == 2 && op.outputs.size() == 1;
}

LayerLiveness compute_liveness(const Layer& layer) {
  LayerLiveness live;
  live.storages = compute_storages(layer);
  for (const TensorId id : ids_of(layer.tensors)) {
    if (layer.tensors[id].role == Role::kInput) {
      live.inputs.push_back(id);
    }
  }
  for (const OpId id : ids_of(layer.operators)) {
    if (layer.operators[id].pass == Pass::kForward) {
      live.forward.push_back(id);
    }
  }
  live.backward = BackwardOrder(layer).run();
  find_gradients(layer, live);
  find_checkpoint(layer, live);
  return live;
}

}  // namespace phaze::graph
