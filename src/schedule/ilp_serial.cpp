#include "schedule/ilp_serial.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/units.h"

namespace phaze::schedule::ilp {

namespace {

// Beyond this many tasks the widths of a list schedule are left as they are.
constexpr std::size_t kMostToImprove = 150;
constexpr std::size_t kMostOpen = 256;

class SerialPlacer {
 public:
  SerialPlacer(const Tasks& tasks, const std::vector<bool>& wide, const Limits& limits)
      : tasks_(tasks), limits_(limits) {
    placement_.start.assign(tasks.count, 0);
    placement_.end.assign(tasks.count, 0);
    placement_.wide = wide;
  }

  void place(std::size_t task) {
    const std::int64_t time = placement_.wide[task] ? tasks_.all[task] : tasks_.one[task];
    std::int64_t release = settled_until_;
    for (std::size_t other = 0; other < tasks_.count; ++other) {
      if (tasks_.before[other][task]) {
        release = std::max(release, placement_.end[other]);
      }
    }
    // Where it can start, it can do so at its release or when another ends.
    std::vector<std::int64_t> candidates = {release};
    for (const std::size_t other : open_) {
      if (placement_.end[other] > release) {
        candidates.push_back(placement_.end[other]);
      }
    }
    std::sort(candidates.begin(), candidates.end());
    const auto start =
        std::find_if(candidates.begin(), candidates.end(), [&](std::int64_t candidate) {
          return fits(task, candidate, checked_add(candidate, time));
        });
    CHECK(start != candidates.end(), "a task that fits nowhere");
    placement_.start[task] = *start;
    placement_.end[task] = *start + time;
    placement_.makespan = std::max(placement_.makespan, placement_.end[task]);
    open_.push_back(task);
    settle();
  }

  Placement take() { return std::move(placement_); }

 private:
  // Of very many tasks those that end first are settled: nothing starts before their ends any more,
  // so that there are not too many to look at.
  void settle() {
    if (open_.size() > kMostOpen) {
      const auto first = std::ranges::min_element(
          open_, {}, [this](std::size_t other) { return placement_.end[other]; });
      settled_until_ = placement_.end[*first];
      open_.erase(first);
    }
  }

  bool overlaps(std::size_t other, std::int64_t start, std::int64_t end) const {
    return placement_.start[other] < end && start < placement_.end[other];
  }

  bool fits(std::size_t task, std::int64_t start, std::int64_t end) const {
    std::vector<std::size_t> beside;
    for (const std::size_t other : open_) {
      if (overlaps(other, start, end)) {
        const bool either_wide = placement_.wide[task] || placement_.wide[other];
        if ((tasks_.on_network[task] && tasks_.on_network[other]) ||
            (either_wide && tasks_.apart_when_wide(task, other))) {
          return false;
        }
        beside.push_back(other);
      }
    }
    return placement_.wide[task] ||
           std::all_of(std::begin(kCoreKinds), std::end(kCoreKinds),
                       [&](CoreKind kind) { return has_core(task, kind, start, beside); });
  }

  // Whether the tasks beside leave a core of the kind free all the time.
  bool has_core(std::size_t task, CoreKind kind, std::int64_t start,
                const std::vector<std::size_t>& beside) const {
    if (!tasks_.uses(task, kind) || !limits_.holds(kind)) {
      return true;
    }
    // They are most when the task or one of them starts.
    const auto has_core_at = [&](std::int64_t time) {
      return std::count_if(beside.begin(), beside.end(), [&](std::size_t other) {
               return tasks_.uses(other, kind) && overlaps(other, time, time + 1);
             }) < tasks_.cores(kind);
    };
    return has_core_at(start) && std::all_of(beside.begin(), beside.end(), [&](std::size_t other) {
             return placement_.start[other] <= start || has_core_at(placement_.start[other]);
           });
  }

  const Tasks& tasks_;
  Limits limits_;
  Placement placement_;
  std::vector<std::size_t> open_;  // placed, and others can still run beside them
  std::int64_t settled_until_ = 0;
};

// The cores of a kind, given out by rising start.
class CorePool {
 public:
  explicit CorePool(std::int64_t cores) : cores_(cores) {}

  std::vector<std::int64_t> take(const plan::TaskRun& run) {
    if (run.wide) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(cores_));
      std::iota(all.begin(), all.end(), std::int64_t{0});
      return all;
    }
    if (run.start == run.end) {
      return {0};  // occupies nothing
    }
    const auto core = std::find_if(free_from_.begin(), free_from_.end(),
                                   [&](Picoseconds time) { return time <= run.start; });
    const std::int64_t index = core - free_from_.begin();
    CHECK(index < cores_, "more tasks at once than cores");
    if (core == free_from_.end()) {
      free_from_.push_back(run.end);
    } else {
      *core = run.end;
    }
    return {index};
  }

