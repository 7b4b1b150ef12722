#include "plan/schedule.h"

#include "base/check.h"

namespace phaze::plan {

std::string_view to_string(TaskUnit unit) {
  switch (unit) {
    case TaskUnit::kTensor:
      return "tensor";
    case TaskUnit::kVector:
      return "vector";
    case TaskUnit::kBoth:
      return "both";
    case TaskUnit::kNetwork:
      return "network";
    case TaskUnit::kNone:
      return "none";
  }
  CHECK(false, "unknown unit");
}

std::optional<TaskUnit> parse_task_unit(std::string_view name) {
  for (const TaskUnit unit : {TaskUnit::kTensor, TaskUnit::kVector, TaskUnit::kBoth,
                              TaskUnit::kNetwork, TaskUnit::kNone}) {
    if (to_string(unit) == name) {
      return unit;
    }
  }
  return std::nullopt;
}

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::kOptimal:
      return "optimal";
    case SolveStatus::kFeasible:
      return "feasible";
  }
  CHECK(false, "unknown status");
}

std::string_view to_string(LayerPass pass) {
  switch (pass) {
    case LayerPass::kForward:
      return "forward";
    case LayerPass::kBackward:
      return "backward";
  }
  CHECK(false, "unknown pass");
}

std::string_view to_string(TimeFloor floor) {
  switch (floor) {
    case TimeFloor::kNone:
      return "none";
    case TimeFloor::kGlobalBuffer:
      return "global_buffer";
    case TimeFloor::kHbm:
      return "hbm";
  }
  CHECK(false, "unknown floor");
}

CoreUtilisation core_utilisation(const ScheduleProblem& problem, const Schedule& schedule,
                                 Picoseconds time) {
  double tensor = 0;
  double vector = 0;
  for (const TaskRun& run : schedule.runs) {
    const auto length = static_cast<double>((run.end - run.start).value());
    tensor += length * static_cast<double>(run.tensor_cores.size());
    vector += length * static_cast<double>(run.vector_cores.size());
  }
  const auto share = [time](double busy, std::int64_t cores) {
    const double whole = static_cast<double>(cores) * static_cast<double>(time.value());
    return whole > 0 ? busy / whole : 0;
  };
  return {share(tensor, problem.tensor_cores), share(vector, problem.vector_cores)};
}

}  // namespace phaze::plan
