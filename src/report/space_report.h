#pragma once
// Spaces of chips for people.

#include <string>

#include "space/enumerate.h"

namespace phaze::report {

// How large a space is, what each limit leaves out, and its axes.
std::string space_count_text(const space::Space& space, const space::SpaceCount& count);

}  // namespace phaze::report
