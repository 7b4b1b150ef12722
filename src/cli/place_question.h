#pragma once
// `phaze place --fewest` and `--smallest-hbm`: the least of something that does.

#include <optional>

#include "cli/place_plan.h"
#include "cli/place_setting.h"
#include "plan/plan_record.h"

namespace phaze::cli {

bool has_question(const PlanOptions& options);

// The answer; `setting` becomes the one that it means. Nothing after a fault, or after it was said
// that nothing does.
std::optional<plan::PlanQuestion> answer_question(const PlanOptions& options,
                                                  const std::optional<RunRequest>& run,
                                                  search::PlanSetting& setting,
                                                  Diagnostics& diagnostics);

}  // namespace phaze::cli
