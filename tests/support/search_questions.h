#pragma once
// Small questions for searches over chips: spaces of some dozen chips with memory that matters.

#include <string>
#include <vector>

#include "search/chip_search.h"

namespace phaze::tests {

// Chips of phaze2024 with 4 or 16 tensor cores, some too large, within 278.8 mm2; HBM of 1 or 2
// GiB; micro-batches of 1 and 2, tensor widths 1 and 2.
space::Space small_space();

// Trained under the original's assumptions on a few devices, with short sequences.
search::SearchModel small_model(const std::string& name, const space::Space& space);

// Chips of the modern space with one clock, two sizes of everything else, and HBM of 1 or 2 GiB a
// stack; and a model on them under modern assumptions.
space::Space small_modern_space();
search::SearchModel small_modern_model(const std::string& name, const space::Space& space);
search::SearchQuestion small_modern_question(const std::vector<std::string>& models);

search::SearchQuestion small_question(const std::vector<std::string>& models,
                                      space::Space space = small_space());

}  // namespace phaze::tests
