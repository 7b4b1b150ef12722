#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "io/original_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::OriginalGraph;

Json seconds(const std::optional<Seconds>& time) { return time ? Json(time->value()) : Json(); }

const OriginalGraph& graph_of(const plan::OriginalInstance& instance, std::int64_t width) {
  const auto graph = std::ranges::find(instance.graphs, width, &OriginalGraph::width);
  CHECK(graph != instance.graphs.end(), "a placement of a width that is not there");
  return *graph;
}

}  // namespace

std::string write_original_answer(const plan::OriginalInstance& instance,
                                  const plan::OriginalAnswer& answer) {
  const bool is_feasible = answer.best.has_value();
  Json json = {{"schema", 1}, {"status", is_feasible ? "optimal" : "infeasible"}};
  Json stages = Json::array();
  Json loads = Json::array();
  Json memory = Json::array();
  if (is_feasible) {
    const OriginalGraph& graph = graph_of(instance, answer.best->width);
    for (const plan::OriginalStage& stage : answer.best->stages) {
      Json nodes = Json::array();
      for (std::size_t i = stage.begin; i < stage.end; ++i) {
        nodes.push_back(graph.layers[i].id);
      }
      stages.push_back({{"nodes", std::move(nodes)}, {"devicesForStage", stage.devices}});
      loads.push_back(stage.load.value());
      memory.push_back(stage.memory.value());
    }
  }
  const Json none;
  json["finalTimePerBatch"] = is_feasible ? Json(answer.best->time.value()) : none;
  json["lowerBound"] = json["finalTimePerBatch"];
  json["dataParallelDegree"] = is_feasible ? Json(answer.best->data_parallel) : none;
  json["tensorParallelDegree"] = is_feasible ? Json(answer.best->width) : none;
  json["stages"] = std::move(stages);
  json["stageLoads"] = std::move(loads);
  json["stageMemory"] = std::move(memory);
  Json widths = Json::object();
  for (const plan::OriginalWidthTime& width : answer.widths) {
    widths[std::to_string(width.width)] = seconds(width.time);
  }
  json["timePerBatchByWidth"] = std::move(widths);
  if (answer.fixed) {
    const auto& placement = answer.fixed->placement;
    json["fixedStrategyTimePerBatch"] = placement ? Json(placement->time.value()) : none;
    json["fixedStrategyFailure"] = placement ? none : Json(answer.fixed->failure);
  }
  json["work"] = answer.work;
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
