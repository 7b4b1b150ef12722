#pragma once
// Cores for tasks whose starts and widths are known.

#include <vector>

#include "plan/schedule.h"
#include "schedule/piece.h"

namespace phaze::schedule {

// Cores are handed out in the order of starts; there must be enough at every moment. Bound, status
// and work are left to the caller.
plan::Schedule with_cores(const plan::ScheduleProblem& problem, const std::vector<Start>& starts);

}  // namespace phaze::schedule
