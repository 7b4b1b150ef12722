#pragma once
// The order of the layers of a chain. Inside io/ only.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace phaze::io {

// The layers 0 to n - 1 in the one order that all edges (before, after) respect; or why there is
// none: a cycle, or two layers that do not wait for one another.
struct LayerOrder {
  std::vector<std::size_t> order;
  std::vector<std::size_t> cycle;  // each layer before the next, the last before the first
  std::optional<std::pair<std::size_t, std::size_t>> branches;
};
LayerOrder order_layers(std::size_t layers,
                        const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace phaze::io
