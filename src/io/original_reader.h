#pragma once
// Placement problems of the original Phaze from its own files (docs/formats.md).

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/diagnostics.h"
#include "io/document.h"
#include "plan/original_placement.h"

namespace phaze::io {

inline constexpr std::size_t kMostOriginalLayers = 4'000;
inline constexpr std::int64_t kMostOriginalDevices = 10'000'000;
inline constexpr std::int64_t kMostOriginalMicrobatches = 1'000'000'000;

// Everything that makes no sense is a fault, and all faults are reported. What comes back is sound:
// widths ascend, all have the same layers and edges, ids are unique, and the layers form a chain.
std::optional<plan::OriginalInstance> read_original_instance(const Value& document,
                                                             Diagnostics& diagnostics);

}  // namespace phaze::io
