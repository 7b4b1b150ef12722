#pragma once
// Checks a schedule of operators on cores against its problem, by code of its own.

#include <string>
#include <vector>

#include "plan/schedule.h"

namespace phaze::verify {

// What is wrong with a schedule, or with what it claims; empty when it is sound. Whatever the
// fields hold, this says so and does not throw.
//
// Every task runs once, for the time of its width, on cores that exist and are right in number,
// after the tasks that it waits for. No core runs two tasks at a time, nor does the network. With
// `exclusive_wide` no task on a core runs beside a wide one; network tasks and those of no unit
// may. A task of no length occupies nothing. The makespan is the latest end, and not below the
// longest chain nor below the work of a kind over its cores. The lower bound is not above the
// makespan, nor above those of two plain schedules made here (one task after another; a list
// schedule on single cores), and equals the makespan of a schedule that is called optimal.
//
// O(n log n) in tasks, edges and named cores.
std::vector<std::string> find_faults(const plan::ScheduleProblem& problem,
                                     const plan::Schedule& schedule);

}  // namespace phaze::verify
