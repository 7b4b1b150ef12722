#pragma once
// `phaze search --csv`: a row for each chip that was looked at, a column for each figure, with its
// unit in its name. docs/formats.md.

#include "cli/search_rows.h"
#include "plan/data_table.h"

namespace phaze::cli {

// `values`: what is known of each model by the number of a chip, of large spaces by its index.
plan::DataTable make_search_table(const search::SearchQuestion& question,
                                  const search::SearchAnswer& answer, const KnownValues& values);

}  // namespace phaze::cli
