#include "search/layer_schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "cost/layer.h"

namespace phaze::search {

using graph::Layer;
using graph::Operator;
using graph::OpId;
using plan::LayerPass;
using plan::LayerSchedule;
using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;

namespace {

constexpr double kPerSecond = 1e12;  // picoseconds

bool is_of(const Operator& op, LayerPass pass) {
  return pass == LayerPass::kForward
             ? op.pass == graph::Pass::kForward
             : op.pass == graph::Pass::kBackward || op.pass == graph::Pass::kRecompute;
}

// Products whose epilogue needs lanes, and fused attention, take a core of each kind.
TaskUnit unit_of(const Operator& op) {
  switch (graph::traits(op.kind).unit) {
    case graph::Unit::kTensor:
      return op.attention || !op.fused.empty() ? TaskUnit::kBoth : TaskUnit::kTensor;
    case graph::Unit::kVector:
      return TaskUnit::kVector;
    case graph::Unit::kNetwork:
      return TaskUnit::kNetwork;
    case graph::Unit::kNone:
      return TaskUnit::kNone;
  }
  CHECK(false, "unknown unit");
}

Picoseconds up(Seconds time) {
  return Picoseconds(static_cast<std::int64_t>(std::ceil(time.value() * kPerSecond)));
}
Picoseconds down(Seconds time) {
  return Picoseconds(static_cast<std::int64_t>(std::floor(time.value() * kPerSecond)));
}

// The chip's cores in place of those of the problem that was solved: wide tasks have all of them.
void put_on_chip(LayerSchedule& layer, const hw::Chip& chip) {
  layer.problem.tensor_cores = chip.tensor.count;
  layer.problem.vector_cores = chip.vector.count;
  const auto all = [](std::vector<std::int64_t>& cores, std::int64_t count) {
    if (!cores.empty()) {
      cores.resize(static_cast<std::size_t>(count));
      std::iota(cores.begin(), cores.end(), 0);
    }
  };
  for (plan::TaskRun& run : layer.schedule.runs) {
    if (run.wide) {
      all(run.tensor_cores, chip.tensor.count);
      all(run.vector_cores, chip.vector.count);
    }
  }
}

// One after another, wide: a chain.
void make_serial(ScheduleProblem& problem) {
  for (const TaskId id : ids_of(problem.tasks)) {
    plan::Task& task = problem.tasks[id];
    if (task.all_cores) {
      task.one_core = *task.all_cores;
    }
    if (id.index() > 0) {
      problem.edges.emplace_back(TaskId(id.index() - 1), id);
    }
  }
}

// Each as fast as it can be: a schedule.
Picoseconds time_one_by_one(const ScheduleProblem& problem) {
  Picoseconds sum;
  for (const plan::Task& task : problem.tasks) {
    sum += std::min(task.one_core, task.all_cores.value_or(task.one_core));
  }
  return sum;
}

// Cores of a kind beyond as many as tasks need one are of no use.
std::int64_t most_busy(const Layer& layer, LayerPass pass, const hw::Chip& chip) {
  std::int64_t tensor = 0, vector = 0;
  for (const OpId id : ids_of(layer.operators)) {
    if (is_of(layer.operators[id], pass)) {
      const TaskUnit unit = unit_of(layer.operators[id]);
      tensor += plan::needs_tensor(unit) ? 1 : 0;
      vector += plan::needs_vector(unit) ? 1 : 0;
    }
  }
  return std::max(
      {std::int64_t{1}, std::min(tensor, chip.tensor.count), std::min(vector, chip.vector.count)});
}

// Bytes that pass a level, whoever moves them and however operators are mapped: more cores never
// make them more.
struct ByteCounts {
  double hbm = 0, global = 0;

  void add(const cost::LeastBytes& bytes) {
    hbm += static_cast<double>(bytes.hbm.value());
    global += static_cast<double>(bytes.global.value());
  }

