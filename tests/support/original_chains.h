#pragma once
// Small placement problems of the original Phaze, written out.

#include <algorithm>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::tests {

struct ChainLayer {
  double forward = 1, backward = 1;
  double parameters = 0, activations = 0;
  bool wide = false;
};

// Layers with ids from `first_id` on, edges of these bytes between neighbours (0 where there are
// fewer), bandwidth 1 byte a second, plenty of memory.
inline plan::OriginalInstance original_chain(const std::vector<ChainLayer>& layers,
                                             const std::vector<double>& edges = {},
                                             std::int64_t first_id = 0, std::int64_t width = 1) {
  plan::OriginalGraph graph;
  graph.width = width;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const ChainLayer& l = layers[i];
    graph.layers.push_back({first_id + static_cast<std::int64_t>(i), plan::RealBytes(l.parameters),
                            plan::RealBytes(l.activations), Seconds(l.forward), Seconds(l.backward),
                            l.wide});
    if (i > 0) {
      const double bytes = i <= edges.size() ? edges[i - 1] : 0;
      graph.edges.push_back({i - 1, i, plan::RealBytes(bytes)});
    }
  }
  plan::OriginalInstance instance;
  instance.memory = plan::RealBytes(1e12);
  instance.graphs = {graph};
  return instance;
}

// Where the stages of a placement end.
inline std::vector<std::size_t> ends_of(const plan::OriginalPlacement& placement) {
  std::vector<std::size_t> ends;
  for (const plan::OriginalStage& stage : placement.stages) {
    ends.push_back(stage.end);
  }
  return ends;
}

}  // namespace phaze::tests
