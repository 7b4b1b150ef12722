#pragma once
// What a whole training takes: from a plan with its figures, a chip and prices. docs/models.md,
// section 21.

#include "hw/chip.h"
#include "plan/plan_record.h"

namespace phaze::search {

// The chip as it is built, with the fractions of peak that it really sustains. Needs a record with
// figures and an iteration that takes time.
plan::TrainingRun compute_training_run(const plan::PlanRecord& record, const hw::Chip& chip,
                                       double tokens, const plan::RunPrices& prices);

}  // namespace phaze::search
