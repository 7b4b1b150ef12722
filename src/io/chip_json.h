#pragma once
// Chips and their figures as JSON.

#include <string>
#include <vector>

#include "hw/figures.h"

namespace phaze::io {

std::string write_chip(const hw::Chip& chip, const hw::ChipFigures& figures);
std::string write_chips(const std::vector<hw::Chip>& chips,
                        const std::vector<hw::ChipFigures>& figures);

}  // namespace phaze::io
