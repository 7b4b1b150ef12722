#include "io/original_order.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::io {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

// Among layers that are never ready each waits for another of them: going back comes round.
std::vector<std::size_t> find_cycle(std::size_t layers, const Edges& edges,
                                    const std::vector<std::size_t>& waits) {
  std::vector<std::size_t> before(layers, layers);
  for (const auto& [from, to] : edges) {
    if (waits[from] > 0 && waits[to] > 0) {
      before[to] = std::min(before[to], from);
    }
  }
  const auto stuck = std::ranges::find_if(waits, [](std::size_t count) { return count > 0; });
  auto at = static_cast<std::size_t>(stuck - waits.begin());
  std::vector<std::size_t> path;
  while (std::ranges::find(path, at) == path.end()) {
    path.push_back(at);
    at = before[at];
    CHECK(at < layers, "a layer that waits for none");
  }
  path.erase(path.begin(), std::ranges::find(path, at));
  std::ranges::reverse(path);
  std::rotate(path.begin(), std::ranges::min_element(path), path.end());
  return path;
}

}  // namespace

LayerOrder order_layers(std::size_t layers, const Edges& edges) {
  std::vector<std::size_t> waits(layers, 0);  // for how many layers that are not in the order
  std::vector<std::vector<std::size_t>> after(layers);
  for (const auto& [from, to] : edges) {
    ++waits[to];
    after[from].push_back(to);
  }
  LayerOrder answer;
  std::vector<std::size_t> ready;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (waits[layer] == 0) {
      ready.push_back(layer);
    }
  }
  while (!ready.empty()) {
    if (ready.size() > 1 && !answer.branches) {
      answer.branches = std::minmax(ready[0], ready[1]);
    }
    const std::size_t layer = ready.back();
    ready.pop_back();
    answer.order.push_back(layer);
    for (const std::size_t next : after[layer]) {
      if (--waits[next] == 0) {
        ready.push_back(next);
      }
    }
  }
  if (answer.order.size() < layers) {
    answer.cycle = find_cycle(layers, edges, waits);
  }
  return answer;
}

}  // namespace phaze::io
