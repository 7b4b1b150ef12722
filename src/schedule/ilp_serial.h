#pragma once
// Schedules made one task after another, in whole picoseconds: the list schedule that a solver
// starts from, and the way from a solver's rounded answer to an exact schedule.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/ilp_tasks.h"

namespace phaze::schedule::ilp {

struct Placement {
  std::vector<std::int64_t> start, end;
  std::vector<bool> wide;
  std::int64_t makespan = 0;
};

// Which kinds of core are limited to as many as there are.
struct Limits {
  bool tensor = true, vector = true;

  bool holds(CoreKind kind) const { return kind == CoreKind::kTensor ? tensor : vector; }
};

// Each task as early as those before it in the list allow; the next is always the first of the list
// whose predecessors are in. From the starts of a feasible schedule, sorted, follows one in which
// no task is later.
Placement place_serially(const Tasks& tasks, const std::vector<std::size_t>& list,
                         const std::vector<bool>& wide, const Limits& limits = {});

// The tasks by rising key, which may be a solver's starts.
std::vector<std::size_t> list_by(const std::vector<double>& keys);

// Longest way to the end first, with each width changed where that helps.
Placement list_schedule(const Tasks& tasks);

// Most tasks on one core of a kind at once.
std::size_t most_at_once(const Tasks& tasks, const Placement& placement, CoreKind kind);

// With the cores of each run: the lowest that are free.
plan::Schedule to_schedule(const plan::ScheduleProblem& problem, const Placement& placement);

}  // namespace phaze::schedule::ilp
