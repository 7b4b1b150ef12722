#pragma once
// `phaze search --report`: the page of a search that has just ended.

#include <string>

#include "base/diagnostics.h"
#include "cli/search_rows.h"
#include "search/chip_search.h"

namespace phaze::cli {

// `json` is the answer as it is printed, with details of its plans; `values` what was found of
// chips. Of a search that was stopped the page has the chips that were settled.
bool write_search_page(const std::string& path, const search::SearchQuestion& question,
                       const search::SearchAnswer& answer, const ChipValues& values,
                       const std::string& json, Diagnostics& diagnostics);

}  // namespace phaze::cli
