#pragma once
// What is predicted for measured runs: each priced as `phaze place` prices a plan whose choices are
// all made.

#include <vector>

#include "plan/measured_run.h"
#include "trust/run_settings.h"

namespace phaze::trust {

// In the order of the settings. Rows with the same model, chip, tensor width and micro-batch share
// layer costs; others are priced side by side. The answer does not depend on threads.
std::vector<plan::ValidatedRun> predict_runs(const std::vector<RunSetting>& settings);

}  // namespace phaze::trust
