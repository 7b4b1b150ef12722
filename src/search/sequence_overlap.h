#pragma once
// Collectives along the sequence that run beside a product, where operators follow one another
// otherwise. docs/models.md, section 16.

#include "base/ids.h"
#include "graph/layer.h"
#include "plan/step_cost.h"

namespace phaze::search {

// Of each operator, how much of its time passes beside a product: gathering before one and
// scattering after one goes in as many parts as there are devices, each part beside the product of
// the part before or after it, which the kernels of the collective slow a little. A product has one
// collective beside it at most, the nearest. O(operators^2) in collectives.
IdVector<graph::OpId, Seconds> compute_hidden(const graph::Layer& layer,
                                              const plan::LayerCost& cost);

}  // namespace phaze::search
