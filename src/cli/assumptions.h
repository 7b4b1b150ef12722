#pragma once
// Sets of assumptions: what options mean when they are not given.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/model_options.h"

namespace phaze::cli {

enum class Assumptions {
  kModern,     // a tuned training stack of today on a network with levels
  kPhaze2024,  // those of the original: docs/models.md, section 16
};
std::string_view to_string(Assumptions assumptions);
std::optional<Assumptions> parse_assumptions(std::string_view name);

// Changes the options that were not given on the command line.
void assume(Assumptions assumptions, ModelOptions& options);

// Does nothing run beside an operator that takes all cores of a kind?
bool exclusive_wide(Assumptions assumptions);
std::string default_cluster(Assumptions assumptions);
// To go before the user's own.
std::vector<std::string> chip_settings(Assumptions assumptions);

}  // namespace phaze::cli
