#pragma once
// Chips and their figures as JSON, and a chip as a file of its own.

#include <string>
#include <vector>

#include "hw/figures.h"

namespace phaze::io {

std::string write_chip(const hw::Chip& chip, const hw::ChipFigures& figures);
std::string write_chips(const std::vector<hw::Chip>& chips,
                        const std::vector<hw::ChipFigures>& figures);

// As YAML, whole: read_chip makes the same chip of it.
std::string write_chip_file(const hw::Chip& chip);

}  // namespace phaze::io
