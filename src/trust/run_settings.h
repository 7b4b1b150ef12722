#pragma once
// From rows of measured runs to what plans are priced from: chips, clusters and models by name.

#include <memory>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "plan/measured_run.h"
#include "search/plan_setting.h"

namespace phaze::trust {

struct RunSetting {
  search::PlanSetting setting;  // limits hold the strategy
  const plan::MeasuredRun* run = nullptr;
  std::size_t family = 0;  // equal for rows that share model, chip, cluster and the way to train
};

// One for each run, in their order. Names that mean nothing are faults at the run's row; `settings`
// change every chip (--set). The runs must outlive the answer.
std::optional<std::vector<RunSetting>> make_run_settings(const std::vector<plan::MeasuredRun>& runs,
                                                         const std::vector<std::string>& settings,
                                                         Diagnostics& diagnostics);

}  // namespace phaze::trust
