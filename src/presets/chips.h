#pragma once
// Chips by name or file: built-in ones (data/chips, carried inside the program), files that derive
// from others, and changes from the command line.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "hw/figures.h"
#include "io/document.h"

namespace phaze::presets {

std::vector<std::string> chip_names();

// A built-in name or a file, with `--set` settings applied.
std::optional<hw::Chip> load_chip(const std::string& name_or_file,
                                  const std::vector<std::string>& settings,
                                  Diagnostics& diagnostics,
                                  hw::Technology technology = hw::Technology::kModern);

// The chip that a value in another file means: a built-in name, a file beside that one, or a whole
// description. Faults of a name have the value's place.
std::optional<hw::Chip> load_chip_inside(const io::Value& value, const std::string& file,
                                         hw::Technology technology, Diagnostics& diagnostics);

}  // namespace phaze::presets
