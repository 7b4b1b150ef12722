#include "graph/summary.h"

#include <set>

#include "graph/work.h"

namespace phaze::graph {
namespace {

template <class Predicate>
std::vector<TensorId> saved_where(const Layer& layer, Predicate is_wanted) {
  const IdVector<TensorId, std::optional<OpId>> producers = compute_producers(layer);
  const IdVector<TensorId, TensorId> storages = compute_storages(layer);
  std::set<TensorId> saved;
  for (const Operator& op : layer.operators) {
    if (op.pass != Pass::kRecompute && op.pass != Pass::kBackward) {
      continue;
    }
    for (const TensorId input : op.inputs) {
      const TensorId storage = storages[input];
      const std::optional<OpId> producer = producers[storage];
      const bool is_from_forward = !producer || layer.operators[*producer].pass == Pass::kForward;
      if (is_from_forward && is_wanted(layer.tensors[storage])) {
        saved.insert(storage);
      }
    }
  }
  return {saved.begin(), saved.end()};
}

}  // namespace

std::vector<TensorId> compute_saved(const Layer& layer) {
  return saved_where(layer, [](const Tensor& tensor) {
    return tensor.role == Role::kActivation || tensor.role == Role::kInput;
  });
}

std::vector<TensorId> compute_saved_shared(const Layer& layer) {
  return saved_where(layer, [](const Tensor& tensor) { return tensor.role == Role::kShared; });
}

LayerSummary summarise(const Layer& layer) {
  LayerSummary summary;
  for (const Tensor& tensor : layer.tensors) {
    if (is_weight(tensor)) {
      (tensor.is_tied ? summary.tied_parameters : summary.parameters) +=
          element_count(tensor.shape);
    }
  }
  for (const Operator& op : layer.operators) {
    switch (op.pass) {
      case Pass::kForward:
        summary.forward_flops += matrix_flops(op);
        summary.model_flops += nominal_flops(op);
        summary.forward_vector_flops += op.vector_flops;
        break;
      case Pass::kRecompute:
        summary.recompute_flops += matrix_flops(op);
        summary.backward_flops += matrix_flops(op);
        summary.backward_vector_flops += op.vector_flops;
        break;
      case Pass::kBackward:
        summary.backward_flops += matrix_flops(op);
        summary.model_flops += nominal_flops(op);
        summary.backward_vector_flops += op.vector_flops;
        break;
      case Pass::kOptimizer:
        break;
    }
  }
  for (const TensorId id : compute_saved(layer)) {
    summary.saved_activation_bytes += size_of(layer.tensors[id]);
  }
  return summary;
}

ModelSummary summarise(const Model& model) {
  ModelSummary total;
  for (const Layer& layer : model.layers) {
    const LayerSummary one = summarise(layer);
    const auto times = static_cast<double>(layer.repeat);
    total.parameters += checked_multiply(one.parameters, layer.repeat);
    total.forward_flops += one.forward_flops * times;
    total.backward_flops += one.backward_flops * times;
    total.model_flops += one.model_flops * times;
    total.saved_activation_bytes += one.saved_activation_bytes * layer.repeat;
  }
  return total;
}

}  // namespace phaze::graph
