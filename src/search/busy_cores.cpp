#include "search/busy_cores.h"

#include <algorithm>
#include <numeric>

#include "schedule/exact.h"

namespace phaze::search {

using plan::LayerSchedule;
using plan::ScheduleProblem;

void round_durations(ScheduleProblem& problem) {
  constexpr std::int64_t kSteps = 10'000'000;
  std::int64_t sum = 0;
  for (const plan::Task& task : problem.tasks) {
    sum += task.all_cores.value_or(task.one_core).value();
  }
  std::int64_t step = 1;
  while (sum / step > kSteps) {
    step *= 10;
  }
  const auto round = [step](Picoseconds time) {
    return Picoseconds((time.value() + step / 2) / step * step);
  };
  const Picoseconds most = round(Picoseconds(sum)) + Picoseconds(step);
  for (plan::Task& task : problem.tasks) {
    if (task.all_cores) {
      task.one_core = std::min(task.one_core, most);
      task.all_cores = round(*task.all_cores);
    }
    task.one_core = round(task.one_core);
  }
}

LayerSchedule choose_busy_cores(const LayerSchedule& layer, const std::vector<BusyCores>& choices,
                                const Solver& solve) {
  std::vector<Picoseconds> quick;  // ends of list schedules
  quick.reserve(choices.size());
  for (const BusyCores& choice : choices) {
    quick.push_back(choices.size() > 1 ? schedule::solve_list(choice.problem).makespan
                                       : Picoseconds());
  }
  std::vector<std::size_t> order(choices.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&quick](std::size_t a, std::size_t b) { return quick[a] < quick[b]; });
  LayerSchedule best = layer;
  std::optional<Picoseconds> least;  // that any number of busy cores could take
  for (const std::size_t i : order) {
    Wanted wanted{std::nullopt, layer.floor};
    if (least) {
      wanted.cutoff = best.time();
    }
    LayerSchedule other = layer;
    other.busy_cores = choices[i].count;
    other.problem = choices[i].problem;
    other.schedule = solve(other.problem, wanted);
    const Picoseconds bound = std::max(other.schedule.lower_bound, layer.floor);
    if (!least || other.time() < best.time()) {
      best = std::move(other);
    }
    least = std::min(least.value_or(bound), bound);
    if (best.time() == layer.floor) {
      break;
    }
  }
  // Of a schedule that ends before the floor nothing more is to be won, and it claims no more than
  // its solver does.
  if (best.schedule.makespan > layer.floor) {
    best.schedule.lower_bound = std::min(*least, best.schedule.makespan);
    best.schedule.status = best.schedule.lower_bound == best.schedule.makespan
                               ? plan::SolveStatus::kOptimal
                               : plan::SolveStatus::kFeasible;
  }
  return best;
}

}  // namespace phaze::search
