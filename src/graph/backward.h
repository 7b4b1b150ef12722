#pragma once
// Reverse-mode differentiation of a layer: appends the backward operators, a rule per kind.

#include "graph/layer.h"

namespace phaze::graph {

struct BackwardOptions {
  ElementType parameter_gradient = ElementType::kF32;
};

// The layer with its backward operators after its forward ones. Each product gets a data gradient
// and a weight gradient as operators of their own; a tensor with several consumers gets the
// additions of its gradients. What backward operators read of the forward pass is what must be
// saved (summary.h). Gradients flow to inputs, shared tensors and parameters; constants get none.
// Requires a verified forward layer. O(operators).
Layer add_backward(Layer forward, const BackwardOptions& options);

}  // namespace phaze::graph
