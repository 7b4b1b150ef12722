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

std::vector<Start> shift_left(const ScheduleProblem& problem, const Graph& graph,
                              const std::vector<Start>& starts) {
  std::vector<std::size_t> order = graph.order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  std::array<std::vector<Time>, kKinds> free_at = {
      std::vector<Time>(static_cast<std::size_t>(problem.tensor_cores), 0),
      std::vector<Time>(static_cast<std::size_t>(problem.vector_cores), 0)};
  Time network = 0;
  std::vector<Start> shifted = starts;
  std::vector<Time> ends(starts.size(), 0);
  for (const std::size_t i : order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    const bool wide = starts[i].wide;
    const Time length = (wide ? *task.all_cores : task.one_core).value();
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    const auto takes_all = [&](std::size_t kind) {
      return wide && (needs[kind] || problem.exclusive_wide);
    };
    Time at = task.unit == TaskUnit::kNetwork ? network : 0;
    for (const std::size_t j : graph.before[i]) {
      at = std::max(at, ends[j]);
    }
    for (std::size_t kind = 0; kind < kKinds && length > 0; ++kind) {
      if (takes_all(kind) && !free_at[kind].empty()) {
        at = std::max(at, *std::max_element(free_at[kind].begin(), free_at[kind].end()));
      } else if (needs[kind]) {
        at = std::max(at, *std::min_element(free_at[kind].begin(), free_at[kind].end()));
      }
    }
    shifted[i].at = at;
    ends[i] = at + length;
    network = task.unit == TaskUnit::kNetwork ? ends[i] : network;
    for (std::size_t kind = 0; kind < kKinds && length > 0; ++kind) {
      if (takes_all(kind)) {
        std::fill(free_at[kind].begin(), free_at[kind].end(), ends[i]);
      } else if (needs[kind]) {
        *std::min_element(free_at[kind].begin(), free_at[kind].end()) = ends[i];
      }
    }
  }
  return shifted;
}

}  // namespace phaze::schedule
