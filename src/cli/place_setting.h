#pragma once
// From the options of `phaze place MODEL` to what a plan is made from, checked.

#include <optional>

#include "base/diagnostics.h"
#include "cli/place_plan.h"
#include "plan/training_run.h"
#include "search/plan_setting.h"

namespace phaze::cli {

// Nothing after a diagnostic: an option that makes no sense, a file that cannot be read, or choices
// of which none is possible.
std::optional<search::PlanSetting> read_setting(const PlanOptions& options,
                                                Diagnostics& diagnostics);

// A whole training, where --tokens asks for it.
struct RunRequest {
  double tokens = 0;
  plan::RunPrices prices;
};
std::optional<RunRequest> read_run(const PlanOptions& options, Diagnostics& diagnostics);

}  // namespace phaze::cli
