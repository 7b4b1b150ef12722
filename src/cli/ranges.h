#pragma once
// Ranges of predictions, from the errors that the program carries.

#include <optional>
#include <string>
#include <vector>

#include "hw/chip.h"
#include "plan/plan_record.h"
#include "plan/search_record.h"

namespace phaze::cli {

// What is known of errors of predictions, from data/errors.csv.
std::vector<plan::ErrorQuantiles> load_errors();

// Puts the range into a plan on a chip, and into those of all chips of a search.
void add_range(plan::PlanRecord& record, const hw::Chip& chip);
void add_ranges(plan::SearchRecord& record);

}  // namespace phaze::cli
