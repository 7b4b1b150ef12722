#pragma once
// What a stack of HBM gives at most, by generation. Sources: docs/models.md 8.3.

#include "hw/chip.h"

namespace phaze::hw {

// 1024 data pins at the fastest rate that was shipped.
BytesPerSecond most_stack_bandwidth(HbmGeneration generation);
// The most dies in a stack times the largest die.
Bytes most_stack_capacity(HbmGeneration generation);

// Is the bandwidth of a stack more than its generation gives? Published figures are rounded: a
// thousandth more is not.
bool is_beyond_generation(const Hbm& hbm);

}  // namespace phaze::hw
