#pragma once
// The original Phaze's placement problem by trying everything.

#include <optional>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::tests {

// The best time of every width over all cuts of the chain and all data-parallel degrees, each
// placement walked through from scratch; nothing where none fits. For chains of a few layers.
std::vector<std::optional<Seconds>> best_times_by_brute_force(
    const plan::OriginalInstance& instance);

}  // namespace phaze::tests
