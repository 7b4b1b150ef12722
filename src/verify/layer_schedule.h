#pragma once
// Checks the schedule of a layer on a chip.

#include <string>
#include <vector>

#include "plan/schedule.h"

namespace phaze::verify {

// What is wrong with it; empty when it is sound: on the cores of the chip (find_faults of
// schedule.h), and on those that single tasks may take, for which the bound and status must hold.
std::vector<std::string> find_faults(const plan::LayerSchedule& layer);

}  // namespace phaze::verify
