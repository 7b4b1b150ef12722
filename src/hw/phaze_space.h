#pragma once
// The original's chips: Phaze 2024 enumerates powers of two and keeps what fits its area.

#include <vector>

#include "hw/chip.h"

namespace phaze::hw {

// That of its reference chip, in the phaze22 area model.
inline constexpr SquareMillimetres kPhazeAreaLimit(278.826676312);

// Core counts 1..4096, widths and depths 2..256, global buffers 2..128 MiB, lanes as wide as the
// tensor cores; area at most the limit and, where both core counts exceed one, at least 30 % of it.
// 29,360 chips in the order of tensor cores, vector cores, width, depth, buffer. HBM, clock and
// everything else are those of `base`.
std::vector<Chip> enumerate_phaze_chips(const Chip& base);

}  // namespace phaze::hw
