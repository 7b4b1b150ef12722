#pragma once
// Groups of more tasks than the search takes: run in parts, one after another, then shifted left,
// or all of them by a list. A schedule, with a plain bound.

#include <vector>

#include "plan/schedule.h"
#include "schedule/pieces.h"

namespace phaze::schedule {

// Groups of at most 128 tasks, in an order that may be run.
Groups chop(const Groups& groups);

// The longest way at fastest durations, and the load of each kind of core.
Time path_bound(const plan::ScheduleProblem& problem, const Graph& graph);

// The same order and widths, each task as early as what it waits for and its cores allow.
std::vector<Start> shift_left(const plan::ScheduleProblem& problem, const Graph& graph,
                              const std::vector<Start>& starts);

// A list schedule of the whole: of tasks that are ready the one that can start first, of several
// the one with the longest way behind it. Each as fast as it can be, in the width that takes less
// core time, or on one core.
enum class WholeWidths { kFastest, kLeastCoreTime, kOneCore };
std::vector<Start> list_whole(const plan::ScheduleProblem& problem, const Graph& graph,
                              WholeWidths widths);

}  // namespace phaze::schedule
