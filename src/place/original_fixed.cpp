#include "place/original_fixed.h"

#include <algorithm>
#include <vector>

#include "base/plural.h"
#include "base/text.h"
#include "place/original_stages.h"

namespace phaze::place::original {
namespace {

using plan::FixedStrategy;
using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalPlacement;

// The stage of a layer, from 0.
std::int64_t stage_of(std::int64_t id, const FixedStrategy& strategy) {
  const std::int64_t in_stage =
      (strategy.transformer_layers + strategy.stages - 1) / strategy.stages;
  if (id < 0) {
    return 0;
  }
  return id < strategy.transformer_layers ? id / in_stage : strategy.stages - 1;
}

// Why the placement cannot be; empty when it can.
std::string find_obstacle(const OriginalInstance& instance, const OriginalPlacement& placement) {
  const auto stages = static_cast<std::int64_t>(placement.stages.size());
  const std::int64_t pipeline = checked_multiply(stages, placement.width);
  const std::int64_t devices = checked_multiply(pipeline, placement.data_parallel);
  if (devices > instance.devices) {
    return "needs " + counted(devices, "device") + " of " + with_thousands(instance.devices);
  }
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    const plan::OriginalStage& stage = placement.stages[i];
    if (stage.memory > instance.memory) {
      return "stage " + std::to_string(i + 1) + " of " + std::to_string(stages) + " needs " +
             to_string(stage.memory) + " of " + to_string(instance.memory) + " of memory";
    }
  }
  return "";
}

}  // namespace

plan::FixedOutcome evaluate_fixed(const OriginalInstance& instance, const FixedStrategy& strategy) {
  const auto graph = std::ranges::find(instance.graphs, strategy.width, &OriginalGraph::width);
  if (graph == instance.graphs.end()) {
    return {std::nullopt, "there are no layers of width " + std::to_string(strategy.width)};
  }
  if (strategy.data_parallel > instance.microbatches) {
    return {std::nullopt, "data parallelism of " + with_thousands(strategy.data_parallel) +
                              " has no more than " +
                              counted(instance.microbatches, "micro-batch", "micro-batches")};
  }
  if (strategy.data_parallel > instance.devices) {
    return {std::nullopt, "data parallelism of " + with_thousands(strategy.data_parallel) +
                              " has no more than " + counted(instance.devices, "device")};
  }
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= graph->layers.size(); ++i) {
    const std::int64_t here = stage_of(graph->layers[i - 1].id, strategy);
    const bool is_end = i == graph->layers.size();
    const std::int64_t next = is_end ? here : stage_of(graph->layers[i].id, strategy);
    if (next < here) {
      return {std::nullopt, "the layers " + std::to_string(graph->layers[i - 1].id) + " and " +
                                std::to_string(graph->layers[i].id) +
                                " follow one another, and its stages would not"};
    }
    if (is_end || next > here) {
      ends.push_back(i);
    }
  }
  OriginalPlacement placement = evaluate_placement(instance, *graph, ends, strategy.data_parallel);
  for (plan::OriginalStage& stage : placement.stages) {
    stage.devices = strategy.width;
  }
  std::string obstacle = find_obstacle(instance, placement);
  if (!obstacle.empty()) {
    return {std::nullopt, std::move(obstacle)};
  }
  return {std::move(placement), ""};
}

}  // namespace phaze::place::original
