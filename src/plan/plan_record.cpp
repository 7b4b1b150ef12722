#include "plan/plan_record.h"

#include <algorithm>

namespace phaze::plan {

double loss(const TrainingPlan& plan, const TrainingPlan& best) {
  return best.iteration.value() > 0 ? plan.iteration.value() / best.iteration.value() - 1 : 0;
}

double throughput(const TrainingPlan& plan) {
  return plan.iteration.value() > 0
             ? static_cast<double>(plan.global_batch) / plan.iteration.value()
             : 0;
}

std::string recompute_of(const TrainingPlan& plan) {
  if (plan.stages.empty()) {
    return std::string(to_string(Recompute::kNone));
  }
  const Recompute first = plan.stages.front().recompute;
  const bool is_one = std::ranges::all_of(
      plan.stages, [first](const PlanStage& stage) { return stage.recompute == first; });
  return is_one ? std::string(to_string(first)) : "mixed";
}

}  // namespace phaze::plan
