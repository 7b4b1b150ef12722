#pragma once
// What a search by sets says of the chips of a large space: how many it settled in which way, and
// the chips that it looked at one by one as a list.

#include <cstdint>

#include "search/chip_search.h"
#include "search/set_search.h"

namespace phaze::search {

// Bound and counts; `chips`: those within the limits. Outcomes: spread_outcomes().
CoSearchAnswer count_outcomes(const SetSearchAnswer& sets, std::int64_t chips);

// One list of chips for all searches of the answer, and their outcomes by it.
void spread_outcomes(const SearchQuestion& question, SearchAnswer& answer);

}  // namespace phaze::search