 private:
  std::int64_t cores_;
  std::vector<Picoseconds> free_from_;  // of those that were given out
};

// Longest way to the end first, at the chosen widths.
std::vector<std::size_t> list_by_tails(const Tasks& tasks, const std::vector<bool>& wide) {
  std::vector<double> keys(tasks.count, -1);
  const auto way = [&](const auto& self, std::size_t task) -> double {
    if (keys[task] < 0) {
      double longest = 0;
      for (const auto& [from, to] : tasks.edges) {
        if (from == task) {
          longest = std::max(longest, self(self, to));
        }
      }
      keys[task] = longest + static_cast<double>(wide[task] ? tasks.all[task] : tasks.one[task]);
    }
    return keys[task];
  };
  for (std::size_t task = 0; task < tasks.count; ++task) {
    way(way, task);
  }
  for (double& key : keys) {
    key = -key;
  }
  return list_by(keys);
}

Placement place_by_tails(const Tasks& tasks, const std::vector<bool>& wide) {
  return place_serially(tasks, list_by_tails(tasks, wide), wide);
}

// Changes one width after another, as long as that helps.
Placement improve_widths(const Tasks& tasks, Placement best) {
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t task = 0; task < tasks.count; ++task) {
      if (tasks.may_be_wide[task]) {
        std::vector<bool> wide = best.wide;
        wide[task] = !wide[task];
        Placement other = place_by_tails(tasks, wide);
        if (other.makespan < best.makespan) {
          best = std::move(other);
          improved = true;
        }
      }
    }
  }
  return best;
}

}  // namespace

Placement place_serially(const Tasks& tasks, const std::vector<std::size_t>& list,
                         const std::vector<bool>& wide, const Limits& limits) {
  SerialPlacer placer(tasks, wide, limits);
  std::vector<std::size_t> predecessors(tasks.count, 0);
  for (const auto& [from, to] : tasks.edges) {
    ++predecessors[to];
  }
  std::vector<std::size_t> waiting = list;
  while (!waiting.empty()) {
    const auto next = std::find_if(waiting.begin(), waiting.end(),
                                   [&](std::size_t task) { return predecessors[task] == 0; });
    CHECK(next != waiting.end(), "no task is ready");
    placer.place(*next);
    for (const auto& [from, to] : tasks.edges) {
      predecessors[to] -= from == *next ? 1 : 0;
    }
    waiting.erase(next);
  }
  return placer.take();
}

std::vector<std::size_t> list_by(const std::vector<double>& keys) {
  std::vector<std::size_t> list(keys.size());
  std::iota(list.begin(), list.end(), std::size_t{0});
  std::stable_sort(list.begin(), list.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return list;
}

Placement list_schedule(const Tasks& tasks) {
  Placement wide = place_by_tails(tasks, tasks.may_be_wide);
  Placement narrow = place_by_tails(tasks, std::vector<bool>(tasks.count, false));
  if (tasks.count <= kMostToImprove) {
    wide = improve_widths(tasks, std::move(wide));
    narrow = improve_widths(tasks, std::move(narrow));
  }
  return narrow.makespan < wide.makespan ? narrow : wide;
}

std::size_t most_at_once(const Tasks& tasks, const Placement& placement, CoreKind kind) {
  std::size_t most = 0;
  for (std::size_t at = 0; at < tasks.count; ++at) {
    std::size_t busy = 0;
    for (std::size_t task = 0; task < tasks.count; ++task) {
      const bool runs =
          placement.start[task] <= placement.start[at] && placement.start[at] < placement.end[task];
      busy += runs && tasks.uses(task, kind) && !placement.wide[task] ? 1 : 0;
    }
    most = std::max(most, busy);
  }
  return most;
}

plan::Schedule to_schedule(const plan::ScheduleProblem& problem, const Placement& placement) {
  plan::Schedule schedule;
  schedule.makespan = Picoseconds(placement.makespan);
  schedule.runs.resize(problem.tasks.size(), {});
  std::vector<std::size_t> list(problem.tasks.size());
  std::iota(list.begin(), list.end(), std::size_t{0});
  std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
    return placement.start[a] < placement.start[b];
  });
  CorePool tensor_cores(problem.tensor_cores), vector_cores(problem.vector_cores);
  for (const std::size_t index : list) {
    const plan::TaskId id(index);
    const plan::Task& task = problem.tasks[id];
    plan::TaskRun& run = schedule.runs[id];
    run.start = Picoseconds(placement.start[index]);
    run.end = Picoseconds(placement.end[index]);
    run.wide = run.end - run.start != task.one_core;
    if (plan::needs_tensor(task.unit)) {
      run.tensor_cores = tensor_cores.take(run);
    }
    if (plan::needs_vector(task.unit)) {
      run.vector_cores = vector_cores.take(run);
    }
  }
  return schedule;
}

}  // namespace phaze::schedule::ilp
