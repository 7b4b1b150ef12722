#pragma once
// All chips of a space that are within its filters and budgets, in the order of their indices.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "space/limits.h"
#include "space/space.h"

namespace phaze::space {

// A chip within; `chip` stays for the call only and has no name of its own.
using ChipVisitor =
    std::function<void(std::int64_t index, const hw::Chip& chip, SquareMillimetres area)>;

// Of indices from `first` to before `last`.
void visit_chips(const Space& space, std::int64_t first, std::int64_t last,
                 const ChipVisitor& visit);

// Their indices: 8 bytes a chip.
std::vector<std::int64_t> list_chips(const Space& space, int threads = 1);

struct SpaceCount {
  std::int64_t combinations = 0;
  std::int64_t chips = 0;                           // within
  std::array<std::int64_t, kLimits> removed{};      // by the first limit that each chip breaks
  std::vector<std::vector<std::int64_t>> by_value;  // chips within, by axis and its values
};
// The same whatever the number of threads.
SpaceCount count_chips(const Space& space, int threads = 1);

}  // namespace phaze::space
