#include "cost/algorithm.h"

#include <algorithm>
#include <array>

namespace phaze::cost {
namespace {

constexpr std::array<std::string_view, kCollectives> kCollectiveNames = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "point_to_point"};
constexpr std::array<std::string_view, kAlgorithms> kAlgorithmNames = {
    "ring", "tree", "halving_doubling", "torus", "hierarchical", "in_network", "direct"};

}  // namespace

std::string_view to_string(Collective collective) {
  return kCollectiveNames.at(static_cast<std::size_t>(collective));
}

std::string_view to_string(Algorithm algorithm) {
  return kAlgorithmNames.at(static_cast<std::size_t>(algorithm));
}

std::optional<Algorithm> parse_algorithm(std::string_view name) {
  const auto found = std::ranges::find(kAlgorithmNames, name);
  return found == kAlgorithmNames.end()
             ? std::nullopt
             : std::optional(static_cast<Algorithm>(found - kAlgorithmNames.begin()));
}

std::vector<std::string> algorithm_names() {
  return {kAlgorithmNames.begin(), kAlgorithmNames.end()};
}

std::optional<Collective> collective_of(graph::OpKind kind) {
  // Not a switch: of some fifty kinds these four ask the network for something.
  if (kind == graph::OpKind::kAllReduce) {
    return Collective::kAllReduce;
  }
  if (kind == graph::OpKind::kAllGather) {
    return Collective::kAllGather;
  }
  if (kind == graph::OpKind::kReduceScatter) {
    return Collective::kReduceScatter;
  }
  if (kind == graph::OpKind::kAllToAll) {
    return Collective::kAllToAll;
  }
  return std::nullopt;
}

}  // namespace phaze::cost
