#include "search/layer_work.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cost/layer.h"
#include "schedule/exact.h"
#include "schedule/memory.h"
#include "search/sequence_overlap.h"

namespace phaze::search {

using graph::Operator;
using graph::Unit;
using plan::LayerPass;
using plan::LayerSchedule;

namespace {

struct BothPasses {
  PassWork forward, backward;
};

BothPasses one_after_another(const graph::Layer& layer, const plan::LayerCost& cost,
                             const Scheduling& scheduling) {
  BothPasses both;
  both.forward.time = cost.forward.time;
  both.backward.time = cost.backward.time;
  const IdVector<graph::OpId, Seconds> hidden =
      scheduling.overlaps_sequence ? compute_hidden(layer, cost)
                                   : IdVector<graph::OpId, Seconds>(layer.operators.size(), {});
  for (const graph::OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    if (op.pass == graph::Pass::kOptimizer) {
      continue;
    }
    PassWork& pass = op.pass == graph::Pass::kForward ? both.forward : both.backward;
    const Unit unit = graph::traits(op.kind).unit;
    const Seconds time = cost.operators[id].time;
    const bool has_tensor = unit == Unit::kTensor;
    const bool has_vector =
        unit == Unit::kVector || (has_tensor && (op.attention || !op.fused.empty()));
    pass.time = pass.time - hidden[id];
    pass.network += unit == Unit::kNetwork ? time - hidden[id] : Seconds();
    pass.tensor_busy_s += has_tensor ? time.value() : 0;
    pass.vector_busy_s += has_vector ? time.value() : 0;
  }
  return both;
}

// Time in which the network is at work and no core is. O(tasks log tasks).
Picoseconds exposed_network(const LayerSchedule& layer) {
  // Begins and ends in the order of time, and by how much they change the tasks of each sort.
  struct Change {
    Picoseconds at;
    int network = 0, cores = 0;
  };
  std::vector<Change> changes;
  for (const plan::TaskId id : ids_of(layer.problem.tasks)) {
    const plan::TaskUnit unit = layer.problem.tasks[id].unit;
    const plan::TaskRun& run = layer.schedule.runs[id];
    if (unit != plan::TaskUnit::kNone) {
      const bool is_network = unit == plan::TaskUnit::kNetwork;
      changes.push_back({run.start, is_network ? 1 : 0, is_network ? 0 : 1});
      changes.push_back({run.end, is_network ? -1 : 0, is_network ? 0 : -1});
    }
  }
  std::ranges::sort(changes, {}, &Change::at);
  Picoseconds exposed, before;
  int network = 0, cores = 0;
  for (const Change& change : changes) {
    if (network > 0 && cores == 0) {
      exposed += change.at - before;
    }
    before = change.at;
    network += change.network;
    cores += change.cores;
  }
  return exposed;
}

PassWork side_by_side(const cost::CostContext& context, const graph::Layer& layer, LayerPass pass,
                      const Scheduling& scheduling) {
  schedule::Memory memory;
  const Solver exact = [&](const plan::ScheduleProblem& problem, const Wanted& wanted) {
    schedule::ExactOptions options = exact_options(wanted, scheduling.work_limit);
    options.memory = &memory;
    return schedule::solve_exact(problem, options);
  };
  const LayerSchedule found = schedule_layer(context, layer, pass, scheduling.exclusive_wide,
                                             scheduling.solve ? scheduling.solve : exact);
  const Seconds time = to_seconds(found.time());
  const plan::CoreUtilisation busy =
      plan::core_utilisation(found.problem, found.schedule, found.time());
  const Picoseconds least = std::max(found.schedule.lower_bound, found.floor);
  const double gap = least < found.time() ? 1 - to_seconds(least).value() / time.value() : 0;
  return {time, to_seconds(exposed_network(found)), busy.tensor * time.value(),
          busy.vector * time.value(), gap};
}

std::vector<double> collectives_of(const graph::Layer& layer, const plan::LayerCost& cost) {
  std::vector<double> times;
  for (const graph::OpId id : ids_of(layer.operators)) {
    if (graph::traits(layer.operators[id].kind).unit == Unit::kNetwork) {
      times.push_back(cost.operators[id].time.value());
    }
  }
  return times;
}

BothPasses remembered(const cost::CostContext& context, const graph::Layer& layer,
                      const plan::LayerCost& cost, const Scheduling& scheduling) {
  const auto find = [&](LayerPass pass) {
    if (scheduling.memo == nullptr) {
      return side_by_side(context, layer, pass, scheduling);
    }
    std::vector<double> collectives = collectives_of(layer, cost);
    if (const auto known = scheduling.memo->find(layer, pass, collectives, scheduling.work_limit)) {
      return *known;
    }
    const PassWork found = side_by_side(context, layer, pass, scheduling);
    scheduling.memo->keep(layer, pass, std::move(collectives), scheduling.work_limit, found);
    return found;
  };
  return {find(LayerPass::kForward), find(LayerPass::kBackward)};
}

// Is anything but what sequence parallelism gathers again?
bool is_recomputed(const graph::Layer& layer, const plan::LayerCost& cost) {
  for (const graph::OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    if (op.pass == graph::Pass::kRecompute && op.region != graph::Region::kRegather &&
        cost.operators[id].time > Seconds()) {
      return true;
    }
  }
  return false;
}

// Collectives among what is recomputed: they are the network's, not recomputation's.
Seconds recomputed_network(const graph::Layer& layer, const plan::LayerCost& cost) {
  Seconds sum;
  for (const graph::OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    if (op.pass == graph::Pass::kRecompute && graph::traits(op.kind).unit == Unit::kNetwork) {
      sum += cost.operators[id].time;
    }
  }
  return sum;
}

}  // namespace

PricedLayer price_layer(const cost::CostContext& context, const graph::Layer& layer,
                        const Scheduling& scheduling) {
  const plan::LayerCost cost = cost::compute_layer_cost(context, layer);
  const BothPasses both = context.chip->concurrent_operators
                              ? remembered(context, layer, cost, scheduling)
                              : one_after_another(layer, cost, scheduling);
  PricedLayer priced;
  priced.optimizer = cost.optimizer.time;
  priced.schedule_gap = std::max(both.forward.gap, both.backward.gap);
  plan::LayerWork& work = priced.work;
  const auto host = [&context](const plan::PassCost& pass) {
    return context.chip->host_launch * static_cast<double>(pass.launches);
  };
  const Seconds host_recompute =
      is_recomputed(layer, cost) ? context.chip->host_recompute : Seconds();
  work.forward = std::max(both.forward.time, host(cost.forward));
  work.backward = std::max(both.backward.time, host(cost.backward) + host_recompute);
  work.recompute = cost.recompute.time - recomputed_network(layer, cost);
  if (context.chip->concurrent_operators && cost.backward.time > Seconds()) {
    work.recompute = both.backward.time * (work.recompute.value() / cost.backward.time.value());
  }
  work.forward_gap = both.forward.gap;
  work.backward_gap = both.backward.gap;
  work.forward_network = both.forward.network;
  work.backward_network = both.backward.network;
  work.energy = cost.forward.energy + cost.backward.energy;
  work.tensor_busy_s = both.forward.tensor_busy_s + both.backward.tensor_busy_s;
  work.vector_busy_s = both.forward.vector_busy_s + both.backward.vector_busy_s;
  for (const graph::OpId id : ids_of(layer.operators)) {
    if (layer.operators[id].pass != graph::Pass::kOptimizer) {
      work.hbm_bytes += static_cast<double>(cost.operators[id].hbm_bytes.value());
    }
  }
  return priced;
}

}  // namespace phaze::search
