#include "support/schedule_brute_force.h"

#include <algorithm>
#include <stdexcept>

namespace phaze::tests {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

bool is_on_tensor(TaskUnit unit) { return unit == TaskUnit::kTensor || unit == TaskUnit::kBoth; }
bool is_on_vector(TaskUnit unit) { return unit == TaskUnit::kVector || unit == TaskUnit::kBoth; }

class BruteForce {
 public:
  explicit BruteForce(const ScheduleProblem& problem)
      : problem_(problem), runs_(problem.tasks.size(), TaskRun{}) {}

  Schedule solve() {
    try_next();
    if (!has_best_) {
      throw std::invalid_argument("no order of the tasks respects the edges");
    }
    give_cores();
    best_.lower_bound = best_.makespan;
    best_.status = plan::SolveStatus::kOptimal;
    return best_;
  }

 private:
  bool is_placed(TaskId id) const { return std::ranges::find(placed_, id) != placed_.end(); }

  // Nothing when a task that it waits for is not placed.
  std::optional<Picoseconds> ready_time(TaskId id) const {
    Picoseconds ready(0);
    for (const auto& [before, after] : problem_.edges) {
      if (after == id) {
        if (!is_placed(before)) {
          return std::nullopt;
        }
        ready = std::max(ready, runs_[before].end);
      }
    }
    return ready;
  }

  // May the task run at this moment, beside what has been placed?
  bool has_room(TaskId id, bool wide, Picoseconds moment) const {
    std::int64_t tensor = 0;
    std::int64_t vector = 0;
    std::int64_t network = 0;
    std::int64_t on_cores = 0;
    bool has_wide = false;
    const auto add = [&](TaskUnit unit, bool is_wide) {
      tensor += !is_on_tensor(unit) ? 0 : is_wide ? problem_.tensor_cores : 1;
      vector += !is_on_vector(unit) ? 0 : is_wide ? problem_.vector_cores : 1;
      network += unit == TaskUnit::kNetwork ? 1 : 0;
      on_cores += is_on_tensor(unit) || is_on_vector(unit) ? 1 : 0;
      has_wide = has_wide || is_wide;
    };
    add(problem_.tasks[id].unit, wide);
    for (const TaskId other : placed_) {
      if (runs_[other].start <= moment && moment < runs_[other].end) {
        add(problem_.tasks[other].unit, runs_[other].wide);
      }
    }
    return tensor <= problem_.tensor_cores && vector <= problem_.vector_cores && network <= 1 &&
           (on_cores <= 1 || !has_wide || !problem_.exclusive_wide);
  }

  // What runs changes for the worse only where a task starts.
  bool fits(TaskId id, bool wide, Picoseconds start, Picoseconds end) const {
    if (start == end) {
      return true;
    }
    bool does = has_room(id, wide, start);
    for (const TaskId other : placed_) {
      const Picoseconds at = runs_[other].start;
      does = does && (at <= start || at >= end || has_room(id, wide, at));
    }
    return does;
  }

  // The earliest start is when the task is ready or when another ends.
  Picoseconds earliest_start(TaskId id, bool wide, Picoseconds ready, Picoseconds length) const {
    std::vector<Picoseconds> moments = {ready};
    for (const TaskId other : placed_) {
      moments.push_back(std::max(ready, runs_[other].end));
    }
    std::ranges::sort(moments);
    return *std::ranges::find_if(
        moments, [&](Picoseconds moment) { return fits(id, wide, moment, moment + length); });
  }

  void try_next() {
    if (placed_.size() == problem_.tasks.size()) {
      keep_best();
      return;
    }
    for (const TaskId id : ids_of(problem_.tasks)) {
      const std::optional<Picoseconds> ready = is_placed(id) ? std::nullopt : ready_time(id);
      if (!ready) {
        continue;
      }
      const Task& task = problem_.tasks[id];
      for (const bool wide : {false, true}) {
        if (wide && !task.all_cores) {
          continue;
        }
        const Picoseconds length = wide ? *task.all_cores : task.one_core;
        const Picoseconds start = earliest_start(id, wide, *ready, length);
        runs_[id] = {start, start + length, wide, {}, {}};
        placed_.push_back(id);
        try_next();
        placed_.pop_back();
      }
    }
  }

  void keep_best() {
    ++best_.work;
    Picoseconds makespan(0);
    for (const TaskRun& run : runs_) {
      makespan = std::max(makespan, run.end);
    }
    if (!has_best_ || makespan < best_.makespan) {
      has_best_ = true;
      best_.runs = runs_;
      best_.makespan = makespan;
    }
  }

  // By start, the lowest core that is free; wide tasks get all.
  void give_cores() {
    std::vector<TaskId> order;
    for (const TaskId id : ids_of(problem_.tasks)) {
      order.push_back(id);
    }
    std::ranges::sort(order, {}, [&](TaskId id) { return std::pair(best_.runs[id].start, id); });
    const auto give = [&](std::int64_t cores, auto is_on,
                          std::vector<std::int64_t> TaskRun::*list) {
      std::vector<Picoseconds> busy_until(static_cast<std::size_t>(cores), Picoseconds(0));
      for (const TaskId id : order) {
        TaskRun& run = best_.runs[id];
        if (!is_on(problem_.tasks[id].unit)) {
          continue;
        }
        const bool takes_time = run.start < run.end;
        for (std::size_t core = 0; core < busy_until.size(); ++core) {
          const bool is_free = busy_until[core] <= run.start;
          const bool is_wanted = run.wide || (run.*list).empty();
          if (is_wanted && (is_free || !takes_time)) {
            (run.*list).push_back(static_cast<std::int64_t>(core));
            busy_until[core] = takes_time ? run.end : busy_until[core];
          }
        }
      }
    };
    give(problem_.tensor_cores, is_on_tensor, &TaskRun::tensor_cores);
    give(problem_.vector_cores, is_on_vector, &TaskRun::vector_cores);
  }

  const ScheduleProblem& problem_;
  std::vector<TaskId> placed_;
  IdVector<TaskId, TaskRun> runs_;
  bool has_best_ = false;
  Schedule best_;
};

}  // namespace

Schedule solve_schedule_by_brute_force(const ScheduleProblem& problem) {
  if (problem.tasks.size() > kMostBruteForceTasks) {
    throw std::invalid_argument("too many tasks to try every order");
  }
  return BruteForce(problem).solve();
}

}  // namespace phaze::tests
