#include "cost/operator.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "cost/attention.h"
#include "cost/collective.h"
#include "cost/product.h"
#include "graph/work.h"
#include "hw/technology.h"

namespace phaze::cost {

using graph::Layer;
using graph::Operator;
using graph::Unit;
using plan::OperatorCost;

namespace {

constexpr double kPico = 1e-12;

double as_double(Bytes bytes) { return static_cast<double>(bytes.value()); }

hw::NumberFormat format_of(const CostContext& context, const Layer& layer, const Operator& op) {
  const auto format = matrix_format(*context.chip, layer.tensors[op.inputs[0]].type);
  CHECK(format, "callers look for obstacles first");
  return *format;
}

double aligned_share(const hw::Chip& chip, const Layer& layer, const Operator& op) {
  std::vector<Bytes> rows;
  for (const graph::TensorId id : {op.inputs[0], op.inputs[1], op.outputs[0]}) {
    const graph::Tensor& tensor = layer.tensors[id];
    rows.push_back(Bytes(graph::bytes_per_element(tensor.type)) * graph::last_extent(tensor.shape));
  }
  return cost::aligned_share(chip, rows);
}

// What the product sees of the chip.
plan::TensorMachine machine_of(const CostContext& context, const Layer& layer, const Operator& op,
                               hw::NumberFormat format) {
  plan::TensorMachine machine = tensor_machine(*context.chip, format, context.share);
  machine.port_bandwidth = machine.port_bandwidth * aligned_share(*context.chip, layer, op);
  machine.clock = machine.clock * context.chip->sustained.step;
  machine.sustained = machine.sustained * context.chip->sustained.step;
  return machine;
}

std::optional<ProductAnswer> solve(const CostContext& context, const plan::ProductProblem& problem,
                                   const plan::TensorMachine& machine) {
  return context.products != nullptr ? context.products->solve(problem, machine)
                                     : solve_product(problem, machine);
}

// Epilogues ride on the product: their lanes work beside the arrays, their other operands pass with
// the product's own.
OperatorCost product_cost(const CostContext& context, const Layer& layer, const Operator& op) {
  const hw::Chip& chip = *context.chip;
  const plan::ProductProblem problem = product_problem(layer, op);
  const plan::TensorMachine machine = machine_of(context, layer, op, format_of(context, layer, op));
  const std::optional<ProductAnswer> answer = solve(context, problem, machine);
  CHECK(answer, "callers look for obstacles first");
  OperatorCost cost;
  cost.mapping = answer->mapping;
  cost.time = answer->cost.time;
  cost.bound = answer->cost.bound;
  cost.matrix_flops = graph::matrix_flops(op);
  cost.vector_flops = op.vector_flops;
  cost.local_bytes = answer->cost.local_bytes;
  cost.global_bytes = answer->cost.global_bytes;
  cost.hbm_bytes = answer->cost.hbm_bytes;
  if (!op.fused.empty()) {
    const VectorMachine lanes = vector_machine(chip, context.share);
    const Seconds vector(epilogue_cycles(layer, op, chip) / lanes.lane_operations);
    if (machine.launch + vector > cost.time) {
      cost.time = machine.launch + vector;
      cost.bound = plan::Bound::kVector;
    }
  }
  cost.utilisation = cost.matrix_flops.value() / (cost.time.value() * machine.peak.value());
  return cost;
}

OperatorCost network_cost(const CostContext& context, const Layer& layer, const Operator& op) {
  CHECK(context.network, "callers look for obstacles first");
  const auto collective = collective_of(op.kind);
  CHECK(collective, "a network operator is a collective");
  OperatorCost cost;
  cost.network_bytes = graph::collective_bytes(layer, op);
  const CollectiveCost priced = compute_collective(*context.network->cluster, *collective,
                                                   cost.network_bytes, context.network->group);
  cost.time = priced.time;
  cost.bound = priced.time.value() > 0 ? plan::Bound::kNetwork : plan::Bound::kNothing;
  cost.utilisation = priced.time.value() > 0 ? priced.transfer.value() / priced.time.value() : 0;
  return cost;
}

Joules energy_of(const CostContext& context, const Layer& layer, const Operator& op,
                 const OperatorCost& cost) {
  const hw::EnergyTable& e = context.energies;
  double mac = 0;
  if (cost.matrix_flops.value() > 0) {
    mac = context.mac_pj[static_cast<std::size_t>(format_of(context, layer, op))];
  }
  const double pj =
      cost.matrix_flops.value() / 2 * mac + as_double(cost.local_bytes) * e.local_byte_pj +
      as_double(cost.global_bytes) * e.global_byte_pj + as_double(cost.hbm_bytes) * e.hbm_byte_pj +
      as_double(cost.network_bytes) * e.link_byte_pj +
      cost.vector_flops.value() * (e.lane_operation_pj + e.control_lane_pj);
  return Joules(pj * kPico);
}

}  // namespace

double aligned_share(const hw::Chip& chip, const std::vector<Bytes>& rows) {
  const std::int64_t alignment = chip.tensor.alignment.value();
  std::int64_t least = alignment;
  for (const Bytes row : rows) {
    least = std::min(least, std::gcd(row.value(), alignment));
  }
  if (least == alignment) {
    return 1;
  }
  // Such loads go through older paths besides (fitted: H200).
  constexpr double kOlderPath = 0.7;
  return kOlderPath * static_cast<double>(least) / static_cast<double>(alignment);
}

CostContext make_context(const hw::Chip& chip) {
  CostContext context;
  context.chip = &chip;
  const hw::Node* node = hw::find_node(chip.node_nm);
  CHECK(node != nullptr, "readers know the node");
  context.energies = hw::compute_energies_at_clock(chip, *node);
  // Registers and clock come on top of each format as they do for bf16.
  const double bf16 = hw::mac_energy_pj(hw::NumberFormat::kBf16, *node);
  for (std::size_t i = 0; i < hw::kNumberFormats; ++i) {
    context.mac_pj[i] =
        context.energies.mac_pj * hw::mac_energy_pj(static_cast<hw::NumberFormat>(i), *node) / bf16;
  }
  return context;
}

plan::ProductProblem product_problem(const Layer& layer, const Operator& op) {
  const auto element = [&layer](graph::TensorId id) {
    return Bytes(graph::bytes_per_element(layer.tensors[id].type));
  };
  CHECK(op.product && op.inputs.size() >= 2, "a product has two operands");
  plan::ProductProblem problem{
      op.product->batch,     op.product->m,         op.product->n,          op.product->k,
      element(op.inputs[0]), element(op.inputs[1]), element(op.outputs[0]), Bytes()};
  const auto as_double = [](std::int64_t value) { return static_cast<double>(value); };
  const double m = as_double(problem.m);
  const double n = as_double(problem.n);
  const double k = as_double(problem.k);
  const double own = as_double(problem.batch) * (m * k * as_double(problem.a_element.value()) +
                                                 k * n * as_double(problem.b_element.value()) +
                                                 m * n * as_double(problem.c_element.value()));
  const graph::Traffic traffic = graph::compute_traffic(layer, op);
  const double all = as_double((traffic.read + traffic.written).value());
  problem.extra = Bytes(static_cast<std::int64_t>(std::max(0.0, all - own)));
  return problem;
}

std::optional<std::string> find_obstacle(const CostContext& context, const Layer& layer,
                                         const Operator& op) {
  const hw::Chip& chip = *context.chip;
  const Unit unit = graph::traits(op.kind).unit;
  if (unit == Unit::kNetwork && !context.network) {
    return "needs a network: name a cluster";
  }
  if (unit != Unit::kTensor) {
    return std::nullopt;
  }
  const graph::ElementType type = layer.tensors[op.inputs[0]].type;
  const auto format = matrix_format(chip, type);
  if (!format) {
    return "multiplies " + std::string(graph::to_string(type)) + ", which the chip cannot";
  }
  if (graph::matrix_flops(op).value() / 2 > kMostMacs) {
    return "is too large: more than 2^56 multiply-accumulates";
  }
  if (op.product) {
    const plan::ProductProblem problem = product_problem(layer, op);
    if (!solve(context, problem, machine_of(context, layer, op, *format))) {
      return "has no tile that fits a core's local buffer";
    }
  }
  return std::nullopt;
}

Placement all_in_hbm(const Layer& layer, const Operator& op) {
  const graph::Traffic traffic = graph::compute_traffic(layer, op);
  return {traffic.read, traffic.written, Bytes()};
}

LeastBytes least_bytes(const Layer& layer, const Operator& op, const Placement& placement) {
  const Unit unit = graph::traits(op.kind).unit;
  if (unit != Unit::kTensor && unit != Unit::kVector) {
    return {};
  }
  const Placement where = unit == Unit::kTensor ? all_in_hbm(layer, op) : placement;
  const Bytes hbm = where.from_hbm + where.to_hbm;
  return {hbm, op.product ? hbm * 2 : hbm + where.from_global};
}

OperatorCost compute_operator_cost(const CostContext& context, const Layer& layer,
                                   const Operator& op, const Placement& placement) {
  OperatorCost cost;
  switch (graph::traits(op.kind).unit) {
    case Unit::kTensor:
      if (op.attention) {
        const auto priced = compute_attention_cost(layer, op, *context.chip, context.share);
        CHECK(priced, "callers look for obstacles first");
        cost = *priced;
      } else {
        cost = product_cost(context, layer, op);
      }
      break;
    case Unit::kVector:
      cost =
          compute_vector_cost(layer, op, placement, *context.chip, context.share, context.kernels);
      break;
    case Unit::kNetwork:
      cost = network_cost(context, layer, op);
      break;
    case Unit::kNone:
      return cost;
  }
  cost.energy = energy_of(context, layer, op, cost);
  if (context.table != nullptr) {
    const Lookup found = look_up(*context.table, key_of(layer, op), cost.time);
    if (found.source != plan::CostSource::kModel && cost.time.value() > 0) {
      cost.utilisation *= cost.time.value() / found.time.value();
      cost.time = found.time;
      cost.source = found.source;
    }
  }
  return cost;
}

}  // namespace phaze::cost
