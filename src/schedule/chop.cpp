#include "schedule/chop.h"

#include <algorithm>
#include <array>

namespace phaze::schedule {

using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;

Groups chop(const Groups& groups) {
  Groups parts;
  for (const std::vector<std::size_t>& group : groups) {
    for (std::size_t i = 0; i < group.size(); i += kMostTasks) {
      const std::size_t end = std::min(i + kMostTasks, group.size());
      parts.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(i),
                         group.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return parts;
}

Time path_bound(const ScheduleProblem& problem, const Graph& graph) {
  std::vector<Time> ends(problem.tasks.size(), 0);
  std::array<Area, kKinds> area{};
  const std::array<std::int64_t, kKinds> cores = {problem.tensor_cores, problem.vector_cores};
  Time bound = 0;
  Time network = 0;
  for (const std::size_t i : graph.order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    const Time one = task.one_core.value();
    network += task.unit == TaskUnit::kNetwork ? one : 0;
    const Time all = task.all_cores ? task.all_cores->value() : kNever;
    Time at = 0;
    for (const std::size_t j : graph.before[i]) {
      at = std::max(at, ends[j]);
    }
    ends[i] = at + std::min(one, all);
    bound = std::max(bound, ends[i]);
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (needs[kind]) {
        area[kind] += std::min(Area{one}, Area{all} * cores[kind]);
      }
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Area n = std::max<std::int64_t>(1, cores[kind]);
    bound = std::max(bound, static_cast<Time>((area[kind] + n - 1) / n));
  }
  return std::max(bound, network);
}

namespace {

// Cores, and the network, as tasks take them one after another.
class Timeline {
 public:
  explicit Timeline(const ScheduleProblem& problem)
      : problem_(problem),
        free_at_{std::vector<Time>(static_cast<std::size_t>(problem.tensor_cores), 0),
                 std::vector<Time>(static_cast<std::size_t>(problem.vector_cores), 0)} {}

  Time length(std::size_t task, bool wide) const {
    const plan::Task& t = problem_.tasks[TaskId(task)];
    return (wide ? *t.all_cores : t.one_core).value();
  }
  // From `ready` on. What takes no time takes no core, and not the network.
  Time earliest(std::size_t task, bool wide, Time ready) const {
    Time at = ready;
    if (length(task, wide) == 0) {
      return at;
    }
    if (is_network(task)) {
      at = std::max(at, network_);
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (takes_all(task, wide, kind)) {
        at = std::max(at, last_[kind]);
      } else if (needs(task, kind)) {
        at = std::max(at, first_[kind]);
      }
    }
    return at;
  }
  void take(std::size_t task, bool wide, Time at) {
    const Time end = at + length(task, wide);
    if (end == at) {
      return;
    }
    network_ = is_network(task) ? end : network_;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      std::vector<Time>& free = free_at_[kind];
      if (free.empty()) {
        continue;
      }
      if (takes_all(task, wide, kind)) {
        std::fill(free.begin(), free.end(), end);
        first_[kind] = last_[kind] = end;
      } else if (needs(task, kind)) {
        *std::min_element(free.begin(), free.end()) = end;
        first_[kind] = *std::min_element(free.begin(), free.end());
        last_[kind] = std::max(last_[kind], end);
      }
    }
  }

 private:
  bool is_network(std::size_t task) const {
    return problem_.tasks[TaskId(task)].unit == TaskUnit::kNetwork;
  }
  bool needs(std::size_t task, std::size_t kind) const {
    const TaskUnit unit = problem_.tasks[TaskId(task)].unit;
    return kind == kTensor ? plan::needs_tensor(unit) : plan::needs_vector(unit);
  }
  bool takes_all(std::size_t task, bool wide, std::size_t kind) const {
    return wide && (needs(task, kind) || problem_.exclusive_wide);
  }

  const ScheduleProblem& problem_;
  std::array<std::vector<Time>, kKinds> free_at_;
  std::array<Time, kKinds> first_{}, last_{};  // of these
  Time network_ = 0;
};

}  // namespace

std::vector<Start> shift_left(const ScheduleProblem& problem, const Graph& graph,
                              const std::vector<Start>& starts) {
  std::vector<std::size_t> order = graph.order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  Timeline timeline(problem);
  std::vector<Start> shifted = starts;
  std::vector<Time> ends(starts.size(), 0);
  for (const std::size_t i : order) {
    Time ready = 0;
    for (const std::size_t j : graph.before[i]) {
      ready = std::max(ready, ends[j]);
    }
    shifted[i].at = timeline.earliest(i, starts[i].wide, ready);
    timeline.take(i, starts[i].wide, shifted[i].at);
    ends[i] = shifted[i].at + timeline.length(i, starts[i].wide);
  }
  return shifted;
}

std::vector<Start> list_whole(const ScheduleProblem& problem, const Graph& graph,
                              WholeWidths widths) {
  const std::size_t n = problem.tasks.size();
  Timeline timeline(problem);
  std::vector<Start> starts(n);
  std::vector<Time> tails(n, 0), ready_at(n, 0);
  std::vector<std::size_t> waits_for(n), ready;
  for (std::size_t at = n; at-- > 0;) {
    const std::size_t i = graph.order[at];
    const plan::Task& task = problem.tasks[TaskId(i)];
    const bool is_faster = task.all_cores && *task.all_cores < task.one_core;
    const Area cores = std::max(plan::needs_tensor(task.unit) ? problem.tensor_cores : 1,
                                plan::needs_vector(task.unit) ? problem.vector_cores : 1);
    const bool is_less =
        is_faster && Area{task.all_cores->value()} * cores <= Area{task.one_core.value()};
    starts[i].wide = (widths == WholeWidths::kFastest && is_faster) ||
                     (widths == WholeWidths::kLeastCoreTime && is_less);
    for (const std::size_t j : graph.after[i]) {
      tails[i] = std::max(tails[i], tails[j] + timeline.length(j, starts[j].wide));
    }
    waits_for[i] = graph.before[i].size();
    if (waits_for[i] == 0) {
      ready.push_back(i);
    }
  }
  while (!ready.empty()) {
    std::size_t best = 0;
    Time first = kNever;
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const std::size_t i = ready[k];
      const Time at = timeline.earliest(i, starts[i].wide, ready_at[i]);
      if (at < first || (at == first && tails[i] > tails[ready[best]])) {
        first = at;
        best = k;
      }
    }
    const std::size_t i = ready[best];
    ready[best] = ready.back();
    ready.pop_back();
    starts[i].at = first;
    timeline.take(i, starts[i].wide, first);
    for (const std::size_t j : graph.after[i]) {
      ready_at[j] = std::max(ready_at[j], first + timeline.length(i, starts[i].wide));
      if (--waits_for[j] == 0) {
        ready.push_back(j);
      }
    }
  }
  return starts;
}

}  // namespace phaze::schedule
