#pragma once
// The scatter of measurements themselves: no prediction can be closer to them than that.
// docs/models.md, section 26.2.

#include <vector>

#include "plan/validation.h"

namespace phaze::trust {

// From iteration times alone. Rows that are equal in all but time repeat one another. Time grows in
// proportion with layers and with the batch where all else is equal: a row between two such
// neighbours is off by its distance from the line between them.
plan::NoiseFloor find_noise(const std::vector<plan::ValidatedRun>& runs);

}  // namespace phaze::trust
