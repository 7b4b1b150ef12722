#pragma once
// The chips of a space as bits, and those of them that no step up leads out of: for spaces of
// millions of chips, where a list of all would be too long to work on.

#include <cstdint>
#include <optional>
#include <vector>

#include "space/space.h"

namespace phaze::space {

// Which indices are within the limits of a space.
class WithinChips {
 public:
  // The same whatever the number of threads. A bit for each combination.
  WithinChips(const Space& space, int threads);

  bool has(std::int64_t index) const {
    return (bits_[static_cast<std::size_t>(index >> 6)] >> (index & 63) & 1) != 0;
  }
  std::int64_t count() const { return count_; }
  std::int64_t combinations() const { return combinations_; }

 private:
  std::vector<std::uint64_t> bits_;
  std::int64_t combinations_ = 0, count_ = 0;
};

// Steps from a chip to the next value of an axis on which more is never slower.
class StepsUp {
 public:
  explicit StepsUp(const Space& space);

  // A chip one step up that is within, the last such axis first: it is never slower. Nothing where
  // every step leads out.
  std::optional<std::int64_t> above(const WithinChips& within, std::int64_t index) const;

 private:
  struct Step {
    std::int64_t stride, size;
  };
  std::vector<Step> steps_;
};

// Chips within that have no step up, by index. Every other one is no faster than one of them: a
// step up leads to a chip that is within and no slower, and steps come to an end.
std::vector<std::int64_t> list_maximal(const Space& space, const WithinChips& within, int threads);

}  // namespace phaze::space
