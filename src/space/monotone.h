#pragma once
// Which axes can never make a model slower when they grow: what dominance between chips rests on.
// The reasons are the formulas of docs/models.md 10, 12, 13 and 16; tests/property/space holds them
// against random operators, layers and chips.

#include <cstdint>
#include <string>
#include <vector>

#include "space/space.h"

namespace phaze::space {

struct Growth {
  bool never_slower = false;
  std::string reason;
};

// Of an axis with all that follows it.
Growth growth_of(const Space& space, const Axis& axis);

// A chip among the others of its space: with no less of each amount, one of the same group is never
// slower.
struct Standing {
  std::int64_t group = 0;             // positions on the other axes, as a mixed-radix number
  std::vector<std::int64_t> amounts;  // positions on the axes that never make a model slower
};
Standing standing_of(const Space& space, std::int64_t index);

// For millions of chips: ask once which axes never make a model slower, by their positions.
std::vector<bool> never_slower_axes(const Space& space);
Standing standing_of(const Space& space, std::int64_t index, const std::vector<bool>& never_slower);

}  // namespace phaze::space
