#pragma once
// From the answer of a search over chips to its record: plans of the best chips, made anew by
// `find_plan` and held to what the search found; rivals and why they lost; a step of each field.

#include "plan/search_record.h"
#include "search/chip_search.h"

namespace phaze::search {

plan::SearchRecord make_search_record(const SearchQuestion& question, const SearchAnswer& answer);
void add_front(const SearchQuestion& question, const SearchFront& front,
               plan::SearchRecord& record);

}  // namespace phaze::search
