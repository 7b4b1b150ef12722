#include "cost/estimate.h"

#include <algorithm>
#include <array>

#include "cost/product.h"
#include "cost/step.h"
#include "graph/summary.h"
#include "graph/work.h"

namespace phaze::cost {

using plan::ProductAlternative;
using plan::ProductMapping;
using plan::TensorMachine;

namespace {

constexpr double kPico = 1e-12;

// The dense peak of the format that most matrix work runs in.
FlopsPerSecond main_peak(const hw::Chip& chip, const graph::Model& model) {
  std::array<double, hw::kNumberFormats> flops{};
  for (const graph::Layer& layer : model.layers) {
    for (const graph::Operator& op : layer.operators) {
      if (graph::traits(op.kind).unit != graph::Unit::kTensor) {
        continue;
      }
      if (const auto format = matrix_format(chip, layer.tensors[op.inputs[0]].type)) {
        flops[static_cast<std::size_t>(*format)] +=
            graph::matrix_flops(op).value() * static_cast<double>(layer.repeat);
      }
    }
  }
  std::size_t most = 0;
  for (std::size_t i = 1; i < flops.size(); ++i) {
    most = flops[i] > flops[most] ? i : most;
  }
  return hw::peak_flops(chip, static_cast<hw::NumberFormat>(most));
}

ProductAlternative solved(const std::string& what, const plan::ProductProblem& problem,
                          const TensorMachine& machine) {
  ProductAlternative other{what, std::nullopt, Seconds()};
  if (const auto answer = solve_product(problem, machine)) {
    other.mapping = answer->mapping;
    other.time = answer->cost.time;
  }
  return other;
}

ProductAlternative evaluated(const std::string& what, const plan::ProductProblem& problem,
                             const TensorMachine& machine, const ProductMapping& mapping) {
  ProductAlternative other{what, std::nullopt, Seconds()};
  if (const auto cost = evaluate_product(problem, machine, mapping)) {
    other.mapping = mapping;
    other.time = cost->time;
  }
  return other;
}

std::string dataflow_text(plan::Dataflow dataflow) {
  switch (dataflow) {
    case plan::Dataflow::kOutput:
      return "outputs stay in the array";
    case plan::Dataflow::kOutputTransposed:
      return "outputs stay, transposed";
    case plan::Dataflow::kWeight:
      return "B stays in the array";
    case plan::Dataflow::kInput:
      return "A stays in the array";
  }
  return "";
}

std::vector<ProductAlternative> other_ways(const plan::ProductProblem& problem,
                                           const TensorMachine& machine,
                                           const ProductMapping& best) {
  std::vector<ProductAlternative> others;
  for (std::size_t i = 0; i < plan::kDataflows; ++i) {
    if (machine.dataflows[i] && static_cast<plan::Dataflow>(i) != best.dataflow) {
      TensorMachine restricted = machine;
      restricted.dataflows = {};
      restricted.dataflows[i] = true;
      others.push_back(solved(dataflow_text(static_cast<plan::Dataflow>(i)), problem, restricted));
    }
  }
  ProductMapping changed = best;
  if (best.k_splits > 1) {
    changed.k_splits = 1;
    others.push_back(evaluated("k in one piece", problem, machine, changed));
  } else if (problem.k > 1 && machine.cores > 1) {
    changed.k_splits = 2;
    others.push_back(evaluated("k split two ways", problem, machine, changed));
  }
  const auto resized = [&](std::int64_t m, std::int64_t n, const std::string& what) {
    ProductMapping other = best;
    other.tile_m = std::min(m, problem.m);
    other.tile_n = std::min(n, problem.n);
    other.group_m = other.group_n = 1;
    const bool is_other = other.tile_m != best.tile_m || other.tile_n != best.tile_n;
    if (is_other && evaluate_product(problem, machine, other)) {
      others.push_back(evaluated(what, problem, machine, other));
    }
  };
  resized(best.tile_m / 2, best.tile_n, "tiles half as high");
  resized(best.tile_m, best.tile_n / 2, "tiles half as wide");
  resized(best.tile_m * 2, best.tile_n / 2, "tiles twice as high, half as wide");
  resized(best.tile_m / 2, best.tile_n * 2, "tiles half as high, twice as wide");
  return others;
}

// What it would take on a chip with twice of something.
std::vector<ProductAlternative> other_chips(const plan::ProductProblem& problem,
                                            const TensorMachine& machine) {
  std::vector<ProductAlternative> others;
  const auto with = [&](const std::string& what, auto change) {
    TensorMachine changed = machine;
    change(changed);
    others.push_back(solved(what, problem, changed));
  };
  with("tensor cores and their power", [](TensorMachine& m) {
    m.cores *= 2;
    m.sustained = m.sustained * 2;
  });
  with("local buffer", [](TensorMachine& m) {
    m.local_buffer = m.local_buffer * 2;
    m.accumulators *= 2;
  });
  with("core port", [](TensorMachine& m) { m.port_bandwidth = m.port_bandwidth * 2; });
  with("local buffer bandwidth",
       [](TensorMachine& m) { m.local_bandwidth = m.local_bandwidth * 2; });
  with("global buffer", [](TensorMachine& m) { m.global_buffer = m.global_buffer * 2; });
  with("global buffer bandwidth",
       [](TensorMachine& m) { m.global_bandwidth = m.global_bandwidth * 2; });
  with("HBM bandwidth", [](TensorMachine& m) { m.hbm_bandwidth = m.hbm_bandwidth * 2; });
  return others;
}

}  // namespace

std::optional<std::string> find_obstacle(const CostContext& context, const graph::Model& model) {
  for (const graph::Layer& layer : model.layers) {
    for (const graph::Operator& op : layer.operators) {
      if (const auto why = find_obstacle(context, layer, op)) {
        return "operator " + op.name + " of layer " + layer.name + " " + *why;
      }
    }
  }
  return std::nullopt;
}

plan::Estimate estimate_step(const CostContext& context, const graph::Model& training) {
  plan::Estimate e;
  e.model = training;
  e.chip = *context.chip;
  e.step = compute_step_cost(context, training);
  graph::MemoryOptions memory;
  memory.workspace = context.chip->workspace;
  e.memory = graph::compute_peak_memory(training, memory);
  e.tokens = static_cast<double>(training.sequence) * static_cast<double>(training.microbatch);
  const graph::ModelSummary summary = graph::summarise(training);
  e.model_flops = summary.model_flops;
  e.run_flops = summary.forward_flops + summary.backward_flops;
  e.peak = main_peak(*context.chip, training);
  e.pace = e.step.is_host_bound ? e.step.host + e.step.optimizer.time : e.step.total;
  e.has_table = context.table != nullptr;
  for (const plan::LayerCost& layer : e.step.layers) {
    for (const plan::OperatorCost& op : layer.operators) {
      e.exact += op.source == plan::CostSource::kExact ? 1 : 0;
      e.interpolated += op.source == plan::CostSource::kInterpolated ? 1 : 0;
    }
  }
  return e;
}

std::optional<plan::ProductEstimate> explain_product(const CostContext& context,
                                                     const plan::ProductProblem& problem,
                                                     hw::NumberFormat format) {
  plan::ProductEstimate e;
  e.problem = problem;
  e.chip = *context.chip;
  e.format = format;
  e.machine = tensor_machine(*context.chip, format, context.share);
  const std::optional<ProductAnswer> answer = solve_product(problem, e.machine);
  if (!answer) {
    return std::nullopt;
  }
  e.mapping = answer->mapping;
  e.cost = answer->cost;
  e.candidates = answer->candidates;
  e.time = answer->cost.time + context.chip->idle_overhead;
  const hw::EnergyTable& table = context.energies;
  const double macs = static_cast<double>(problem.batch) * static_cast<double>(problem.m) *
                      static_cast<double>(problem.n) * static_cast<double>(problem.k);
  e.energy =
      Joules(kPico * (macs * context.mac_pj[static_cast<std::size_t>(format)] +
                      static_cast<double>(e.cost.local_bytes.value()) * table.local_byte_pj +
                      static_cast<double>(e.cost.global_bytes.value()) * table.global_byte_pj +
                      static_cast<double>(e.cost.hbm_bytes.value()) * table.hbm_byte_pj));
  const Bytes row_k = problem.a_element * problem.k;
  const Bytes row_n = problem.c_element * problem.n;
  const double share = aligned_share(*context.chip, {row_k, row_n});
  if (share < 1) {
    TensorMachine narrow = e.machine;
    narrow.port_bandwidth = narrow.port_bandwidth * share;
    if (const auto slower = solve_product(problem, narrow)) {
      e.unpadded = slower->cost.time + context.chip->idle_overhead;
    }
  }
  e.alternatives = other_ways(problem, e.machine, e.mapping);
  e.changes = other_chips(problem, e.machine);
  return e;
}

}  // namespace phaze::cost
