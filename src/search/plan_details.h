#pragma once
// The layers of a plan, operator by operator: what a report shows beside the plan's own numbers.

#include <string>

#include "hw/technology.h"
#include "plan/plan_details.h"
#include "plan/plan_record.h"
#include "plan/search_record.h"
#include "search/chip_search.h"
#include "search/plan_setting.h"

namespace phaze::search {

// Layers as the plan runs them: its tensor width and micro-batch, recomputing as most of its layers
// do, priced and scheduled as for the plan. The original runs a forward pass once more to
// recompute: its layers are shown without.
plan::PlanDetails make_details(const PlanSetting& setting, const plan::TrainingPlan& plan,
                               hw::Technology technology);

// To every plan of what a search found.
void add_details(const SearchQuestion& question, plan::SearchRecord& record);

}  // namespace phaze::search
