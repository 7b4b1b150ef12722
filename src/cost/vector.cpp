#include "cost/vector.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace phaze::cost {

using graph::OpKind;
using graph::Pass;
using plan::OperatorCost;

namespace {

double as_double(Bytes bytes) { return static_cast<double>(bytes.value()); }

double elements_of(const graph::Layer& layer, graph::TensorId id) {
  return static_cast<double>(graph::element_count(layer.tensors[id].shape));
}

// An operator that takes rows by their numbers touches those and no others.
bool picks_rows(const graph::Operator& op) {
  return op.kind == OpKind::kGather ||
         (op.kind == OpKind::kEmbedding && op.pass != Pass::kBackward);
}

// Elements that pass between memory and lanes: operands and results, each once.
double moved_elements(const graph::Layer& layer, const graph::Operator& op) {
  if (picks_rows(op)) {
    return 2 * elements_of(layer, op.outputs[0]);  // of a table only the rows that are picked
  }
  double elements = 0;
  for (const graph::TensorId id : op.inputs) {
    elements += elements_of(layer, id);
  }
  for (const graph::TensorId id : op.outputs) {
    elements += elements_of(layer, id);
  }
  return elements;
}

// Reductions along rows that an operator needs one after another.
double row_reductions(OpKind kind, Pass pass) {
  const bool is_backward = pass == Pass::kBackward;
  switch (kind) {
    case OpKind::kLayerNorm:
    case OpKind::kRmsNorm:  // backward: two along rows, and those of the weights
      return is_backward ? 3 : 1;
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax:
    case OpKind::kCrossEntropy:  // the largest, the sum
      return is_backward ? 1 : 2;
    default:
      return 0;
  }
}

// Is a tensor a part of its storage, read or written with gaps?
bool has_gaps(const graph::Layer& layer, graph::TensorId id) {
  return elements_of(layer, graph::storage_of(layer, id)) > elements_of(layer, id);
}

// Elements that a library's kernel looks up one by one: those of a result whose operands are
// broadcast, lie with gaps or in another order, or are widened.
double looked_up(const graph::Layer& layer, const graph::Operator& op) {
  const double results = op.outputs.empty() ? 0 : elements_of(layer, op.outputs[0]);
  constexpr double kRowsInTurn = 5;  // rows with one index wait for one another
  switch (op.kind) {
    case OpKind::kCopy:
      return results;
    case OpKind::kConcatenate:
      return std::ranges::any_of(op.inputs,
                                 [&layer](graph::TensorId id) { return has_gaps(layer, id); })
                 ? results
                 : 0;
    case OpKind::kCast: {
      const auto bytes = [&](graph::TensorId id) {
        return graph::bytes_per_element(layer.tensors[id].type);
      };
      return bytes(op.outputs[0]) > bytes(op.inputs[0]) ? results : 0;
    }
    case OpKind::kMean:
      return op.pass == Pass::kBackward ? results : 0;
    case OpKind::kEmbedding:
      return op.pass == Pass::kBackward ? kRowsInTurn * elements_of(layer, op.inputs[0]) : 0;
    case OpKind::kScatterAdd:
      return kRowsInTurn * elements_of(layer, op.inputs[0]);
    default:
      break;
  }
  if (!graph::traits(op.kind).elementwise) {
    return 0;
  }
  for (const graph::TensorId id : op.inputs) {
    if (elements_of(layer, id) != results || has_gaps(layer, id)) {
      return results;
    }
  }
  return has_gaps(layer, op.outputs[0]) ? results : 0;
}

// Rows that do not fit on chip are read again for each reduction.
struct Rereading {
  Bytes bytes;       // read again when more cores are at work than rows fit
  double cores = 0;  // whose rows fit
};

Rereading rereading_of(const graph::Layer& layer, const graph::Operator& op, const hw::Chip& chip) {
  const double reductions = row_reductions(op.kind, op.pass);
  if (reductions == 0) {
    return {};
  }
  // The largest operand: backward, the first may be the gradient of a loss, a single number.
  graph::TensorId largest = op.inputs[0];
  for (const graph::TensorId id : op.inputs) {
    largest = elements_of(layer, id) > elements_of(layer, largest) ? id : largest;
  }
  const graph::Tensor& x = layer.tensors[largest];
  const double row = static_cast<double>(graph::last_extent(x.shape)) *
                     static_cast<double>(graph::bytes_per_element(x.type));
  constexpr double kRowsAtWork = 2;  // of a core
  // Half of the buffer holds rows.
  return {graph::size_of(x) * static_cast<std::int64_t>(reductions),
          std::floor(as_double(chip.global.size) / (2 * row * kRowsAtWork))};
}

// The elements that an operator computes on: its largest operand or result.
double work_elements(const graph::Layer& layer, const graph::Operator& op) {
  if (picks_rows(op)) {
    return elements_of(layer, op.outputs[0]);
  }
  double most = 0;
  for (const graph::TensorId id : op.inputs) {
    most = std::max(most, elements_of(layer, id));
  }
  for (const graph::TensorId id : op.outputs) {
    most = std::max(most, elements_of(layer, id));
  }
  return most;
}

}  // namespace

