#include "plan/idle.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"

namespace phaze::plan {
namespace {

__extension__ using Area = __int128;  // picoseconds times cores

using Reason = std::pair<IdleReason, std::optional<TaskId>>;

struct Kind {
  TaskUnit unit;
  bool (*is_needed)(TaskUnit);
  std::vector<std::int64_t> TaskRun::*cores;
  std::int64_t ScheduleProblem::*count;
};
constexpr std::array<Kind, 2> kKinds = {{
    {TaskUnit::kTensor, needs_tensor, &TaskRun::tensor_cores, &ScheduleProblem::tensor_cores},
    {TaskUnit::kVector, needs_vector, &TaskRun::vector_cores, &ScheduleProblem::vector_cores},
}};

Seconds to_seconds(Area area) { return Seconds(static_cast<double>(area) / 1e12); }

// By its edges: when a task is ready, and the last to end of those before it.
struct Waits {
  IdVector<TaskId, Picoseconds> ready;
  IdVector<TaskId, std::optional<TaskId>> last;

  Waits(const ScheduleProblem& problem, const Schedule& schedule) {
    ready.resize(problem.tasks.size(), {});
    last.resize(problem.tasks.size(), {});
    for (const auto& [before, after] : problem.edges) {
      const Picoseconds end = schedule.runs[before].end;
      const bool is_first = end == ready[after] && last[after] && before < *last[after];
      if (!last[after] || end > ready[after] || is_first) {
        ready[after] = std::max(ready[after], end);
        last[after] = before;
      }
    }
  }
};

// What runs at a moment on the cores of one kind.
struct Running {
  std::vector<std::optional<TaskId>> holder;  // of each core
  std::set<std::pair<Picoseconds, TaskId>> by_end;
  std::int64_t idle = 0;    // cores
  std::int64_t single = 0;  // tasks on one core

