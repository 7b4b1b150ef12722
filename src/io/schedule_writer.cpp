#include <nlohmann/json.hpp>
#include <utility>

#include "io/schedule_json.h"
#include "plan/idle.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

double seconds(Picoseconds time) { return to_seconds(time).value(); }

void append_cores(Json& cores, char kind, const std::vector<std::int64_t>& indices) {
  for (const std::int64_t index : indices) {
    cores.push_back(kind + std::to_string(index));
  }
}

Json utilisation_json(const plan::CoreUtilisation& busy) {
  return {{"tensor", busy.tensor}, {"vector", busy.vector}};
}

Json idle_json(const plan::ScheduleProblem& problem, const std::vector<plan::IdleTime>& idle) {
  Json items = Json::array();
  for (const plan::IdleTime& item : idle) {
    Json json = {{"unit", plan::to_string(item.unit)}, {"reason", plan::to_string(item.reason)}};
    if (item.task) {
      json["operator"] = problem.tasks[*item.task].id;
    }
    json["core_s"] = item.core_time.value();
    items.push_back(std::move(json));
  }
  return items;
}

// Adds what every schedule says to what the caller says before it.
void append_schedule(Json& json, const plan::ScheduleProblem& problem,
                     const plan::Schedule& schedule, Picoseconds time,
                     const std::vector<plan::IdleTime>& idle) {
  const double makespan = seconds(schedule.makespan);
  const double missing = seconds(schedule.makespan - schedule.lower_bound);
  json["makespan_s"] = makespan;
  json["lower_bound_s"] = seconds(schedule.lower_bound);
  json["gap"] = makespan > 0 ? missing / makespan : 0.0;
  json["status"] = plan::to_string(schedule.status);
  json["work"] = schedule.work;
  json["cores"] = {{"tensor", problem.tensor_cores}, {"vector", problem.vector_cores}};
  json["exclusive_wide"] = problem.exclusive_wide;
  json["utilisation"] = utilisation_json(plan::core_utilisation(problem, schedule, time));
  json["idle"] = idle_json(problem, idle);
  Json operators = Json::array();
  for (const plan::TaskId id : ids_of(problem.tasks)) {
    const plan::TaskRun& run = schedule.runs[id];
    Json cores = Json::array();
    append_cores(cores, 't', run.tensor_cores);
    append_cores(cores, 'v', run.vector_cores);
    operators.push_back({{"id", problem.tasks[id].id},
                         {"unit", plan::to_string(problem.tasks[id].unit)},
                         {"start_s", seconds(run.start)},
                         {"end_s", seconds(run.end)},
                         {"wide", run.wide},
                         {"cores", std::move(cores)}});
  }
  json["operators"] = std::move(operators);
}

Json layer_json(const plan::LayerSchedule& layer) {
  Json json = {{"name", layer.name},
               {"pass", plan::to_string(layer.pass)},
               {"repeat", layer.repeat},
               {"time_s", seconds(layer.time())},
               {"proved", layer.is_proved()},
               {"busy_cores", layer.busy_cores},
               {"serial", layer.is_serial},
               {"floor_s", seconds(layer.floor)},
               {"floor", plan::to_string(layer.floor_reason)}};
  append_schedule(json, layer.problem, layer.schedule, layer.time(), plan::idle_times(layer));
  json["status"] = plan::to_string(layer.is_proved() ? plan::SolveStatus::kOptimal
                                                     : plan::SolveStatus::kFeasible);
  return json;
}

}  // namespace

std::string write_schedule_problem(const plan::ScheduleProblem& problem) {
  Json operators = Json::array();
  for (const plan::Task& task : problem.tasks) {
    Json json = {{"id", task.id},
                 {"unit", plan::to_string(task.unit)},
                 {"one_core_s", seconds(task.one_core)}};
    if (task.all_cores) {
      json["all_cores_s"] = seconds(*task.all_cores);
    }
    operators.push_back(std::move(json));
  }
  Json edges = Json::array();
  for (const auto& [before, after] : problem.edges) {
    edges.push_back(Json::array({problem.tasks[before].id, problem.tasks[after].id}));
  }
  const Json json = {
      {"cores", {{"tensor", problem.tensor_cores}, {"vector", problem.vector_cores}}},
      {"exclusive_wide", problem.exclusive_wide},
      {"operators", std::move(operators)},
      {"edges", std::move(edges)}};
  return json.dump(2) + "\n";
}

std::string write_schedule(const plan::ScheduleProblem& problem, const plan::Schedule& schedule) {
  Json json = {{"schema", 1}};
  append_schedule(json, problem, schedule, schedule.makespan, plan::idle_times(problem, schedule));
  return json.dump(2) + "\n";
}

std::string write_model_schedule(const plan::ModelSchedule& schedule) {
  Json layers = Json::array();
  for (const plan::LayerSchedule& layer : schedule.layers) {
    layers.push_back(layer_json(layer));
  }
  const Json json = {{"schema", 1},
                     {"model", schedule.model.name},
                     {"chip", schedule.chip.name},
                     {"chip_settings", schedule.chip_settings},
                     {"cluster", schedule.cluster.empty() ? Json() : Json(schedule.cluster)},
                     {"assumptions", schedule.assumptions},
                     {"settings", schedule.model.settings},
                     {"sequence", schedule.model.sequence},
                     {"microbatch", schedule.model.microbatch},
                     {"tensor", schedule.model.tensor_width},
                     {"method", schedule.method},
                     {"forward_s", plan::total_time(schedule, plan::LayerPass::kForward).value()},
                     {"backward_s", plan::total_time(schedule, plan::LayerPass::kBackward).value()},
                     {"layers", std::move(layers)}};
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
