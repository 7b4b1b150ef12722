#include "verify/layer_schedule.h"

#include <algorithm>
#include <numeric>

#include "verify/schedule.h"

namespace phaze::verify {
namespace {

// The cores of a wide task when there are `count`.
void narrow(std::vector<std::int64_t>& cores, std::int64_t count) {
  if (!cores.empty()) {
    cores.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    std::iota(cores.begin(), cores.end(), 0);
  }
}

}  // namespace

std::vector<std::string> find_faults(const plan::LayerSchedule& layer) {
  plan::Schedule on_chip = layer.schedule;
  on_chip.lower_bound = Picoseconds();
  on_chip.status = plan::SolveStatus::kFeasible;
  std::vector<std::string> faults = find_faults(layer.problem, on_chip);
  if (layer.repeat < 1 || layer.busy_cores < 1) {
    faults.emplace_back("the layer has no repeat or no busy core");
  }
  if (!faults.empty() || layer.is_serial) {
    return faults.empty() ? find_faults(layer.problem, layer.schedule) : faults;
  }
  plan::ScheduleProblem problem = layer.problem;
  problem.tensor_cores = std::min(problem.tensor_cores, layer.busy_cores);
  problem.vector_cores = std::min(problem.vector_cores, layer.busy_cores);
  plan::Schedule schedule = layer.schedule;
  for (plan::TaskRun& run : schedule.runs) {
    if (run.wide) {
      narrow(run.tensor_cores, problem.tensor_cores);
      narrow(run.vector_cores, problem.vector_cores);
    }
  }
  return find_faults(problem, schedule);
}

}  // namespace phaze::verify
