#pragma once
// The operators of a layer one after another on one device: what each costs and what the passes
// add up to. Schedules that run operators side by side are built on the same costs elsewhere.

#include "base/ids.h"
#include "cost/operator.h"
#include "graph/layer.h"
#include "plan/step_cost.h"

namespace phaze::cost {

// Where each operator's operands live when operators follow one another: a storage that was touched
// so recently that all bytes touched since fit half of the global buffer is still there.
IdVector<graph::OpId, Placement> compute_placements(const graph::Layer& layer,
                                                    const hw::Chip& chip);

plan::LayerCost compute_layer_cost(const CostContext& context, const graph::Layer& layer);

}  // namespace phaze::cost
