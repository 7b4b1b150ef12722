#pragma once
// Random scheduling problems, the same for the same seed everywhere.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/schedule.h"

namespace phaze::tests {

enum class TaskGraph {
  kLayered,         // edges from earlier layers, some of them far
  kSeriesParallel,  // chains and forks, nested; several beside one another
  kForward,         // a transformer's layer, so much of it as there are tasks, or several
  kBackward,        // the same with backward, two gradients a product
};

struct ScheduleProblemOptions {
  std::size_t least_tasks = 1, most_tasks = 7;
  std::int64_t most_cores = 8;
  std::optional<TaskGraph> graph;        // any
  std::optional<bool> exclusive;         // any
  std::optional<Picoseconds> most_time;  // any; about a millisecond at most
};

// Cores from 1 up (or 0 of a kind that no task needs), a wide task one to so many times as fast as
// on one core, but in one problem of eight, where anything goes; some tasks cannot run wide. Most
// are on tensor and vector cores, some on both, on the network or on nothing, in shares that differ
// from problem to problem. Times are few and equal, small, or spread over orders of magnitude; some
// are zero. In half of the problems the order of the tasks is not one in which they can run.
plan::ScheduleProblem random_schedule_problem(std::uint64_t seed,
                                              const ScheduleProblemOptions& options = {});

}  // namespace phaze::tests
