#pragma once
// Element-wise operators ride on the operator before them, as compilers arrange it.

#include <optional>
#include <string_view>

#include "graph/layer.h"

namespace phaze::graph {

enum class Fusion {
  kNone,
  kElementwise,  // element-wise operators into one another
  kFull,         // and into the product before them
};

std::optional<Fusion> parse_fusion(std::string_view name);
std::string_view to_string(Fusion fusion);

// The layer with fewer operators and the same meaning: an element-wise operator joins the
// element-wise operator or product that writes one of its operands when both have as many elements,
// are of the same pass, and no other operator lies on a path between them. A tensor that only the
// pair used disappears; one that is read elsewhere, saved for backward or handed over is still
// written. A concatenation whose parts nobody else reads becomes a join: its parts are written in
// place. Work is kept, bytes shrink. Applied last: passes before it see single
// operators. O(operators x operands) a round, few rounds.
Layer fuse_elementwise(const Layer& layer, Fusion fusion);

}  // namespace phaze::graph
