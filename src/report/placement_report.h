#pragma once
// Placements as tables.

#include <string>

#include "plan/original_placement.h"

namespace phaze::report {

// The best placement, which there is, stage by stage with what is left of memory, the parts of its
// time, the best time of every width, and the fixed strategy beside it.
std::string original_answer_text(const plan::OriginalInstance& instance,
                                 const plan::OriginalAnswer& answer);

// Why no placement fits, as far as a single layer or the number of devices says so.
std::string original_obstacle_text(const plan::OriginalInstance& instance);

}  // namespace phaze::report
