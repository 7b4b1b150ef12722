#pragma once
// The tensors that pass between the layers of a chain, and what of them crosses the ends of a
// stage. Inside place/ only.

#include <cstddef>
#include <span>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::place::original {

// Transfers do not share links: a stage waits for the longest.
struct Crossing {
  double longest = 0;  // s
  double bytes = 0;    // sum
};

class ChainTensors {
 public:
  ChainTensors(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph);

  // What `layer` reads from layers before `begin`.
  Crossing from_before(std::size_t layer, std::size_t begin) const;
  // What `layer` hands on to layers from `end` on.
  Crossing to_beyond(std::size_t layer, std::size_t end) const;

 private:
  // Of one layer, the farthest other end first; each entry counts those before it too.
  struct Entry {
    std::size_t other = 0;
    Crossing crossing;
  };
  struct Side {
    std::vector<std::size_t> offsets;
    std::vector<Entry> entries;

    std::span<const Entry> of(std::size_t layer) const {
      return {entries.data() + offsets[layer], offsets[layer + 1] - offsets[layer]};
    }
  };

  Side incoming_, outgoing_;
};

}  // namespace phaze::place::original
