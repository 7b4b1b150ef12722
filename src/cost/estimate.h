#pragma once
// The answers of `phaze estimate`: a training step on one device, or one product explained.

#include <optional>
#include <string>

#include "cost/operator.h"
#include "plan/estimate.h"

namespace phaze::cost {

// Why the model cannot run on the chip: the first layer's first operator that cannot; nothing when
// it can.
std::optional<std::string> find_obstacle(const CostContext& context, const graph::Model& model);

// Needs a model without obstacles.
plan::Estimate estimate_step(const CostContext& context, const graph::Model& training);

// Nothing when no tile fits the local buffers.
std::optional<plan::ProductEstimate> explain_product(const CostContext& context,
                                                     const plan::ProductProblem& problem,
                                                     hw::NumberFormat format);

}  // namespace phaze::cost
