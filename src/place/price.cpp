#include "place/price.h"

#include <algorithm>

#include "place/closed_form.h"

namespace phaze::place {

using plan::PlanStage;
using plan::TrainingPlan;

namespace {

// Numbers of a stage that are sums over its layers.
void add_layers(const StageTable& table, std::size_t begin, std::size_t end, PlanStage& stage) {
  const std::vector<std::size_t>& runs = table.run_begins();
  for (std::size_t run = 0; run + 1 < runs.size(); ++run) {
    const std::size_t from = std::max(begin, runs[run]);
    const std::size_t to = std::min(end, runs[run + 1]);
    if (from >= to) {
      continue;
    }
    const auto count = static_cast<std::int64_t>(to - from);
    if (!stage.layers.empty() && stage.layers.back().layer == run) {
      stage.layers.back().count += count;
    } else {
      stage.layers.push_back({run, count});
    }
    const plan::LayerWork& work = table.work(run, stage.recompute);
    const auto times = static_cast<double>(count);
    stage.network += (work.forward_network + work.backward_network) * times;
    stage.recomputation += work.recompute * times;
  }
}

}  // namespace

TrainingPlan price(const PlanProblem& problem, const StageTable& table,
                   const Partition& partition) {
  TrainingPlan plan;
  plan.strategy = table.strategy();
  plan.devices = problem.devices;
  plan.global_batch = problem.global_batch;
  plan.microbatches = table.microbatches();
  plan.transfer = Seconds(table.transfer_s());
  plan.transfer_bytes = table.chain().boundary;
  plan.tied = Seconds(table.tie_s());
  plan.iteration = Seconds(partition.iteration_s);
  plan.capacity = problem.capacity;
  const auto stages = static_cast<std::int64_t>(partition.stages.size());
  Seconds work, network, recomputation, optimizer;
  for (std::int64_t i = 0; i < stages; ++i) {
    const StageCut& cut = partition.stages[static_cast<std::size_t>(i)];
    PlanStage stage;
    stage.recompute = cut.recompute;
    const StageNumbers numbers = compute_stage(table, cut, stages - i);
    stage.forward = Seconds(numbers.times.forward_s);
    stage.backward = Seconds(numbers.times.backward_s);
    stage.in_flight = numbers.in_flight;
    stage.memory = numbers.memory;
    stage.gradients = Seconds(numbers.sync.gradients_s);
    stage.exposed = Seconds(numbers.sync.exposed_s);
    stage.optimizer = Seconds(numbers.sync.optimizer_s);
    for (const auto& [begin, end] : cut.ranges) {
      add_layers(table, begin, end, stage);
      stage.saved += table.saved(begin, end, cut.recompute);
      if (cut.ranges.size() > 1) {
        const StageTimes times = table.times(begin, end, cut.recompute);
        stage.chunks.push_back({Seconds(times.forward_s), Seconds(times.backward_s),
                                table.saved(begin, end, cut.recompute)});
      }
    }
    plan.fits = plan.fits && stage.memory.total() <= problem.capacity;
    work += stage.forward + stage.backward;
    network += stage.network;
    recomputation += stage.recomputation;
    optimizer = std::max(optimizer, stage.optimizer);
    plan.stages.push_back(std::move(stage));
  }
  const double each = static_cast<double>(plan.microbatches) / static_cast<double>(stages);
  plan.parts.tensor = network * each;
  plan.parts.recompute = recomputation * each;
  plan.parts.compute = (work - network - recomputation) * each;
  plan.parts.optimizer = optimizer;
  plan.parts.data = Seconds(partition.late_s);
  // Transfers of one micro-batch; where other stages' passes hide them, what is left of the time.
  plan.parts.pipeline = std::clamp(
      plan.transfer * (2.0 * static_cast<double>(stages * table.strategy().interleave - 1)),
      Seconds(), std::max(Seconds(), plan.iteration - plan.parts.total()));
  plan.parts.bubble = std::max(Seconds(0), plan.iteration - plan.parts.total());
  return plan;
}

}  // namespace phaze::place