  struct Floor {
    Seconds time;
    plan::TimeFloor reason;
  };
  Floor floor(const hw::Chip& chip) const {
    const Seconds hbm_floor(hbm / (hw::hbm_bandwidth(chip).value() * chip.sustained.hbm));
    const Seconds global_floor(global /
                               (hw::global_bandwidth(chip).value() * chip.tensor.multicast));
    return {std::max(hbm_floor, global_floor),
            hbm_floor >= global_floor ? plan::TimeFloor::kHbm : plan::TimeFloor::kGlobalBuffer};
  }
};

// On a core by itself. Products that fit local buffers only when all cores share their inner
// dimension cannot run there: longer than any layer takes.
Seconds time_alone(const cost::CostContext& one, const Layer& layer, const Operator& op,
                   const cost::Placement& placement) {
  constexpr Seconds kNever(1e5);
  return op.product && cost::find_obstacle(one, layer, op)
             ? kNever
             : cost::compute_operator_cost(one, layer, op, placement).time;
}

cost::CostContext on_one_core(const cost::CostContext& context, std::int64_t busy_cores) {
  cost::CostContext one = context;
  one.share = {false, busy_cores};
  return one;
}

}  // namespace

LayerTasks find_tasks(const Layer& layer, LayerPass pass) {
  LayerTasks tasks;
  // For every storage and operator: the tasks that what is read there waits for, through operators
  // that take no time.
  const auto storages = graph::compute_storages(layer);
  IdVector<graph::TensorId, std::vector<TaskId>> writers;
  writers.resize(layer.tensors.size(), {});
  for (const OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    if (!is_of(op, pass)) {
      continue;
    }
    std::vector<TaskId> waits;
    for (const graph::TensorId input : op.inputs) {
      for (const TaskId task : writers[input]) {
        waits.push_back(task);
      }
      for (const TaskId task : writers[storages[input]]) {
        waits.push_back(task);
      }
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    const TaskUnit unit = unit_of(op);
    std::vector<TaskId> made = waits;
    if (unit != TaskUnit::kNone) {
      const TaskId made_by(tasks.operators.size());
      tasks.operators.push_back(id);
      tasks.units.push_back(unit);
      for (const TaskId before : waits) {
        tasks.edges.emplace_back(before, made_by);
      }
      made = {made_by};
    }
    for (const graph::TensorId output : op.outputs) {
      writers[output] = made;
    }
  }
  return tasks;
}

Seconds bound_pass(const cost::CostContext& context, const Layer& layer, const LayerTasks& tasks) {
  const auto placements = cost::compute_placements(layer, *context.chip);
  const cost::CostContext one = on_one_core(context, 1);
  const hw::Chip& chip = *context.chip;
  std::vector<Seconds> ends(tasks.operators.size());
  Seconds longest, sum, network, tensor, vector;
  ByteCounts bytes;
  auto edge = tasks.edges.begin();  // by their second task
  for (std::size_t i = 0; i < tasks.operators.size(); ++i) {
    for (; edge != tasks.edges.end() && edge->second.index() == i; ++edge) {
      ends[i] = std::max(ends[i], ends[edge->first.index()]);
    }
    const OpId id = tasks.operators[i];
    const Operator& op = layer.operators[id];
    const TaskUnit unit = tasks.units[i];
    if (unit == TaskUnit::kNetwork && !context.network) {
      continue;
    }
    const plan::OperatorCost cost = cost::compute_operator_cost(context, layer, op, placements[id]);
    Seconds time = cost.time;
    sum += time;
    bytes.add(cost::least_bytes(layer, op, placements[id]));
    if (unit == TaskUnit::kNetwork) {
      network += time;
    } else if (chip.concurrent_operators) {
      // With everything that cores share to itself, one core is as fast as it can be; fewer rows at
      // work can do with less of the global buffer.
      const Seconds alone = time_alone(one, layer, op, placements[id]);
      const auto share = [&](std::int64_t cores) {
        return std::min(time, alone * (1 / static_cast<double>(cores)));
      };
      tensor += plan::needs_tensor(unit) ? share(chip.tensor.count) : Seconds();
      vector += plan::needs_vector(unit) ? share(chip.vector.count) : Seconds();
      time = std::min(time, alone);
    }
    ends[i] += time;
    longest = std::max(longest, ends[i]);
  }
  return chip.concurrent_operators
             ? std::max({longest, network, tensor, vector, bytes.floor(chip).time})
             : sum;
}

Seconds bound_network(const cost::CostContext& context, const Layer& layer,
                      const LayerTasks& tasks) {
  Seconds network;
  for (std::size_t i = 0; context.network && i < tasks.operators.size(); ++i) {
    if (tasks.units[i] == TaskUnit::kNetwork) {
      const Operator& op = layer.operators[tasks.operators[i]];
      network += cost::compute_operator_cost(context, layer, op, {}).time;
    }
  }
  return network;
}

ScheduleProblem make_problem(const cost::CostContext& context, const Layer& layer, LayerPass pass,
                             std::int64_t busy_cores, bool exclusive_wide) {
  ScheduleProblem problem;
  problem.tensor_cores = std::min(busy_cores, context.chip->tensor.count);
  problem.vector_cores = std::min(busy_cores, context.chip->vector.count);
  problem.exclusive_wide = exclusive_wide;
  const auto placements = cost::compute_placements(layer, *context.chip);
  const cost::CostContext one = on_one_core(context, busy_cores);
  const LayerTasks tasks = find_tasks(layer, pass);
  problem.edges = tasks.edges;
  for (std::size_t i = 0; i < tasks.operators.size(); ++i) {
    const OpId id = tasks.operators[i];
    const Operator& op = layer.operators[id];
    plan::Task task;
    task.id = op.name;
    task.unit = tasks.units[i];
    const Seconds all = cost::compute_operator_cost(context, layer, op, placements[id]).time;
    if (task.unit == TaskUnit::kNetwork) {
      task.one_core = up(all);
    } else {
      task.one_core = up(time_alone(one, layer, op, placements[id]));
      task.all_cores = down(all);
    }
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

PricedPass price_pass(const cost::CostContext& context, const Layer& layer, LayerPass pass,
                      bool exclusive_wide) {
  PricedPass priced;
  LayerSchedule& frame = priced.frame;
  frame.name = layer.name;
  frame.pass = pass;
  frame.repeat = layer.repeat;
  if (!context.chip->concurrent_operators) {
    frame.is_serial = true;
    priced.choices.push_back({1, make_problem(context, layer, pass, 1, true)});
    make_serial(priced.choices.front().problem);
    return priced;
  }
  const auto placements = cost::compute_placements(layer, *context.chip);
  ByteCounts bytes;
  for (const OpId id : ids_of(layer.operators)) {
    const Operator& op = layer.operators[id];
    if (is_of(op, pass)) {
      bytes.add(cost::least_bytes(layer, op, placements[id]));
    }
  }
  const ByteCounts::Floor floor = bytes.floor(*context.chip);
  frame.floor = down(floor.time);
  frame.floor_reason = floor.reason;
  const std::int64_t most = most_busy(layer, pass, *context.chip);
  for (std::int64_t busy = 1;; busy = std::min(2 * busy, most)) {
    priced.choices.push_back({busy, make_problem(context, layer, pass, busy, exclusive_wide)});
    ScheduleProblem& problem = priced.choices.back().problem;
    round_durations(problem);
    if (busy == most || time_one_by_one(problem) <= frame.floor) {
      return priced;
    }
  }
}

LayerSchedule schedule_priced(const PricedPass& priced, const hw::Chip& chip, const Solver& solve) {
  LayerSchedule best = choose_busy_cores(priced.frame, priced.choices, solve);
  if (best.is_serial) {
    for (const TaskId id : ids_of(best.problem.tasks)) {
      best.schedule.runs[id].wide = best.problem.tasks[id].all_cores.has_value();
    }
  }
  put_on_chip(best, chip);
  return best;
}

LayerSchedule schedule_layer(const cost::CostContext& context, const Layer& layer, LayerPass pass,
                             bool exclusive_wide, const Solver& solve) {
  return schedule_priced(price_pass(context, layer, pass, exclusive_wide), *context.chip, solve);
}

}  // namespace phaze::search
