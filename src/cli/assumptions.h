#pragma once
// Sets of assumptions on the command line: what options mean when they are not given.

#include <string>
#include <vector>

#include "cli/model_options.h"
#include "search/assumptions.h"

namespace phaze::cli {

using search::Assumptions;
using search::parse_assumptions;
using search::to_string;

// Changes the options that were not given on the command line.
void assume(Assumptions assumptions, ModelOptions& options);

// Does nothing run beside an operator that takes all cores of a kind?
bool exclusive_wide(Assumptions assumptions);
std::string default_cluster(Assumptions assumptions);
// To go before the user's own.
std::vector<std::string> chip_settings(Assumptions assumptions);

}  // namespace phaze::cli
