#pragma once
// A plan with the figures that follow from its model, chip and cluster.

#include <string>

#include "place/planner.h"
#include "plan/plan_record.h"
#include "search/cluster_costs.h"

namespace phaze::search {

// `bound`: no plan that was allowed is faster. The names of model and cluster are the caller's.
plan::PlanRecord make_record(const plan::TrainingPlan& plan, ClusterCosts& costs,
                             const hw::Chip& chip, FlopsPerSecond peak, Seconds bound,
                             bool is_proved);

}  // namespace phaze::search
