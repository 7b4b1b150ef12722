#pragma once
// Spaces of chips and their sizes, as JSON.

#include <string>
#include <vector>

#include "space/enumerate.h"

namespace phaze::io {

// Sizes of one space: `phaze search --count --json`.
std::string write_space_count(const space::Space& space, const space::SpaceCount& count);
// A list of spaces, without counting what is within.
std::string write_spaces(const std::vector<space::Space>& spaces);

}  // namespace phaze::io
