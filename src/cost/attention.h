#pragma once
// Fused attention: tiles of queries (forward) or of keys (backward) stay on chip while the other
// side passes. Formulas: docs/models.md, section 13.

#include <optional>

#include "cost/machine.h"
#include "graph/layer.h"
#include "plan/operator_cost.h"

namespace phaze::cost {

// One device's attention; nothing when the chip lacks the number format. When no tile fits on chip,
// scores travel through HBM: the cost says that it spills.
std::optional<plan::OperatorCost> compute_attention_cost(const graph::Layer& layer,
                                                         const graph::Operator& op,
                                                         const hw::Chip& chip, const Share& share);

}  // namespace phaze::cost
