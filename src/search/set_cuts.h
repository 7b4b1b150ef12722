#pragma once
// Where to cut a set of points in two. Of the first set of a group (the same positions on axes that
// do not grow) the tops with one axis lowered are bounded, for every axis and position. These slabs
// bound all points of the group, and their logarithms add up to a guess of what a cut leaves open
// on both sides. For set_search alone.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/set_nodes.h"

namespace phaze::search {

// Where points are, by their number.
struct SetPoints {
  std::size_t axes = 0;
  SetPositions positions;  // of points, axis by axis

  SetPosition at(std::uint32_t point, std::size_t axis) const {
    return positions[point * axes + axis];
  }
};

// Tops of a group with one axis lowered, by axis and position: bounds of all that is no higher.
struct Slabs {
  std::vector<std::vector<double>> bounds;  // amounts
};

// Of a group's top, whose amount is at most `bound`, each axis that grows lowered to each position.
// `most` bounds other tops; several threads ask at once.
Slabs bound_slabs(const SetPositions& top, const std::vector<bool>& grows, double bound,
                  const std::function<double(const SetPositions& top)>& most);

// No point up to the top has more.
double slab_bound(const Slabs& slabs, const SetPositions& top);

// The point that is likely to be worth most.
std::uint32_t likeliest_point(const SetPoints& all, std::span<const std::uint32_t> points,
                              const Slabs& slabs,
                              const std::function<double(std::uint32_t point)>& price_of);

struct SetCut {
  std::size_t axis = 0;
  SetPosition last = 0;  // of the lower part
};
// The axis and position that promise most; `enough`: the amount that is of use. Two points differ
// somewhere.
SetCut find_cut(const SetPoints& all, std::span<const std::uint32_t> points,
                const SetPositions& top, const Slabs& slabs, double enough);

}  // namespace phaze::search
