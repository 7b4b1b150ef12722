#include "place/original_tensors.h"

#include <algorithm>

namespace phaze::place::original {

using plan::OriginalEdge;

ChainTensors::ChainTensors(const plan::OriginalInstance& instance,
                           const plan::OriginalGraph& graph) {
  const std::size_t layers = graph.layers.size();
  const double bandwidth = instance.bandwidth.value();
  // Edges come in the order that the entries of a layer need (backwards for what goes out), so that
  // filling the places of each layer from its first on sorts them.
  const auto fill = [&](Side& side, auto first, auto last, std::size_t OriginalEdge::*here,
                        std::size_t OriginalEdge::*there) {
    side.offsets.assign(layers + 1, 0);
    side.entries.resize(graph.edges.size());
    for (auto edge = first; edge != last; ++edge) {
      ++side.offsets[(*edge).*here + 1];
    }
    for (std::size_t i = 0; i < layers; ++i) {
      side.offsets[i + 1] += side.offsets[i];
    }
    std::vector<std::size_t> next(side.offsets.begin(), side.offsets.end() - 1);
    for (auto edge = first; edge != last; ++edge) {
      const std::size_t layer = (*edge).*here;
      const std::size_t at = next[layer]++;
      const Crossing before =
          at == side.offsets[layer] ? Crossing{} : side.entries[at - 1].crossing;
      const double bytes = edge->bytes.value();
      side.entries[at] = {(*edge).*there,
                          {std::max(before.longest, bytes / bandwidth), before.bytes + bytes}};
    }
  };
  fill(incoming_, graph.edges.begin(), graph.edges.end(), &OriginalEdge::to, &OriginalEdge::from);
  fill(outgoing_, graph.edges.rbegin(), graph.edges.rend(), &OriginalEdge::from, &OriginalEdge::to);
}

Crossing ChainTensors::from_before(std::size_t layer, std::size_t begin) const {
  const std::span<const Entry> entries = incoming_.of(layer);
  const auto beyond =
      std::ranges::partition_point(entries, [&](const Entry& e) { return e.other < begin; });
  return beyond == entries.begin() ? Crossing{} : std::prev(beyond)->crossing;
}

Crossing ChainTensors::to_beyond(std::size_t layer, std::size_t end) const {
  const std::span<const Entry> entries = outgoing_.of(layer);
  const auto beyond =
      std::ranges::partition_point(entries, [&](const Entry& e) { return e.other >= end; });
  return beyond == entries.begin() ? Crossing{} : std::prev(beyond)->crossing;
}

}  // namespace phaze::place::original
