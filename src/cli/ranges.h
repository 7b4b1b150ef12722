#pragma once
// Ranges of predictions, from the errors that the program carries.

#include <optional>
#include <string>

#include "plan/plan_record.h"
#include "plan/search_record.h"

namespace phaze::cli {

// Puts the range into a plan, and into those of all chips of a search.
void add_range(plan::PlanRecord& record);
void add_ranges(plan::SearchRecord& record);

}  // namespace phaze::cli
