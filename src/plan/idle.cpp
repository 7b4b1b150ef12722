#include "plan/idle.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/check.h"

namespace phaze::plan {
namespace {

__extension__ using Area = __int128;  // picoseconds times cores

bool uses(const Task& task, TaskUnit kind) {
  return task.unit == kind || task.unit == TaskUnit::kBoth;
}

Seconds to_seconds(Area area) { return Seconds(static_cast<double>(area) / 1e12); }

// What a task waited for last.
struct Link {
  TaskId task;
  IdleReason reason = IdleReason::kTask;
};

// For every task the one that ended last of those that it had to wait for. Of several that end
// together: those before it by an edge, then those on its cores, then the smallest id.
class Links {
 public:
  Links(const ScheduleProblem& problem, const Schedule& schedule, std::int64_t busy_cores)
      : problem_(problem), runs_(schedule.runs), busy_cores_(busy_cores) {
    links_.resize(problem.tasks.size(), {});
    for (const auto& [before, after] : problem.edges) {
      offer(after, before, IdleReason::kTask);
    }
    std::vector<TaskId> order;
    for (const TaskId id : ids_of(problem.tasks)) {
      if (runs_[id].start < runs_[id].end) {  // others occupy nothing
        order.push_back(id);
      }
    }
    std::ranges::sort(order, {}, [this](TaskId id) { return std::pair(runs_[id].start, id); });
    add_cores(order, &TaskRun::tensor_cores, problem.tensor_cores);
    add_cores(order, &TaskRun::vector_cores, problem.vector_cores);
    add_network(order);
    if (problem.exclusive_wide) {
      add_exclusive(order);
    }
  }

  const std::optional<Link>& operator[](TaskId id) const { return links_[id]; }

 private:
  void offer(TaskId task, TaskId before, IdleReason reason) {
    const auto rank = [this](const Link& link) {
      return std::tuple(-runs_[link.task].end.value(), link.reason, link.task);
    };
    const Link link{before, reason};
    if (!links_[task] || rank(link) < rank(*links_[task])) {
      links_[task] = link;
    }
  }

  void add_cores(const std::vector<TaskId>& order, std::vector<std::int64_t> TaskRun::*cores,
                 std::int64_t count) {
    std::vector<std::optional<TaskId>> last(static_cast<std::size_t>(count));
    for (const TaskId id : order) {
      for (const std::int64_t core : runs_[id].*cores) {
        std::optional<TaskId>& before = last[static_cast<std::size_t>(core)];
        if (before) {
          const bool is_wide = runs_[id].wide || runs_[*before].wide;
          const bool is_limit = !is_wide && busy_cores_ < count;
          offer(id, *before, is_limit ? IdleReason::kBusyLimit : IdleReason::kCores);
        }
        before = id;
      }
    }
  }

  void add_network(const std::vector<TaskId>& order) {
    std::optional<TaskId> last;
    for (const TaskId id : order) {
      if (problem_.tasks[id].unit == TaskUnit::kNetwork) {
        if (last) {
          offer(id, *last, IdleReason::kCores);
        }
        last = id;
      }
    }
  }

  void add_exclusive(const std::vector<TaskId>& order) {
    std::optional<TaskId> latest;  // to end, of all tasks on cores so far
    std::optional<TaskId> latest_wide;
    for (const TaskId id : order) {
      const Task& task = problem_.tasks[id];
      if (!uses(task, TaskUnit::kTensor) && !uses(task, TaskUnit::kVector)) {
        continue;
      }
      if (const auto& before = runs_[id].wide ? latest : latest_wide) {
        offer(id, *before, IdleReason::kExclusive);
      }
      if (!latest || std::tuple(runs_[*latest].end, id) < std::tuple(runs_[id].end, *latest)) {
        latest = id;
      }
      if (runs_[id].wide) {
        latest_wide = id;
      }
    }
  }

