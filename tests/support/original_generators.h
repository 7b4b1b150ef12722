#pragma once
// Random placement problems of the original Phaze, the same for the same seed everywhere.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/original_placement.h"

namespace phaze::tests {

struct OriginalInstanceOptions {
  std::size_t least_layers = 1, most_layers = 8;
  std::int64_t most_devices = 14;
  std::int64_t most_microbatches = 40;
  std::optional<bool> mixed;  // some layers tensor-parallel, some not; nothing: any
  bool skips = true;          // some edges pass over layers
};

// One to three widths; times small and whole, alike, or spread over orders of magnitude; memory
// from too little to plenty; transfers from nothing to more than the compute.
plan::OriginalInstance random_original_instance(std::uint64_t seed,
                                                const OriginalInstanceOptions& options = {});

}  // namespace phaze::tests