  // Needs one that runs.
  TaskId last_to_end() const {
    return by_end.lower_bound({by_end.rbegin()->first, TaskId(0)})->second;
  }
};

// The tasks of one kind that have not begun.
struct Pending {
  std::vector<TaskId> order;                       // of all that take time, by start
  std::size_t next = 0;                            // of `order`
  std::set<std::pair<Picoseconds, TaskId>> ready;  // by start
  // From the next task back to one that is ready: what it waits for, what that waits for, ...
  std::optional<TaskId> way_of;
  std::vector<TaskId> way;
};

// Goes through the moments at which something begins or ends.
class Sweep {
 public:
  Sweep(const ScheduleProblem& problem, const Schedule& schedule, std::int64_t busy_cores)
      : problem_(problem),
        runs_(schedule.runs),
        busy_cores_(busy_cores),
        waits_(problem, schedule) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      running_[kind].idle = problem.*kKinds[kind].count;
      running_[kind].holder.resize(static_cast<std::size_t>(running_[kind].idle));
    }
    for (const TaskId id : ids_of(problem.tasks)) {
      if (needs_core(problem.tasks[id].unit) && runs_[id].start < runs_[id].end) {
        changes_[runs_[id].start].begin.push_back(id);
        changes_[runs_[id].end].end.push_back(id);
        changes_[std::min(waits_.ready[id], runs_[id].start)].ready.push_back(id);
      } else {
        changes_[runs_[id].end];  // others may have waited for it
      }
    }
    for (const auto& [at, change] : changes_) {
      for (const TaskId id : change.begin) {
        for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
          if (needs(id, kind)) {
            pending_[kind].order.push_back(id);
          }
        }
      }
    }
  }

  // Core time of each kind by reason, up to `time`.
  std::array<std::map<Reason, Area>, 2> compute(Picoseconds makespan, Picoseconds time) {
    std::array<std::map<Reason, Area>, 2> areas;
    changes_[Picoseconds()];
    changes_[makespan];
    changes_[time];
    for (auto at = changes_.begin(); std::next(at) != changes_.end(); ++at) {
      advance(at->second);
      const std::int64_t length = (std::next(at)->first - at->first).value();
      for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        if (running_[kind].idle > 0) {
          areas[kind][reason_at(at->first, makespan, kind)] += Area{running_[kind].idle} * length;
        }
      }
    }
    return areas;
  }

 private:
  struct Change {
    std::vector<TaskId> end, ready, begin;  // in this order
  };

  bool needs(TaskId id, std::size_t kind) const {
    return kKinds[kind].is_needed(problem_.tasks[id].unit);
  }

  void advance(const Change& change) {
    for (const TaskId id : change.end) {
      occupy(id, false);
    }
    for (const TaskId id : change.ready) {
      for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        if (needs(id, kind)) {
          pending_[kind].ready.emplace(runs_[id].start, id);
        }
      }
    }
    for (const TaskId id : change.begin) {
      occupy(id, true);
      for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
        if (needs(id, kind)) {
          pending_[kind].ready.erase({runs_[id].start, id});
          ++pending_[kind].next;
        }
      }
    }
  }

  void occupy(TaskId id, bool begins) {
    const TaskRun& run = runs_[id];
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      if (!needs(id, kind)) {
        continue;
      }
      Running& running = running_[kind];
      for (const std::int64_t core : run.*kKinds[kind].cores) {
        running.holder[static_cast<std::size_t>(core)] = begins ? std::optional(id) : std::nullopt;
        running.idle += begins ? -1 : 1;
      }
      running.single += run.wide ? 0 : begins ? 1 : -1;
      if (begins) {
        running.by_end.emplace(run.end, id);
      } else {
        running.by_end.erase({run.end, id});
      }
    }
    if (run.wide) {
      wide_ = begins ? std::optional(id) : std::nullopt;
    }
  }

  Reason reason_at(Picoseconds at, Picoseconds makespan, std::size_t kind) {
    Pending& pending = pending_[kind];
    if (pending.order.empty()) {
      return {IdleReason::kUnused, {}};
    }
    if (!pending.ready.empty()) {
      return what_holds(pending.ready.begin()->second, kind);
    }
    if (pending.next < pending.order.size()) {
      return {IdleReason::kTask, awaited_by(pending, at)};
    }
    return {at < makespan ? IdleReason::kDone : IdleReason::kFloor, {}};
  }

  Reason what_holds(TaskId ready, std::size_t own) const {
    const bool is_wide = runs_[ready].wide;
    if (problem_.exclusive_wide && wide_) {
      return {IdleReason::kExclusive, wide_};
    }
    for (const std::size_t kind : {own, 1 - own}) {
      const Running& running = running_[kind];
      if (!needs(ready, kind) || running.by_end.empty()) {
        continue;
      }
      const IdleReason reason = kind == own ? IdleReason::kCores : IdleReason::kOtherCores;
      if (is_wide) {
        return {reason, running.last_to_end()};
      }
      const std::int64_t core = (runs_[ready].*kKinds[kind].cores).front();
      const std::optional<TaskId>& holder = running.holder[static_cast<std::size_t>(core)];
      if (running.idle == 0) {
        return {reason, holder};
      }
      if (running.single >= busy_cores_) {
        return {IdleReason::kBusyLimit, holder};
      }
    }
    // A wide task that finds all of its own cores idle.
    const Running& other = running_[1 - own];
    if (problem_.exclusive_wide && is_wide && !other.by_end.empty()) {
      return {IdleReason::kExclusive, other.last_to_end()};
    }
    return {IdleReason::kSlack, ready};
  }

  // Going back from the next task, the first that is ready. The way is walked once: later moments
  // only make it shorter.
  TaskId awaited_by(Pending& pending, Picoseconds at) const {
    const TaskId next = pending.order[pending.next];
    std::vector<TaskId>& way = pending.way;
    if (pending.way_of != next) {
      pending.way_of = next;
      way.clear();
    }
    while (way.empty() || waits_.ready[way.back()] > at) {
      way.push_back(*waits_.last[way.empty() ? next : way.back()]);
    }
    while (way.size() > 1 && waits_.ready[way[way.size() - 2]] <= at) {
      way.pop_back();
    }
    return way.back();
  }

  const ScheduleProblem& problem_;
  const IdVector<TaskId, TaskRun>& runs_;
  std::int64_t busy_cores_;
  Waits waits_;
  std::map<Picoseconds, Change> changes_;
  std::array<Running, 2> running_;
  std::array<Pending, 2> pending_;
  std::optional<TaskId> wide_;  // that runs, where wide tasks are exclusive
};

}  // namespace

std::string_view to_string(IdleReason reason) {
  switch (reason) {
    case IdleReason::kCores:
      return "cores";
    case IdleReason::kOtherCores:
      return "other_cores";
    case IdleReason::kBusyLimit:
      return "busy_cores";
    case IdleReason::kExclusive:
      return "exclusive_wide";
    case IdleReason::kSlack:
      return "slack";
    case IdleReason::kTask:
      return "operator";
    case IdleReason::kDone:
      return "done";
    case IdleReason::kFloor:
      return "floor";
    case IdleReason::kUnused:
      return "unused";
  }
  CHECK(false, "unknown reason");
}

std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule,
                                 Picoseconds time, std::int64_t busy_cores) {
  const auto areas = Sweep(problem, schedule, busy_cores).compute(schedule.makespan, time);
  std::vector<IdleTime> all;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    for (const auto& [reason, area] : areas[kind]) {
      all.push_back({kKinds[kind].unit, reason.first, reason.second, to_seconds(area)});
    }
    std::stable_sort(all.begin() + first, all.end(), [](const IdleTime& a, const IdleTime& b) {
      return a.core_time > b.core_time;
    });
  }
  return all;
}

std::vector<IdleTime> idle_times(const ScheduleProblem& problem, const Schedule& schedule) {
  return idle_times(problem, schedule, schedule.makespan, std::numeric_limits<std::int64_t>::max());
}

std::vector<IdleTime> idle_times(const LayerSchedule& layer) {
  return idle_times(layer.problem, layer.schedule, layer.time(),
                    layer.is_serial ? std::numeric_limits<std::int64_t>::max() : layer.busy_cores);
}

}  // namespace phaze::plan
