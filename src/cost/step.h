#pragma once
// A whole training step of a model on one device: its layers one after another, each repeat of a
// layer like the others.

#include "cost/operator.h"
#include "plan/step_cost.h"

namespace phaze::cost {

plan::StepCost compute_step_cost(const CostContext& context, const graph::Model& training);

}  // namespace phaze::cost
