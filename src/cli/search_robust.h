#pragma once
// `phaze search --robust`: the winner under other constants.

#include "cli/search_run.h"
#include "plan/robustness.h"

namespace phaze::cli {

// With what validation knows of errors (data/errors.csv), shown as it goes; Ctrl-C stops it.
plan::Robustness look_at_robustness(const ChipSearchOptions& options,
                                    const search::SearchQuestion& question,
                                    const search::SearchAnswer& answer);

}  // namespace phaze::cli
