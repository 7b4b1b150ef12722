#include "search/plan_record.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::search {

plan::PlanRecord make_record(const plan::TrainingPlan& plan, ClusterCosts& costs,
                             const hw::Chip& chip, FlopsPerSecond peak, Seconds bound,
                             bool is_proved) {
  const plan::Chain* chain = costs.chain(plan.strategy);
  CHECK(chain != nullptr, "a plan has a chain");
  plan::PlanRecord record;
  record.chip = chip.name;
  record.plan = plan;
  for (const plan::ChainLayer& layer : chain->layers) {
    record.layers.push_back(layer.name);
  }
  // Over a device of each stage, with all its micro-batches.
  double flops = 0, run_flops = 0, tensor_s = 0, vector_s = 0, hbm_bytes = 0, link_s = 0;
  for (const plan::PlanStage& stage : plan.stages) {
    for (const plan::StageLayers& run : stage.layers) {
      const plan::ChainLayer& layer = chain->layers[run.layer];
      std::size_t way = static_cast<std::size_t>(stage.recompute);
      while (way > 0 && !layer.work[way]) {
        --way;
      }
      const plan::LayerWork& work = *layer.work[way];
      const auto count = static_cast<double>(run.count);
      flops += layer.flops.value() * count;
      run_flops += (layer.run_flops + work.recompute_flops).value() * count;
      tensor_s += work.tensor_busy_s * count;
      vector_s += work.vector_busy_s * count;
      hbm_bytes += work.hbm_bytes * count;
    }
    link_s += stage.network.value();
  }
  const auto microbatches = static_cast<double>(plan.microbatches);
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
  figures.utilisation.hbm = hbm_bytes * each / hw::hbm_bandwidth(chip).value();
  figures.utilisation.link = std::min(
      1.0,
      link_s * each +
          (has_transfers ? 2 * microbatches * plan.transfer.value() : 0) / plan.iteration.value() +
          gradients_s / static_cast<double>(plan.stages.size()) / plan.iteration.value());
  figures.status = is_proved ? plan::SolveStatus::kOptimal : plan::SolveStatus::kFeasible;
  figures.bound = bound;
  record.figures = figures;
  return record;
}

}  // namespace phaze::search
