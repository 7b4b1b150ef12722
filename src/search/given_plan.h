#pragma once
// The price of a plan that is given in full: what a team runs today.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/plan_search.h"

namespace phaze::search {

struct GivenPlan {
  plan::Strategy strategy;
  plan::Recompute recompute = plan::Recompute::kNone;  // of all stages
  // Of each stage the layers of its chunks, begin and end in the chain with repeats written out.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> stages;
};

// Answers with the one plan, whether it fits or not; without a plan and with a reason when its
// groups have no place on the cluster or the model cannot be cut so. The setting's limits do not
// matter. Not for the original's assumptions.
PlanAnswer price_given_plan(const PlanSetting& setting, const GivenPlan& given);

}  // namespace phaze::search
