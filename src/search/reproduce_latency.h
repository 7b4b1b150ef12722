#pragma once
// The chip of a space on which one device runs a model's passes in the least time: a search that
// knows the architecture and nothing of placement, networks between stages or HBM sizes.

#include <cstdint>
#include <functional>

#include "search/chip_search.h"

namespace phaze::search {

// The time of forward and backward of all layers with one micro-batch, at a tensor width, layers
// scheduled as in plans; collectives within layers are part of it.
struct LatencyQuestion {
  std::size_t model = 0;  // of the search's
  std::int64_t width = 1, microbatch = 1;
  bool sequence_parallel = false;  // never under the original's assumptions
};

struct LatencyAnswer {
  CoSearchAnswer search;  // values are passes a second
  Seconds latency;        // of the best chip
};

// `chips`: those of list_search_chips. Exact: every chip is evaluated or excluded; of equal times
// the chip with less area, then less cost.
LatencyAnswer find_least_latency(const SearchQuestion& question,
                                 const std::vector<SearchChip>& chips, const LatencyQuestion& asked,
                                 const SearchOptions& options = {});

}  // namespace phaze::search
