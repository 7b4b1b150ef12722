#pragma once
// What the stages of a simulated iteration do, and what memory they use, over time.

#include <cstddef>
#include <string>

#include "plan/simulation.h"
#include "plan/training_plan.h"

namespace phaze::report {

// A row for each stage: F, B, r and o where it mostly runs forward, backward, the reduction of
// gradients that nothing hides, the optimiser; "." where it is mostly idle.
std::string activity_chart(const plan::SimulatedIteration& simulated, std::size_t width);

// A row for each stage: the tenths of a device's memory in use, from 0 to 9, "#" from all of it on
// and "!" above.
std::string memory_chart(const plan::TrainingPlan& plan, const plan::SimulatedIteration& simulated,
                         std::size_t width);

}  // namespace phaze::report
