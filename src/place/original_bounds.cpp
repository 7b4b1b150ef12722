#include "place/original_bounds.h"

#include <algorithm>
#include <limits>

namespace phaze::place::original {
namespace {

using plan::OriginalEdge;
using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalLayer;

// A lower bound of the slowest stage's load, for each number of stages: some stage holds the
// longest layer, and the average is no more than the maximum. The average counts all compute and,
// for every cut, the cheapest transfers that are left: both ways, or with recomputation the one
// that nothing hides. There the last stage runs its forward pass once only; that pass is at most
// `share` of its load.
std::vector<double> least_loads(const OriginalInstance& instance, const OriginalGraph& graph,
                                std::size_t most_stages) {
  double longest = 0, forward = 0, backward = 0, share = 0;
  for (auto layer = graph.layers.rbegin(); layer != graph.layers.rend(); ++layer) {
    longest = std::max(longest, layer->forward.value() + layer->backward.value());
    forward += layer->forward.value();
    backward += layer->backward.value();
    share = forward > 0 ? std::max(share, forward / (forward + backward)) : share;
  }
  std::vector<double> cuts;
  for (const OriginalEdge& edge : graph.edges) {
    if (edge.from + 1 == edge.to) {
      cuts.push_back(edge.bytes.value() / instance.bandwidth.value());
    }
  }
  std::ranges::sort(cuts);
  std::vector<double> loads(most_stages + 1, 0);
  double transfers = 0;
  for (std::size_t stages = 1; stages <= most_stages; ++stages) {
    const auto count = static_cast<double>(stages);
    const double average = stages > 1 && instance.recompute
                               ? (2 * forward + backward + transfers) / (count + share)
                               : (forward + backward + 2 * transfers) / count;
    loads[stages] = std::max(longest, average);
    transfers += stages <= cuts.size() ? cuts[stages - 1] : 0;
  }
  return loads;
}

}  // namespace

PipelineBounds::PipelineBounds(const OriginalInstance& instance, const OriginalGraph& graph,
                               const DataDegrees& degrees,
                               const std::vector<std::int64_t>& devices_of) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const std::size_t most_stages = devices_of.size() - 1;
  const std::vector<double> loads = least_loads(instance, graph, most_stages);
  const double first_parameters = graph.layers.front().parameters.value();
  times_.assign(most_stages + 2, kNone);
  slots_.assign(most_stages + 2, kNone);
  for (std::size_t stages = most_stages; stages > 0; --stages) {
    times_[stages] = times_[stages + 1];
    slots_[stages] = slots_[stages + 1];
    for (const DataDegree& degree : degrees.with(devices_of[stages])) {
      const double slots =
          static_cast<double>(degree.microbatches) + static_cast<double>(stages) - 1;
      times_[stages] = std::min(times_[stages],
                                loads[stages] * slots + degree.gradient_seconds * first_parameters);
      slots_[stages] = std::min(slots_[stages], slots);
    }
  }
}

}  // namespace phaze::place::original
