#pragma once
// The search over the chips of a large space: none of them is listed but those that no step up
// leads out of, and sets of these are bounded at once. The same answer as that of search_chips.
// docs/models.md, section 23.

#include "search/chip_search.h"

namespace phaze::search {

// Too large to work on a list of all chips?
bool is_large(const space::Space& space);

// Prices, where the objective has some, are of all chips. `options.known` and what is kept is by
// the index in the space.
SearchAnswer search_large(const SearchQuestion& question, const SearchOptions& options = {});

}  // namespace phaze::search
