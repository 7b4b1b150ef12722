#pragma once
// `--schedule` of searches and `--layer-schedule` of plans: who puts the operators of layers on the
// cores of a chip.

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "search/layer_schedule.h"

namespace phaze::cli {

// Of "exact" the solver that is there without one (an empty function), of "ilp" integer programs
// of so many seconds at most, which Ctrl-C ends. Nothing, with a diagnostic, where the name is
// unknown or the build has no solver of integer programs.
std::optional<search::Solver> read_layer_schedules(const std::string& option,
                                                   const std::string& name, double time_limit_s,
                                                   Diagnostics& diagnostics);

}  // namespace phaze::cli
