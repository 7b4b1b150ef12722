#pragma once
// Where the time goes in which cores do nothing. docs/models.md, section 16.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/schedule.h"

namespace phaze::plan {

// Why cores of a kind are idle at a moment. Of the tasks on that kind that are ready (all that they
// wait for by an edge has ended) and have not begun, the one that begins first is held by
enum class IdleReason {
  kCores,       // the task named: it has cores of this kind, and the ready one runs wide
  kOtherCores,  // the task named: it has cores of the other kind that the ready one needs too
  kBusyLimit,   // the task named: it runs, and no more cores of a kind may be busy
  kExclusive,   // the task named: it or the ready one runs wide, and nothing may run beside that
  kSlack,       // nothing: the task named is ready and could run, and the schedule has it later
  // There is none that is ready:
  kTask,    // the next one waits for the result of the task named, which runs or has yet to run
  kDone,    // all have begun
  kFloor,   // all tasks have ended, and bytes still move
  kUnused,  // no task needs this kind of core
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
// longest first. Tasks of no length occupy nothing and need no core.
//
// Who holds a ready task: a wide task that runs, where wide ones are exclusive; of the tasks on
// cores that it needs, the last to end when it runs wide, otherwise the one on its own core, where
// no other core is free; the last to end of all on cores, where it runs wide and wide ones are
// exclusive. What a task waits for that is not ready: of the tasks before it the last to end, or
// where that is not ready either, what that waits for; the first in the problem of several.
//
// The schedule must be sound (verify/schedule.h), with single tasks on the first `busy_cores` cores
// of a kind. O(n log n) in tasks, edges and named cores.
std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule,
                                 Picoseconds time, std::int64_t busy_cores);

// Of a problem by itself, up to its makespan; and of a layer on a chip.
std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule);
std::vector<IdleTime> idle_times(const LayerSchedule& layer);

}  // namespace phaze::plan
