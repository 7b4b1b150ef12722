#include "schedule/cores.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.h"

namespace phaze::schedule {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskId;

Schedule with_cores(const ScheduleProblem& problem, const std::vector<Start>& starts) {
  Schedule schedule;
  const std::size_t n = problem.tasks.size();
  schedule.runs.resize(n, {});
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  const std::array<std::int64_t, kKinds> cores = {problem.tensor_cores, problem.vector_cores};
  std::array<std::vector<Time>, kKinds> free_at;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    free_at[kind].assign(static_cast<std::size_t>(cores[kind]), 0);
  }
  for (const std::size_t i : order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    plan::TaskRun& run = schedule.runs[TaskId(i)];
    run.wide = starts[i].wide;
    run.start = Picoseconds(starts[i].at);
    run.end = run.start + (run.wide ? *task.all_cores : task.one_core);
    schedule.makespan = std::max(schedule.makespan, run.end);
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (!needs[kind]) {
        continue;
      }
      std::vector<std::int64_t>& used = kind == kTensor ? run.tensor_cores : run.vector_cores;
      if (run.start == run.end) {
        // It books nothing; the names are for form's sake.
        used.resize(run.wide ? static_cast<std::size_t>(cores[kind]) : 1);
        std::iota(used.begin(), used.end(), 0);
        continue;
      }
      for (std::size_t c = 0; c < free_at[kind].size(); ++c) {
        if (free_at[kind][c] <= starts[i].at) {
          used.push_back(static_cast<std::int64_t>(c));
          free_at[kind][c] = run.end.value();
          if (!run.wide) {
            break;
          }
        }
      }
      CHECK(used.size() == (run.wide ? static_cast<std::size_t>(cores[kind]) : 1),
            "a task has its cores");
    }
  }
  return schedule;
}

}  // namespace phaze::schedule
