#include "search/plan_record.h"

#include <algorithm>

namespace phaze::search {

plan::IterationParts count_gathers(const plan::TrainingPlan& plan, const plan::Chain& chain) {
  plan::IterationParts parts = plan.parts;
  if (plan.strategy.zero < 2 || plan.stages.empty()) {
    return parts;
  }
  Seconds compute;
  for (const plan::PlanStage& stage : plan.stages) {
    for (const plan::StageLayers& run : stage.layers) {
      const plan::LayerWork& work = plan::work_of(chain.layers[run.layer], stage.recompute);
      compute += (work.forward + work.backward - work.recompute - work.forward_network -
                  work.backward_network) *
                 static_cast<double>(run.count);
    }
  }
  compute =
      compute * (static_cast<double>(plan.microbatches) / static_cast<double>(plan.stages.size()));
  if (compute < parts.compute) {
    parts.data += parts.compute - compute;
    parts.compute = compute;
  }
  return parts;
}

plan::PlanRecord make_record(const plan::TrainingPlan& plan, const plan::Chain& chain,
                             const hw::Chip& chip, FlopsPerSecond peak, Seconds bound,
                             bool is_proved) {
  plan::PlanRecord record;
  record.chip = chip.name;
  record.plan = plan;
  record.plan.parts = count_gathers(plan, chain);
  for (const plan::ChainLayer& layer : chain.layers) {
    record.layers.push_back(layer.name);
  }
  // Over a device of each stage, with all its micro-batches.
  double flops = 0, run_flops = 0, tensor_s = 0, vector_s = 0, hbm_bytes = 0, link_s = 0;
  for (const plan::PlanStage& stage : plan.stages) {
    for (const plan::StageLayers& run : stage.layers) {
      const plan::ChainLayer& layer = chain.layers[run.layer];
      const plan::LayerWork& work = plan::work_of(layer, stage.recompute);
      const auto count = static_cast<double>(run.count);
      flops += layer.flops.value() * count;
      run_flops += (layer.run_flops + work.recompute_flops).value() * count;
      tensor_s += work.tensor_busy_s * count;
      vector_s += work.vector_busy_s * count;
      hbm_bytes += work.hbm_bytes * count;
    }
    link_s += stage.network.value();
  }
  // On average: where pipelines are not given equal numbers the plan has the largest.
  const double microbatches = static_cast<double>(plan.global_batch) /
                              static_cast<double>(plan.strategy.data * plan.strategy.microbatch);
  const double each =
      microbatches / static_cast<double>(plan.stages.size()) / plan.iteration.value();
  double gradients_s = 0;
  for (const plan::PlanStage& stage : plan.stages) {
    gradients_s += stage.gradients.value();
  }
  const bool has_transfers = plan.stages.size() > 1;
  plan::PlanFigures figures;
  figures.mfu = flops * each / peak.value();
  figures.hfu = run_flops * each / peak.value();
  figures.utilisation.tensor = tensor_s * each;
  figures.utilisation.vector = vector_s * each;
  // The fastest mappings move more than the bytes that a layer's time is held to: a little over 1
  // where HBM is all that counts.
  figures.utilisation.hbm = std::min(1.0, hbm_bytes * each / hw::hbm_bandwidth(chip).value());
  figures.utilisation.link =
      std::min(1.0, link_s * each +
                        (has_transfers ? 2 * microbatches * plan.transfer.value() : 0) /
                            plan.iteration.value() +
                        (gradients_s / static_cast<double>(plan.stages.size()) +
                         (record.plan.parts.data - plan.parts.data).value()) /
                            plan.iteration.value());
  figures.status = is_proved ? plan::SolveStatus::kOptimal : plan::SolveStatus::kFeasible;
  figures.bound = bound;
  record.figures = figures;
  return record;
}

}  // namespace phaze::search
