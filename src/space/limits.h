#pragma once
// Why a chip of a space is left out: filters, what cannot be built, budgets.

#include <array>
#include <optional>
#include <string_view>

#include "space/space.h"

namespace phaze::space {

// In the order in which they are looked at: a chip counts for the first that it breaks.
enum class Limit {
  kFilters,     // the space's own
  kParts,       // parts that do not go together (see is_sound)
  kArea,        // budget
  kLeastArea,   // the space's own
  kReticle,     // a die beyond 858 mm2; modern technology only
  kMemoryEdge,  // more HBM stacks than the dies' edges have room for; modern technology only
  kPower,       // budget
  kDieCost,     // budget
};
inline constexpr std::size_t kLimits = 8;

std::string_view to_string(Limit limit);  // "memory_edge"
std::string_view described(Limit limit);  // "more HBM stacks than ..."

// Do its parts go together? Local buffers no larger than the global one, HBM no faster than its
// generation, cores in equal numbers on every die, some size of memory to try.
bool is_sound(const Space& space, const hw::Chip& chip);

struct Verdict {
  std::optional<Limit> limit;  // nothing: the chip is within
  SquareMillimetres area;      // known from kArea on
};
Verdict judge(const Space& space, const hw::Chip& chip);

}  // namespace phaze::space
