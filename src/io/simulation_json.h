#pragma once
// A simulated iteration as JSON (docs/formats.md).

#include <string>
#include <vector>

#include "plan/plan_record.h"
#include "plan/simulation.h"

namespace phaze::io {

// Runs of passes are not written (they make a trace); memory over time in pieces.
std::string write_simulation(const plan::PlanRecord& record,
                             const plan::SimulatedIteration& simulated,
                             const std::vector<plan::PlanVariation>& variations);

}  // namespace phaze::io
