#pragma once
// Every way to schedule a few tasks on cores, tried one by one.

#include <cstddef>

#include "plan/schedule.h"

namespace phaze::tests {

inline constexpr std::size_t kMostBruteForceTasks = 7;

// The shortest schedule of a sound problem of at most kMostBruteForceTasks, with cores; `work`
// counts the schedules tried. More tasks throw.
//
// All choices of widths are tried with all orders of the tasks that respect the edges, each task
// placed as early as the tasks placed before it allow. Some order gives the optimum: take an
// optimal schedule and its widths, and sort its tasks by start, those that start together by
// precedence. Placed in this order, no task starts later than it does there. By induction: let
// every task before j have been placed no later than it starts there. Whatever of these runs at a
// moment not before j's start there, began there no later than j, ends there no earlier than here,
// and so runs at this moment there too. From j's start on there is hence at most what runs there
// beside j; tasks that may run together may do so without some of them; and what j waits for has
// ended. So j fits at its start there, if not earlier. Which core each task gets never matters:
// tasks on single cores are intervals, and as many cores as intervals overlap are enough, for each
// kind by itself.
plan::Schedule solve_schedule_by_brute_force(const plan::ScheduleProblem& problem);

}  // namespace phaze::tests
