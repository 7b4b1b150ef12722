#pragma once
// Choices of `phaze place`: read from the command line, and held against what is possible.

#include "base/diagnostics.h"
#include "cli/place_plan.h"
#include "place/plan_problem.h"
#include "search/plan_setting.h"

namespace phaze::cli {

place::PlanLimits read_limits(const PlanOptions& options, Diagnostics& diagnostics);

// Puts the stages and widths that experts chose in place of what --strategy asks for.
void apply_strategy(const PlanOptions& options, place::PlanLimits& limits,
                    Diagnostics& diagnostics);

// Every choice must have a value that is possible.
void check_limits(const PlanOptions& options, const search::PlanSetting& setting,
                  Diagnostics& diagnostics);

}  // namespace phaze::cli
