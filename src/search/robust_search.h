#pragma once
// How often, and by how much, another chip would win if constants were other ones. docs/models.md,
// section 30.

#include <functional>

#include "plan/robustness.h"
#include "search/chip_search.h"
#include "search/robust_draws.h"

namespace phaze::search {

struct RobustOptions {
  std::int64_t draws = 200;
  std::uint64_t seed = 1;
  Uncertainty uncertainty;
  std::size_t most_rivals = 200;  // of chips that could win, those with the highest bounds
  bool use_bounds = true;         // false: every rival is evaluated in every draw; the same answer
  // Told how many draws are done; stops when it says so.
  std::function<bool(std::int64_t done)> is_cancelled;
};

// Of the common chip where there are several models, otherwise of the model's own. The answer must
// be complete and have one. The same whatever the number of threads.
plan::Robustness find_robustness(const SearchQuestion& question, const SearchAnswer& answer,
                                 const RobustOptions& options);

}  // namespace phaze::search
