#pragma once
// The chips that the paper's evaluation chooses from, and one of them, as its tables show them.

#include <string>
#include <vector>

#include "plan/reproduction.h"
#include "search/search_question.h"

namespace phaze::search {

plan::ReproducedChip describe_chip(const SearchQuestion& question, const std::string& name,
                                   const hw::Chip& chip);

// `chips`: those of list_search_chips, at least one.
plan::ReproducedSpace describe_space(const SearchQuestion& question,
                                     const std::vector<SearchChip>& chips);

}  // namespace phaze::search
