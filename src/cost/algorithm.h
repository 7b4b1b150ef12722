#pragma once
// The collectives and the algorithms that carry them out, by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op_kind.h"

namespace phaze::cost {

enum class Collective {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kPointToPoint,
};
inline constexpr std::size_t kCollectives = 6;

enum class Algorithm {
  kRing,             // around all members
  kTree,             // two binary trees, each for half of the data
  kHalvingDoubling,  // exchange with partners at doubled distances
  kTorus,            // around all dimensions of a torus at once
  kHierarchical,     // level by level, in pieces
  kInNetwork,        // switches reduce and copy
  kDirect,           // straight to the receiver
};
inline constexpr std::size_t kAlgorithms = 7;

std::string_view to_string(Collective collective);
std::string_view to_string(Algorithm algorithm);
std::optional<Algorithm> parse_algorithm(std::string_view name);
std::vector<std::string> algorithm_names();

// What an operator of a graph asks of the network; nothing for an operator that asks nothing.
std::optional<Collective> collective_of(graph::OpKind kind);

class AlgorithmSet {
 public:
  constexpr AlgorithmSet() = default;  // none
  static constexpr AlgorithmSet all() { return AlgorithmSet((1U << kAlgorithms) - 1); }
  static constexpr AlgorithmSet only(Algorithm algorithm) { return AlgorithmSet(bit(algorithm)); }

  constexpr AlgorithmSet with(Algorithm algorithm) const {
    return AlgorithmSet(bits_ | bit(algorithm));
  }
  constexpr AlgorithmSet without(Algorithm algorithm) const {
    return AlgorithmSet(bits_ & ~bit(algorithm));
  }
  constexpr bool contains(Algorithm algorithm) const { return (bits_ & bit(algorithm)) != 0; }
  constexpr bool operator==(const AlgorithmSet&) const = default;

 private:
  constexpr explicit AlgorithmSet(std::uint32_t bits) : bits_(bits) {}
  static constexpr std::uint32_t bit(Algorithm algorithm) {
    return 1U << static_cast<std::uint32_t>(algorithm);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace phaze::cost
