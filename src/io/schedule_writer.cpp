#include <nlohmann/json.hpp>
#include <utility>

#include "io/schedule_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

double seconds(Picoseconds time) { return static_cast<double>(time.value()) / 1e12; }

void append_cores(Json& cores, char kind, const std::vector<std::int64_t>& indices) {
  for (const std::int64_t index : indices) {
    cores.push_back(kind + std::to_string(index));
  }
}

// Adds what every schedule says to what the caller says before it.
void append_schedule(Json& json, const plan::ScheduleProblem& problem,
                     const plan::Schedule& schedule) {
  const double makespan = seconds(schedule.makespan);
  const double missing = seconds(schedule.makespan - schedule.lower_bound);
  json["makespan_s"] = makespan;
  json["lower_bound_s"] = seconds(schedule.lower_bound);
  json["gap"] = makespan > 0 ? missing / makespan : 0.0;
  json["status"] = plan::to_string(schedule.status);
  json["work"] = schedule.work;
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
  const plan::CoreUtilisation busy =
      plan::core_utilisation(layer.problem, layer.schedule, layer.time());
  Json json = {{"name", layer.name},
               {"pass", plan::to_string(layer.pass)},
               {"repeat", layer.repeat},
               {"time_s", seconds(layer.time())},
               {"busy_cores", layer.busy_cores},
               {"serial", layer.is_serial},
               {"floor_s", seconds(layer.floor)},
               {"floor", plan::to_string(layer.floor_reason)},
               {"utilisation", {{"tensor", busy.tensor}, {"vector", busy.vector}}}};
  append_schedule(json, layer.problem, layer.schedule);
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
  append_schedule(json, problem, schedule);
  return json.dump(2) + "\n";
}

std::string write_layer_schedules(const std::string& model, const std::string& chip,
                                  const std::vector<plan::LayerSchedule>& layers) {
  Json items = Json::array();
  for (const plan::LayerSchedule& layer : layers) {
    items.push_back(layer_json(layer));
  }
  const Json json = {{"schema", 1}, {"model", model}, {"chip", chip}, {"layers", std::move(items)}};
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
