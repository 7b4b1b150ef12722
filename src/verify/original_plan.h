#pragma once
// Checks that a training plan says what a placement of the original's problem says, by code of its
// own (docs/models.md, sections 17 and 20). The placement itself is original_placement.h's.

#include <string>
#include <vector>

#include "plan/original_placement.h"
#include "plan/training_plan.h"

namespace phaze::verify {

// What is wrong with the plan, in words; empty when it is sound. `capacity`: of a device, which the
// instance may not know where a strategy is priced that does not fit.
std::vector<std::string> find_plan_faults(const plan::OriginalInstance& instance,
                                          const plan::OriginalPlacement& placement, Bytes capacity,
                                          const plan::TrainingPlan& plan);

}  // namespace phaze::verify
