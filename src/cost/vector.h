#pragma once
// Vector operators: passes over data by lanes, from HBM or from the global buffer.
// Formulas: docs/models.md, section 12.

#include "cost/machine.h"
#include "graph/layer.h"
#include "plan/operator_cost.h"

namespace phaze::cost {

// Bytes of an operator by where they live.
struct Placement {
  Bytes from_hbm, to_hbm;  // read and written there
  Bytes from_global;       // read from the global buffer alone
};

// Who wrote the kernels: a compiler or a tuned stack for this model, or a library of single
// operators, whose kernels look up every element of a broadcast or strided operand.
enum class Kernels { kTuned, kLibrary };

// Lane cycles of all elements of an operator.
double lane_cycles(const graph::Layer& layer, const graph::Operator& op, const hw::Chip& chip,
                   Kernels kernels);

// Of what is fused into a product: its operations over the elements of the result, the operands
// that are not the product's own, and the result.
double epilogue_cycles(const graph::Layer& layer, const graph::Operator& op, const hw::Chip& chip);

// Special functions (exponentials, divisions, roots, error functions) of an element.
double special_functions(graph::OpKind kind, graph::Pass pass);

plan::OperatorCost compute_vector_cost(const graph::Layer& layer, const graph::Operator& op,
                                       const Placement& placement, const hw::Chip& chip,
                                       const Share& share, Kernels kernels);

}  // namespace phaze::cost
