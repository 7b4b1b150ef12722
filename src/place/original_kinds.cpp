#include "place/original_kinds.h"

#include <algorithm>

namespace phaze::place::original {
namespace {

std::size_t wide_layers(const plan::OriginalGraph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.layers, &plan::OriginalLayer::is_tensor_parallel));
}

}  // namespace

bool is_mixed(const plan::OriginalGraph& graph) {
  const std::size_t wide = wide_layers(graph);
  return graph.width > 1 && wide > 0 && wide < graph.layers.size();
}

StageKinds equal_kinds(const plan::OriginalGraph& graph) {
  return {1, wide_layers(graph) > 0 ? graph.width : 1, 0, false};
}

StageKinds mixed_kinds(const plan::OriginalGraph& graph) {
  const std::size_t wide = wide_layers(graph);
  const std::size_t narrow = graph.layers.size() - wide;
  return wide < narrow ? StageKinds{graph.width, 1, wide, true}
                       : StageKinds{1, graph.width, narrow, false};
}

std::vector<std::int64_t> fewest_devices(const plan::OriginalInstance& instance,
                                         const plan::OriginalGraph& graph,
                                         const StageKinds& kinds) {
  const std::size_t narrow = graph.layers.size() - wide_layers(graph);
  std::vector<std::int64_t> fewest = {0};
  for (std::size_t stages = 1; stages <= graph.layers.size(); ++stages) {
    // A mixed chain has a wide stage.
    const std::size_t narrow_stages = std::min(stages - 1, narrow);
    const std::int64_t devices =
        kinds.most_counted == 0
            ? kinds.devices(stages, 0)
            : kinds.devices(stages, kinds.counts_wide ? stages - narrow_stages : narrow_stages);
    if (devices > instance.devices) {
      break;
    }
    fewest.push_back(devices);
  }
  return fewest;
}

}  // namespace phaze::place::original
