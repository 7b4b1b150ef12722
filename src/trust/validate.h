#pragma once
// Predictions held against measured runs: errors by group, regret and the measurements' own noise.

#include <vector>

#include "plan/validation.h"
#include "trust/run_settings.h"

namespace phaze::trust {

plan::Validation validate(const std::vector<RunSetting>& settings);

// The same of predictions that are there.
plan::Validation compare(std::vector<plan::ValidatedRun> runs);

}  // namespace phaze::trust
