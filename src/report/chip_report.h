#pragma once
// A chip for people: a drawing to scale, its rates, and what it costs.

#include <string>

#include "hw/figures.h"

namespace phaze::report {

std::string chip_text(const hw::Chip& chip, const hw::ChipFigures& figures);

}  // namespace phaze::report
