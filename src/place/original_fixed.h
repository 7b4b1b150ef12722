#pragma once
// What a strategy by hand comes to under the same cost function. Inside place/ only.

#include "plan/original_placement.h"

namespace phaze::place::original {

plan::FixedOutcome evaluate_fixed(const plan::OriginalInstance& instance,
                                  const plan::FixedStrategy& strategy);

}  // namespace phaze::place::original
