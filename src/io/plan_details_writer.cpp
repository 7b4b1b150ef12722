#include <nlohmann/json.hpp>
#include <utility>

#include "hw/cluster.h"
#include "io/chip_json.h"
#include "io/cluster_json.h"
#include "io/plan_details_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

double seconds(Picoseconds time) { return to_seconds(time).value(); }

// A document of its own as a part of another.
Json part(const std::string& document) {
  Json json = Json::parse(document);
  json.erase("schema");
  return json;
}

Json operator_json(const plan::Task& task, const plan::TaskRun& run,
                   const plan::DetailedOperator& op) {
  const plan::OperatorCost& cost = op.cost;
  Json json = {{"id", task.id},
               {"kind", op.kind},
               {"unit", plan::to_string(task.unit)},
               {"start_s", seconds(run.start)},
               {"end_s", seconds(run.end)},
               {"wide", run.wide}};
  if (!run.wide && !run.tensor_cores.empty()) {
    json["tensor_core"] = run.tensor_cores.front();
  }
  if (!run.wide && !run.vector_cores.empty()) {
    json["vector_core"] = run.vector_cores.front();
  }
  json["alone_s"] = cost.time.value();
  json["bound"] = plan::to_string(cost.bound);
  json["utilisation"] = cost.utilisation;
  json["flops"] = cost.matrix_flops.value();
  json["vector_flops"] = cost.vector_flops.value();
  json["hbm_bytes"] = cost.hbm_bytes.value();
  json["global_bytes"] = cost.global_bytes.value();
  json["network_bytes"] = cost.network_bytes.value();
  json["energy_j"] = cost.energy.value();
  return json;
}

Json pass_json(const plan::DetailedPass& pass) {
  const plan::LayerSchedule& layer = pass.schedule;
  const plan::ScheduleProblem& problem = layer.problem;
  Json operators = Json::array();
  for (const plan::TaskId id : ids_of(problem.tasks)) {
    operators.push_back(
        operator_json(problem.tasks[id], layer.schedule.runs[id], pass.operators.at(id.index())));
  }
  return {{"name", layer.name},
          {"pass", plan::to_string(layer.pass)},
          {"repeat", layer.repeat},
          {"counted_s", pass.counted.value()},
          {"time_s", seconds(layer.time())},
          {"makespan_s", seconds(layer.schedule.makespan)},
          {"lower_bound_s", seconds(layer.schedule.lower_bound)},
          {"proved", layer.is_proved()},
          {"serial", layer.is_serial},
          {"busy_cores", layer.busy_cores},
          {"floor_s", seconds(layer.floor)},
          {"floor", plan::to_string(layer.floor_reason)},
          {"cores", {{"tensor", problem.tensor_cores}, {"vector", problem.vector_cores}}},
          {"operators", std::move(operators)}};
}

}  // namespace

std::string write_plan_details(const plan::PlanDetails& details) {
  const hw::Chip& chip = details.chip;
  Json passes = Json::array();
  for (const plan::DetailedPass& pass : details.passes) {
    passes.push_back(pass_json(pass));
  }
  const Json json = {
      {"chip", details.figures ? part(write_chip(chip, *details.figures)) : Json(nullptr)},
      {"cluster", part(write_cluster(details.cluster, {}))},
      {"peak_flops", details.peak.value()},
      {"peak_vector_flops", hw::peak_vector_flops(chip).value()},
      {"hbm_bytes_per_s", hw::hbm_bandwidth(chip).value()},
      {"recompute", details.recompute},
      {"layers", std::move(passes)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace phaze::io
