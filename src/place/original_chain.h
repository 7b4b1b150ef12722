#pragma once
// The best pipeline of a chain at one tensor-parallel width. How and why: original_chain.cpp.
// Inside place/ only.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "place/original.h"
#include "place/original_degrees.h"
#include "place/original_stages.h"
#include "plan/original_placement.h"

namespace phaze::place::original {

struct ChainBest {
  double time = 0;          // s
  std::int64_t degree = 1;  // pipelines
  std::size_t stages = 1;
  std::size_t first_end = 0;  // of the first stage
  double load = 0;            // no stage's is larger, in s
};

struct ChainOutcome {
  std::optional<ChainBest> best;  // nothing: no pipeline fits
  std::int64_t work = 0;          // stages looked at
};

ChainOutcome search_chain(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
                          const StageTable& table, const DataDegrees& degrees,
                          const OriginalOptions& options);

}  // namespace phaze::place::original
