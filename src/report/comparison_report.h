#pragma once
// Two chips, clusters or plans side by side.

#include <string>

#include "plan/comparison.h"

namespace phaze::report {

std::string comparison_text(const plan::Comparison& comparison);

// What the best plan would gain over one that was given.
std::string best_text(const plan::TrainingPlan& given, const plan::TrainingPlan& best);

}  // namespace phaze::report
