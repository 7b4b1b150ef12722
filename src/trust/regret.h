#pragma once
// What choosing by prediction costs: the measured time of the chosen strategy over the measured
// best, for each model, machine and batch that was measured with several strategies.

#include <vector>

#include "plan/validation.h"

namespace phaze::trust {

// Rows with iteration times and a prediction. Those that are predicted not to fit are chosen only
// where all are.
std::vector<plan::RegretCase> find_regrets(const std::vector<plan::ValidatedRun>& runs);

}  // namespace phaze::trust
