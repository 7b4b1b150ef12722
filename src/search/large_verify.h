#pragma once
// A second look at a finished search over a large space: every chip within its limits is looked for
// in what the search says of it, and what bounds sets of chips is planned from scratch by
// find_plan. Throws std::logic_error where something does not hold.

#include <string>
#include <vector>

#include "search/chip_search.h"

namespace phaze::search {

// Lines that say what was looked at.
std::vector<std::string> verify_large(const SearchQuestion& question, const SearchAnswer& answer);

}  // namespace phaze::search
