#pragma once
// Strategies that experts chose for the original's models on 1024 devices: the baselines of its
// released code (Solver/baseline_configs.py).

#include <optional>
#include <string>
#include <string_view>

#include "plan/strategy.h"

namespace phaze::cli {

// Stages, data and tensor width only.
std::optional<plan::Strategy> find_expert_strategy(std::string_view model);
// Their names, for people.
std::string expert_models();

}  // namespace phaze::cli
