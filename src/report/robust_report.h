#pragma once
// How much a search's winner depends on constants that are not known well.

#include <string>

#include "plan/robustness.h"

namespace phaze::report {

std::string robust_text(const plan::Robustness& robustness);

}  // namespace phaze::report
