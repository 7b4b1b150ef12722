#include "verify/schedule_bounds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

namespace phaze::verify {
namespace {

using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskUnit;

using Successors = IdVector<TaskId, std::vector<TaskId>>;

Successors successors_of(const ScheduleProblem& problem) {
  Successors after(problem.tasks.size(), {});
  for (const auto& [before, then] : problem.edges) {
    after[before].push_back(then);
  }
  return after;
}

IdVector<TaskId, std::int64_t> count_predecessors(const ScheduleProblem& problem) {
  IdVector<TaskId, std::int64_t> waiting(problem.tasks.size(), 0);
  for (const auto& edge : problem.edges) {
    ++waiting[edge.second];
  }
  return waiting;
}

Picoseconds fastest(const Task& task) {
  return std::min(task.one_core, task.all_cores.value_or(task.one_core));
}

// The longest chain from the start of each task to the end of the last one, by `time_of` a task.
template <class TimeOf>
IdVector<TaskId, Picoseconds> chains(const ScheduleProblem& problem, TimeOf time_of) {
  const std::optional<std::vector<TaskId>> order = order_tasks(problem);
  CHECK(order.has_value(), "chains of tasks that wait for themselves");
  const Successors after = successors_of(problem);
  IdVector<TaskId, Picoseconds> longest(problem.tasks.size(), Picoseconds(0));
  for (auto at = order->rbegin(); at != order->rend(); ++at) {
    Picoseconds rest(0);
    for (const TaskId next : after[*at]) {
      rest = std::max(rest, longest[next]);
    }
    longest[*at] = time_of(problem.tasks[*at]) + rest;
  }
  return longest;
}

// The least core time of a kind over its cores, rounded up. A task takes one core for its time or
// all of them for the other, whichever is less core time.
template <class Uses>
Picoseconds least_by_cores(const ScheduleProblem& problem, std::int64_t cores, Uses uses) {
  // In units of 1/cores of a picosecond, as whole picoseconds and a rest, so that nothing
  // overflows.
  std::int64_t whole = 0;
  std::uint64_t rest = 0;
  const auto parts = static_cast<std::uint64_t>(cores);
  for (const Task& task : problem.tasks) {
    if (!uses(task.unit)) {
      continue;
    }
    const std::int64_t share = task.one_core.value() / cores;
    if (task.all_cores && task.all_cores->value() <= share) {
      whole += task.all_cores->value();
    } else {
      whole += share;
      rest += static_cast<std::uint64_t>(task.one_core.value() % cores);
      whole += static_cast<std::int64_t>(rest / parts);
      rest %= parts;
    }
  }
  return Picoseconds(whole + (rest > 0 ? 1 : 0));
}

// Tasks on single cores, started as soon as a core is free, those with the longest chain first.
class ListSchedule {
 public:
  explicit ListSchedule(const ScheduleProblem& problem)
      : problem_(problem),
        after_(successors_of(problem)),
        waiting_(count_predecessors(problem)),
        chains_(chains(problem, [](const Task& task) { return task.one_core; })),
        free_tensor_(problem.tensor_cores),
        free_vector_(problem.vector_cores) {}

  Picoseconds compute_makespan() {
    for (const TaskId id : ids_of(problem_.tasks)) {
      if (waiting_[id] == 0) {
        add_ready(id);
      }
    }
    Picoseconds now(0);
    start_all(now);
    while (!running_.empty()) {
      now = running_.top().first;
      while (!running_.empty() && running_.top().first == now) {
        const TaskId id = running_.top().second;
        running_.pop();
        take(problem_.tasks[id].unit, -1);
        for (const TaskId next : after_[id]) {
          if (--waiting_[next] == 0) {
            add_ready(next);
          }
        }
      }
      start_all(now);
    }
    return now;
  }

 private:
  using Entry = std::pair<Picoseconds, TaskId>;

  void add_ready(TaskId id) {
    ready_[static_cast<std::size_t>(problem_.tasks[id].unit)].emplace(chains_[id], id);
  }

  bool has_room(TaskUnit unit) const {
    return (!plan::needs_tensor(unit) || free_tensor_ > 0) &&
           (!plan::needs_vector(unit) || free_vector_ > 0) &&
           (unit != TaskUnit::kNetwork || free_network_ > 0);
  }

  void take(TaskUnit unit, std::int64_t count) {
    free_tensor_ -= plan::needs_tensor(unit) ? count : 0;
    free_vector_ -= plan::needs_vector(unit) ? count : 0;
    free_network_ -= unit == TaskUnit::kNetwork ? count : 0;
  }

  // Tasks that need both kinds come first: they find room the least often.
  void start_all(Picoseconds now) {
    for (const TaskUnit unit : {TaskUnit::kBoth, TaskUnit::kTensor, TaskUnit::kVector,
                                TaskUnit::kNetwork, TaskUnit::kNone}) {
      auto& queue = ready_[static_cast<std::size_t>(unit)];
      while (!queue.empty() && has_room(unit)) {
        const TaskId id = queue.top().second;
        queue.pop();
        take(unit, 1);
        running_.emplace(now + problem_.tasks[id].one_core, id);
      }
    }
  }

  const ScheduleProblem& problem_;
  Successors after_;
  IdVector<TaskId, std::int64_t> waiting_;
  IdVector<TaskId, Picoseconds> chains_;
  std::int64_t free_tensor_, free_vector_, free_network_ = 1;
  std::array<std::priority_queue<Entry>, 5> ready_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> running_;
};

}  // namespace

std::optional<std::vector<TaskId>> order_tasks(const ScheduleProblem& problem) {
  const Successors after = successors_of(problem);
  IdVector<TaskId, std::int64_t> waiting = count_predecessors(problem);
  std::vector<TaskId> order;
  for (const TaskId id : ids_of(problem.tasks)) {
    if (waiting[id] == 0) {
      order.push_back(id);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const TaskId next : after[order[i]]) {
      if (--waiting[next] == 0) {
        order.push_back(next);
      }
    }
  }
  return order.size() == problem.tasks.size() ? std::optional(std::move(order)) : std::nullopt;
}

Picoseconds least_makespan(const ScheduleProblem& problem) {
  Picoseconds least(0);
  for (const Picoseconds chain : chains(problem, fastest)) {
    least = std::max(least, chain);
  }
  if (problem.tensor_cores > 0) {
    least = std::max(least, least_by_cores(problem, problem.tensor_cores, plan::needs_tensor));
  }
  if (problem.vector_cores > 0) {
    least = std::max(least, least_by_cores(problem, problem.vector_cores, plan::needs_vector));
  }
  return std::max(
      least, least_by_cores(problem, 1, [](TaskUnit unit) { return unit == TaskUnit::kNetwork; }));
}

Picoseconds plain_makespan(const ScheduleProblem& problem) {
  Picoseconds serial(0);
  for (const Task& task : problem.tasks) {
    serial += fastest(task);
  }
  return std::min(serial, ListSchedule(problem).compute_makespan());
}

}  // namespace phaze::verify
