#pragma once
// Spaces of chips by name or file: built-in ones are in data/spaces, carried inside the program.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "space/space.h"

namespace phaze::presets {

// In the order in which they are listed.
std::vector<std::string> space_names();

std::optional<space::Space> load_space(const std::string& name_or_file, Diagnostics& diagnostics);

}  // namespace phaze::presets
