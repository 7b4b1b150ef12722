#pragma once
// What one layer does in a training step, as far as memory is concerned: in which order its
// operators run, and which of its gradients are for others. How layers follow one another is
// step_program.h.

#include <map>
#include <optional>
#include <vector>

#include "graph/layer.h"

namespace phaze::graph {

// The operators that together are the gradient of one forward operator. Autograd engines run them
// as one: what they read is freed when all of them have run.
using BackwardNode = std::vector<OpId>;

// A gradient that nobody in the layer reads: of a parameter, or of a tensor shared between layers.
struct Contribution {
  TensorId gradient;
  std::optional<TensorId> of;  // none: of a parameter that its name does not tell
};

struct LayerLiveness {
  IdVector<TensorId, TensorId> storages;
  std::vector<TensorId> inputs;
  std::vector<OpId> forward;
  std::vector<BackwardNode> backward;       // recomputation included
  std::vector<TensorId> checkpoint;         // storages that recomputation starts from
  std::vector<TensorId> outside_gradients;  // which the layer behind hands over
  std::vector<TensorId> handed_on;          // gradients for the layer before
  std::map<OpId, std::vector<Contribution>> contributions;  // by the operator that makes them
};

// A sum of gradients runs as soon as both are there, as in autograd engines, and not where the
// graph lists it. What belongs together is told by the names that backward.h gives.
// O(operators log operators).
LayerLiveness compute_liveness(const Layer& layer);

// Is it a sum of two gradients that backward added and that was not fused into another operator?
bool is_gradient_sum(const Operator& op);

}  // namespace phaze::graph
