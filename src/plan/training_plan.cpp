#include "plan/training_plan.h"

#include <algorithm>

namespace phaze::plan {

const LayerWork& work_of(const ChainLayer& layer, Recompute recompute) {
  std::size_t way = static_cast<std::size_t>(recompute);
  while (way > 0 && !layer.work[way]) {
    --way;
  }
  return *layer.work[way];
}

std::int64_t Chain::length() const {
  std::int64_t length = 0;
  for (const ChainLayer& layer : layers) {
    length += layer.repeat;
  }
  return length;
}

Seconds Chain::microbatch_time() const {
  Seconds time;
  for (const ChainLayer& layer : layers) {
    const LayerWork& work = work_of(layer, Recompute::kNone);
    time += (work.forward + work.backward) * static_cast<double>(layer.repeat);
  }
  return time;
}

Bytes peak_memory(const TrainingPlan& plan) {
  Bytes peak;
  for (const PlanStage& stage : plan.stages) {
    peak = std::max(peak, stage.memory.total());
  }
  return peak;
}

}  // namespace phaze::plan
