#pragma once
// The operators of a layer on the cores of one chip: the problem, and a schedule. Solvers are in
// schedule/, the checker in verify/schedule.h. docs/models.md, section 16.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace phaze::plan {

using TaskId = Id<struct TaskTag>;

// What a task occupies while it runs on one core.
enum class TaskUnit {
  kTensor,   // a tensor core
  kVector,   // a vector core
  kBoth,     // one of each, any pair
  kNetwork,  // the network: one task at a time, beside anything
  kNone,     // nothing; may run beside a wide task
};
std::string_view to_string(TaskUnit unit);
std::optional<TaskUnit> parse_task_unit(std::string_view name);
// The kinds of core that a task of this unit occupies.
constexpr bool needs_tensor(TaskUnit unit) {
  return unit == TaskUnit::kTensor || unit == TaskUnit::kBoth;
}
constexpr bool needs_vector(TaskUnit unit) {
  return unit == TaskUnit::kVector || unit == TaskUnit::kBoth;
}
constexpr bool needs_core(TaskUnit unit) { return needs_tensor(unit) || needs_vector(unit); }

struct Task {
  std::string id;
  TaskUnit unit = TaskUnit::kTensor;
  Picoseconds one_core;
  // On all cores of its kind (wide); nothing: it cannot.
  std::optional<Picoseconds> all_cores;

  bool operator==(const Task&) const = default;
};

struct ScheduleProblem {
  std::int64_t tensor_cores = 1, vector_cores = 1;
  // While a wide task runs, no task of another kind of core runs either.
  bool exclusive_wide = true;
  IdVector<TaskId, Task> tasks;
  std::vector<std::pair<TaskId, TaskId>> edges;  // the first ends before the second starts

  bool operator==(const ScheduleProblem&) const = default;
};

struct TaskRun {
  Picoseconds start, end;
  bool wide = false;
  // Cores of each kind, from 0 on; those of a wide task are all of its kind.
  std::vector<std::int64_t> tensor_cores, vector_cores;

  bool operator==(const TaskRun&) const = default;
};

enum class SolveStatus {
  kOptimal,   // proved: makespan = lower bound
  kFeasible,  // the best found within the limit of work
};
std::string_view to_string(SolveStatus status);

struct Schedule {
  IdVector<TaskId, TaskRun> runs;
  Picoseconds makespan;
  Picoseconds lower_bound;
  SolveStatus status = SolveStatus::kFeasible;
  std::int64_t work = 0;  // nodes of the search, or of the solver's tree

  bool operator==(const Schedule&) const = default;
};

// How busy the cores of each kind are: core time over cores times `time`; 0 where there is none.
struct CoreUtilisation {
  double tensor = 0, vector = 0;

  bool operator==(const CoreUtilisation&) const = default;
};
CoreUtilisation core_utilisation(const ScheduleProblem& problem, const Schedule& schedule,
                                 Picoseconds time);

enum class LayerPass { kForward, kBackward };
std::string_view to_string(LayerPass pass);

// What all cores share and no schedule can outrun: total bytes over bandwidth.
enum class TimeFloor { kNone, kGlobalBuffer, kHbm };
std::string_view to_string(TimeFloor floor);

// One pass of a layer of a model on one chip.
struct LayerSchedule {
  std::string name;
  LayerPass pass = LayerPass::kForward;
  std::int64_t repeat = 1;
  // With all cores of the chip; wide tasks have all of their kind.
  ScheduleProblem problem;
  Schedule schedule;
  // Tasks on one core run on the first so many of a kind, priced at 1/busy_cores of what cores
  // share. Where the schedule ends after the floor, its bound is one for all numbers that were
  // tried (1, 2, 4, ... all).
  std::int64_t busy_cores = 1;
  // The chip runs one operator at a time: the time is the sum.
  bool is_serial = false;
  // The longest of the shared floors, and whose it is.
  Picoseconds floor;
  TimeFloor floor_reason = TimeFloor::kNone;

  // The makespan, or the floor where that is later.
  Picoseconds time() const { return schedule.makespan > floor ? schedule.makespan : floor; }
  // No schedule takes less.
  bool is_proved() const {
    return schedule.status == SolveStatus::kOptimal || schedule.makespan <= floor;
  }

  bool operator==(const LayerSchedule&) const = default;
};

}  // namespace phaze::plan