double special_functions(OpKind kind, Pass pass) {
  const bool is_backward = pass == Pass::kBackward;
  switch (kind) {
    case OpKind::kGelu:  // the error function is a polynomial and an exponential: about three
    case OpKind::kGeglu:
      return is_backward ? 4 : 3;
    case OpKind::kGeluTanh:
    case OpKind::kTanh:  // an exponential and a division
    case OpKind::kSilu:
    case OpKind::kSwiglu:
    case OpKind::kSigmoid:
    case OpKind::kQuickGelu:
      return is_backward && kind == OpKind::kTanh ? 0 : 2;
    case OpKind::kSoftmax:
    case OpKind::kLogSoftmax:
    case OpKind::kCrossEntropy:
      return 1;
    case OpKind::kDropout:  // a random number
      return is_backward ? 0 : 3;
    case OpKind::kRsqrt:
    case OpKind::kDivide:
    case OpKind::kPower:
      return 1;
    case OpKind::kAdam:  // a root and two divisions
      return 3;
    default:
      return 0;
  }
}

double lane_cycles(const graph::Layer& layer, const graph::Operator& op, const hw::Chip& chip,
                   Kernels kernels) {
  const hw::VectorCores& lanes = chip.vector;
  const double elements = work_elements(layer, op);
  double special = special_functions(op.kind, op.pass) * elements;
  for (const graph::FusedPart& part : op.fused) {
    special += special_functions(part.kind, op.pass) * elements;
  }
  // Kernels of many small threads compute the powers of the bias corrections again in each.
  constexpr double kAdamPowers = 10;
  if (op.kind == OpKind::kAdam && chip.control == hw::ControlStyle::kSimt) {
    special += kAdamPowers * elements;
  }
  double cycles = op.vector_flops.value() + special * lanes.special_cycles +
                  moved_elements(layer, op) * lanes.operand_cycles +
                  row_reductions(op.kind, op.pass) * elements * lanes.row_cycles;
  if (kernels == Kernels::kLibrary) {
    cycles += looked_up(layer, op) * lanes.address_cycles;
  }
  return cycles;
}

double epilogue_cycles(const graph::Layer& layer, const graph::Operator& op, const hw::Chip& chip) {
  const double results = elements_of(layer, op.outputs[0]);
  double special = 0;
  for (const graph::FusedPart& part : op.fused) {
    special += special_functions(part.kind, op.pass);
  }
  double moved = 0;
  constexpr std::size_t kOwn = 2;
  for (std::size_t i = kOwn; i < op.inputs.size(); ++i) {
    moved += elements_of(layer, op.inputs[i]);
  }
  for (const graph::TensorId id : op.outputs) {
    moved += elements_of(layer, id);
  }
  return op.vector_flops.value() + special * results * chip.vector.special_cycles +
         moved * chip.vector.operand_cycles;
}

OperatorCost compute_vector_cost(const graph::Layer& layer, const graph::Operator& op,
                                 const Placement& placement, const hw::Chip& chip,
                                 const Share& share, Kernels kernels) {
  const VectorMachine machine = vector_machine(chip, share);
  OperatorCost cost;
  cost.vector_flops = op.vector_flops;
  cost.hbm_bytes = placement.from_hbm + placement.to_hbm;
  double hbm = as_double(cost.hbm_bytes) / machine.hbm_bandwidth.value();
  double global =
      as_double(cost.hbm_bytes + placement.from_global) / machine.global_bandwidth.value();
  double lanes = lane_cycles(layer, op, chip, kernels) / machine.lane_operations;
  const Rereading again = rereading_of(layer, op, chip);
  const auto at_work = static_cast<double>(share.all_cores ? machine.cores : share.busy_cores);
  if (at_work > again.cores && again.bytes > Bytes()) {
    const double hbm_again = hbm + as_double(again.bytes) / machine.hbm_bandwidth.value();
    const double global_again = global + as_double(again.bytes) / machine.global_bandwidth.value();
    // Or fewer cores work, whose rows fit; kernels of SIMT chips take them all.
    const bool may_wait =
        share.all_cores && again.cores > 0 && chip.control == hw::ControlStyle::kSystolic;
    const double lanes_waiting = may_wait ? lanes * at_work / again.cores : 0;
    if (may_wait &&
        std::max({hbm, global, lanes_waiting}) < std::max({hbm_again, global_again, lanes})) {
      lanes = lanes_waiting;
    } else {
      cost.hbm_bytes += again.bytes;
      hbm = hbm_again;
      global = global_again;
    }
  }
  cost.global_bytes = cost.hbm_bytes + placement.from_global;
  double body = std::max({hbm, global, lanes});
  if (kernels == Kernels::kLibrary && op.kind == OpKind::kSoftmax && op.pass == Pass::kBackward) {
    // The library multiplies gradient and result by an operator of its own first.
    body += std::max(hbm, global);
    cost.hbm_bytes = cost.hbm_bytes * 2;
    cost.global_bytes = cost.global_bytes * 2;
  }
  cost.time = machine.launch + Seconds(body);
  if (op.kind == OpKind::kReduce) {
    cost.time += chip.vector.reduction_latency;
  }
  if (cost.time.value() <= 0) {
    return cost;
  }
  if (cost.time.value() > 2 * body) {
    cost.bound = plan::Bound::kLaunch;
  } else if (hbm >= std::max(global, lanes)) {
    cost.bound = plan::Bound::kHbm;
  } else {
    cost.bound = lanes >= global ? plan::Bound::kVector : plan::Bound::kGlobal;
  }
  const double peak = hw::hbm_bandwidth(chip).value();
  cost.utilisation = cost.bound == plan::Bound::kVector
                         ? lanes / cost.time.value()
                         : as_double(cost.hbm_bytes) / (cost.time.value() * peak);
  return cost;
}

}  // namespace phaze::cost
