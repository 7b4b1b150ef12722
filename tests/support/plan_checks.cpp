#include "support/plan_checks.h"

#include <algorithm>

#include "support/plan_strategies.h"
#include "verify/training_plan.h"

namespace phaze::tests {
namespace {

bool keeps_limits(const place::PlanLimits& limits, const plan::TrainingPlan& plan) {
  const plan::Strategy& s = plan.strategy;
  return is_allowed(limits.tensor, s.tensor) && is_allowed(limits.pipeline, s.pipeline) &&
         is_allowed(limits.data, s.data) && is_allowed(limits.microbatch, s.microbatch) &&
         is_allowed(limits.interleave, s.interleave) &&
         is_allowed(limits.zero, std::int64_t{s.zero}) && is_allowed(limits.order, s.order) &&
         is_allowed(limits.schedule, s.schedule) &&
         (s.tensor == 1 || is_allowed(limits.sequence_parallel, s.sequence_parallel)) &&
         std::ranges::all_of(plan.stages, [&](const plan::PlanStage& stage) {
           return is_allowed(limits.recompute, stage.recompute);
         });
}

}  // namespace

std::string faults_of(const PlanCase& made, const place::PlannerAnswer& answer) {
  std::string text;
  MadeUpCosts costs = made.costs();
  Seconds before;
  for (const plan::TrainingPlan& plan : answer.plans) {
    if (!costs.has_place(plan.strategy) || costs.chain(plan.strategy) == nullptr) {
      return "a strategy without a place\n";
    }
    const place::PlanProblem& problem = made.problem;
    for (const std::string& fault :
         verify::find_faults({problem.devices, problem.global_batch, problem.capacity,
                              problem.other, problem.states, answer.bound},
                             *costs.chain(plan.strategy), plan)) {
      text += fault + "\n";
    }
    text += plan.fits ? "" : "a plan that does not fit\n";
    text += keeps_limits(problem.limits, plan) ? "" : "a plan that is not allowed\n";
    text += plan.iteration < before ? "a better plan behind a worse one\n" : "";
    before = plan.iteration;
  }
  return text;
}

}  // namespace phaze::tests
