#pragma once
// Plans as files on the command line.

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "plan/plan_record.h"
#include "plan/simulation.h"

namespace phaze::cli {

// Each pass takes 64 bytes and about a quarter of a microsecond.
inline constexpr std::int64_t kMostPasses = 4'000'000;

// A plan as phaze place writes it; "-": standard input.
std::optional<plan::PlanRecord> load_plan(const std::string& path, Diagnostics& diagnostics);

// Whether a plan is small enough to be simulated; otherwise a fault.
bool can_simulate(const plan::PlanRecord& record, const std::string& path,
                  Diagnostics& diagnostics);

// One iteration as events for Perfetto; a fault at `option` when there are too many.
std::optional<std::string> make_trace(const plan::PlanRecord& record,
                                      const plan::SimulatedIteration& simulated,
                                      const std::string& option, Diagnostics& diagnostics);

}  // namespace phaze::cli
