#pragma once
// Chips by name or file: built-in ones (data/chips, carried inside the program), files that derive
// from others, and changes from the command line.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "hw/figures.h"

namespace phaze::presets {

std::vector<std::string> chip_names();

// A built-in name or a file, with `--set` settings applied.
std::optional<hw::Chip> load_chip(const std::string& name_or_file,
                                  const std::vector<std::string>& settings,
                                  Diagnostics& diagnostics,
                                  hw::Technology technology = hw::Technology::kModern);

}  // namespace phaze::presets
