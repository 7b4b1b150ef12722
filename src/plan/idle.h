#pragma once
// Where the time goes in which cores do nothing. docs/models.md, section 16.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/schedule.h"

namespace phaze::plan {

// Why the next task on a kind of core does not run yet. Those marked * name a task that runs.
enum class IdleReason {
  kTask,       // * it waits for what this one makes
  kCores,      // * this one has cores, or the network, that it needs
  kBusyLimit,  // * this one runs, and no more cores of the kind may be busy
  kExclusive,  // * one of the two runs wide, and nothing may run beside it
  kSlack,      //   nothing: it could run, and the schedule has it later
  kDone,       //   there is none: all have begun
  kFloor,      //   all tasks are done, and bytes still move
  kUnused,     //   no task needs this kind of core
};
std::string_view to_string(IdleReason reason);

// Core time of one kind without work, for one reason.
struct IdleTime {
  TaskUnit unit = TaskUnit::kTensor;  // or kVector
  IdleReason reason = IdleReason::kTask;
  std::optional<TaskId> task;
  Seconds core_time;

  bool operator==(const IdleTime&) const = default;
};

// All idle core time up to `time`: at each moment all idle cores of a kind have one reason, and the
// reasons of a kind add up to cores x time less what its tasks take. Tensor cores first, the
// longest first. The next task of a kind is the one that begins first; it waits for the task that
// ended last of those before it by an edge, on its cores, on the network or because of a wide one;
// that task waits in the same way; of these, the one that runs at the moment is the reason.
//
// The schedule must be sound (verify/schedule.h), with single tasks on the first `busy_cores` cores
// of a kind. O(n log n) in tasks, edges and named cores.
std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule,
                                 Picoseconds time, std::int64_t busy_cores);

// Of a problem by itself, up to its makespan; and of a layer on a chip.
std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule);
std::vector<IdleTime> idle_times(const LayerSchedule& layer);

}  // namespace phaze::plan
