#pragma once
// A second look at a finished search, by other ways than its own.

#include <string>
#include <vector>

#include "search/chip_search.h"

namespace phaze::search {

// Chips that were excluded by a bound are planned from scratch, without bounds or shared work: none
// may be better. Chips that were excluded by another must have no more of anything than that one,
// and it must be within the limits of the space; a sample of them is planned from scratch too. What
// was done, in lines; a fault ends the program.
std::vector<std::string> verify_search(const SearchQuestion& question, const SearchAnswer& answer);

}  // namespace phaze::search
