#pragma once
// `phaze place --from megatron ARGS`: what a team runs today, and what the best plan would gain.

#include <string>

#include "cli/place_plan.h"

namespace phaze::cli {

// The arguments are one text, or @FILE that holds it. MODEL may be empty.
int run_from(PlanOptions options, const std::string& program, const std::string& arguments);

}  // namespace phaze::cli