  const ScheduleProblem& problem_;
  const IdVector<TaskId, TaskRun>& runs_;
  std::int64_t busy_cores_;
  IdVector<TaskId, std::optional<Link>> links_;
};

// Idle time of one kind of core between any two moments.
class IdleCores {
 public:
  IdleCores(const Schedule& schedule, std::vector<std::int64_t> TaskRun::*cores, std::int64_t count)
      : count_(count) {
    std::map<Picoseconds, std::int64_t> changes;
    for (const TaskRun& run : schedule.runs) {
      const auto size = static_cast<std::int64_t>((run.*cores).size());
      changes[run.start] += size;
      changes[run.end] -= size;
    }
    Step step{Picoseconds(), 0, 0};
    for (const auto& [at, change] : changes) {
      step = {at, busy_until(step, at), step.busy + change};
      steps_.push_back(step);
    }
  }

  Area between(Picoseconds from, Picoseconds to) const {
    return Area{count_} * (to - from).value() - (busy_until(to) - busy_until(from));
  }

 private:
  struct Step {
    Picoseconds at;
    Area before;        // core time of tasks up to here
    std::int64_t busy;  // cores from here on
  };

  static Area busy_until(const Step& step, Picoseconds at) {
    return step.before + Area{step.busy} * (at - step.at).value();
  }
  Area busy_until(Picoseconds at) const {
    const auto after = std::ranges::upper_bound(steps_, at, {}, &Step::at);
    return after == steps_.begin() ? 0 : busy_until(*(after - 1), at);
  }

  std::int64_t count_;
  std::vector<Step> steps_;
};

using Reason = std::pair<IdleReason, std::optional<TaskId>>;

// The reasons of one kind of core.
std::map<Reason, Area> reasons_of(TaskUnit kind, const ScheduleProblem& problem,
                                  const Schedule& schedule, Picoseconds time, const Links& links) {
  const bool is_tensor = kind == TaskUnit::kTensor;
  const IdleCores idle(schedule, is_tensor ? &TaskRun::tensor_cores : &TaskRun::vector_cores,
                       is_tensor ? problem.tensor_cores : problem.vector_cores);
  std::map<Reason, Area> areas;
  // Nothing before `least`, where the task before this one began.
  const auto add = [&](const Reason& reason, Picoseconds least, Picoseconds from, Picoseconds to) {
    from = std::max(from, least);
    if (from < to) {
      areas[reason] += idle.between(from, to);
    }
  };
  std::map<Picoseconds, TaskId> begins;  // of each moment the smallest id
  for (const TaskId id : ids_of(problem.tasks)) {
    const TaskRun& run = schedule.runs[id];
    if (uses(problem.tasks[id], kind) && run.start < run.end) {
      begins.emplace(run.start, id);
    }
  }
  if (begins.empty()) {
    add({IdleReason::kUnused, {}}, Picoseconds(), Picoseconds(), time);
    return areas;
  }
  Picoseconds least;
  for (const auto& [start, next] : begins) {
    TaskId held = next;
    Picoseconds until = start;
    while (until > least) {
      const std::optional<Link>& link = links[held];
      const Picoseconds end = link ? schedule.runs[link->task].end : Picoseconds();
      add({IdleReason::kSlack, {}}, least, end, until);
      if (!link) {
        break;
      }
      add({link->reason, link->task}, least, schedule.runs[link->task].start, end);
      held = link->task;
      until = schedule.runs[held].start;
    }
    least = start;
  }
  add({IdleReason::kDone, {}}, least, least, schedule.makespan);
  add({IdleReason::kFloor, {}}, least, schedule.makespan, time);
  return areas;
}

}  // namespace

std::string_view to_string(IdleReason reason) {
  switch (reason) {
    case IdleReason::kTask:
      return "operator";
    case IdleReason::kCores:
      return "cores";
    case IdleReason::kBusyLimit:
      return "busy_cores";
    case IdleReason::kExclusive:
      return "exclusive_wide";
    case IdleReason::kSlack:
      return "slack";
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
  const Links links(problem, schedule, busy_cores);
  std::vector<IdleTime> all;
  for (const TaskUnit kind : {TaskUnit::kTensor, TaskUnit::kVector}) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    for (const auto& [reason, area] : reasons_of(kind, problem, schedule, time, links)) {
      if (area > 0) {
        all.push_back({kind, reason.first, reason.second, to_seconds(area)});
      }
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
