#pragma once
// What can be said of every schedule of a problem without solving it. Problems are sound but for
// cycles: times are not negative and add up without overflow, every task finds its kind of core.

#include <optional>
#include <vector>

#include "plan/schedule.h"

namespace phaze::verify {

// An order in which every task comes after those that it waits for; nothing when there is a cycle.
std::optional<std::vector<plan::TaskId>> order_tasks(const plan::ScheduleProblem& problem);

// No schedule takes less: the longest chain of tasks, each as fast as it can be; the core time of
// a kind over its cores; the network's tasks. No cycles.
Picoseconds least_makespan(const plan::ScheduleProblem& problem);

// Some schedule takes no longer: the shorter of one task after another, each as fast as it can be,
// and of a list schedule on single cores, longest chain first. No cycles. O((n + e) log n).
Picoseconds plain_makespan(const plan::ScheduleProblem& problem);

}  // namespace phaze::verify
