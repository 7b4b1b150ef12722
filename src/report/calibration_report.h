#pragma once
// Fitted constants and what they are worth, for people.

#include <string>

#include "plan/calibration.h"

namespace phaze::report {

std::string calibration_text(const plan::Calibration& calibration);

}  // namespace phaze::report
