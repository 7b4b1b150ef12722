#pragma once
// Simulated iterations as tables and charts.

#include <cstddef>
#include <string>
#include <vector>

#include "plan/plan_record.h"
#include "plan/simulation.h"

namespace phaze::report {

// Above this share the difference from the closed form is explained.
inline constexpr double kMostDifference = 0.02;

// Was the plan made with the original's cost function, which is not the time of a schedule?
bool has_original_cost(const plan::PlanRecord& record);

// The iteration beside the closed form, part by part, each stage, and what runs when (charts of so
// many columns). `variations` may be empty.
std::string simulation_text(const plan::PlanRecord& record,
                            const plan::SimulatedIteration& simulated,
                            const std::vector<plan::PlanVariation>& variations, std::size_t width);

// "stage 3 needs 91.2 GiB at its peak, 11.2 GiB more than ..."; empty when all stages fit.
std::string overflow_text(const plan::PlanRecord& record,
                          const plan::SimulatedIteration& simulated);

}  // namespace phaze::report
