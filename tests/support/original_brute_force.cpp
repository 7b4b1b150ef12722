#include "support/original_brute_force.h"

#include <algorithm>

#include "verify/original_placement.h"

namespace phaze::tests {

std::vector<std::optional<Seconds>> best_times_by_brute_force(
    const plan::OriginalInstance& instance) {
  std::vector<std::optional<Seconds>> times;
  for (const plan::OriginalGraph& graph : instance.graphs) {
    std::optional<Seconds> best;
    const std::size_t layers = graph.layers.size();
    for (std::size_t cuts = 0; cuts < std::size_t{1} << (layers - 1); ++cuts) {
      std::vector<std::size_t> ends;
      for (std::size_t i = 1; i <= layers; ++i) {
        if (i == layers || ((cuts >> (i - 1)) & 1U) != 0) {
          ends.push_back(i);
        }
      }
      for (std::int64_t d = 1; d <= std::min(instance.devices, instance.microbatches); ++d) {
        const plan::OriginalPlacement placement = verify::walk_placement(instance, graph, ends, d);
        if (verify::find_obstacles(instance, placement).empty()) {
          best = best ? std::min(*best, placement.time) : placement.time;
        }
      }
    }
    times.push_back(best);
  }
  return times;
}

}  // namespace phaze::tests
