#pragma once
// What an operator of a layer costs on a chip: one entry for all kinds.

#include <optional>
#include <string>
#include <vector>

#include "cost/group.h"
#include "cost/machine.h"
#include "cost/measured.h"
#include "cost/product_memo.h"
#include "cost/vector.h"
#include "graph/layer.h"
#include "hw/cluster.h"
#include "hw/power.h"
#include "plan/operator_cost.h"

namespace phaze::cost {

// The network that a layer's collectives run on.
struct Network {
  const hw::Cluster* cluster = nullptr;
  Group group;  // of the tensor-parallel devices
};

struct CostContext {
  const hw::Chip* chip = nullptr;
  hw::EnergyTable energies;
  double mac_pj[hw::kNumberFormats] = {};
  Share share;
  Kernels kernels = Kernels::kTuned;
  std::optional<Network> network;        // needed for layers with collectives
  const MeasuredTable* table = nullptr;  // where there is one, it goes before the model
  ProductMemo* products = nullptr;       // where there is one, each product is solved once
};

// The chip must outlive the context.
CostContext make_context(const hw::Chip& chip);
CostContext make_context(hw::Chip&& chip) = delete;

// Why an operator cannot run on the chip (a number format, a local buffer too small for any tile, a
// collective without a network); nothing when it can. compute_operator_cost needs it to be nothing.
std::optional<std::string> find_obstacle(const CostContext& context, const graph::Layer& layer,
                                         const graph::Operator& op);

plan::OperatorCost compute_operator_cost(const CostContext& context, const graph::Layer& layer,
                                         const graph::Operator& op, const Placement& placement);

// Bytes that pass a level however the operator is mapped, never more than compute_operator_cost
// counts: operands and results once, of vector operators where they live; those of products pass
// the global buffer on their way to and from HBM and again between it and the cores.
struct LeastBytes {
  Bytes hbm, global;
};
LeastBytes least_bytes(const graph::Layer& layer, const graph::Operator& op,
                       const Placement& placement);

// Every operand from HBM and every result to it.
Placement all_in_hbm(const graph::Layer& layer, const graph::Operator& op);

// Loads and stores are narrower where rows do not start at the chip's alignment: the share of a
// core's port that they use.
double aligned_share(const hw::Chip& chip, const std::vector<Bytes>& rows);

plan::ProductProblem product_problem(const graph::Layer& layer, const graph::Operator& op);

}  // namespace phaze::cost
