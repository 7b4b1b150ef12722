#pragma once
// The two kinds of stages: those that hold a tensor-parallel layer, and run on as many devices as
// the width, and those on one device. Inside place/ only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::place::original {

// One of the two kinds is counted: the one with fewer layers.
struct StageKinds {
  std::int64_t counted_devices = 1, other_devices = 1;  // of a stage
  std::size_t most_counted = 0;                         // 0: all stages are of the other kind
  bool counts_wide = false;

  std::int64_t devices(std::size_t stages, std::size_t counted) const {
    return static_cast<std::int64_t>(counted) * counted_devices +
           static_cast<std::int64_t>(stages - counted) * other_devices;
  }
};

// Can there be stages of both kinds?
bool is_mixed(const plan::OriginalGraph& graph);

// All stages on as many devices as the widest needs.
StageKinds equal_kinds(const plan::OriginalGraph& graph);
// Of a mixed chain.
StageKinds mixed_kinds(const plan::OriginalGraph& graph);

// The fewest devices of pipelines of 0, 1, 2, ... stages, as long as there are that many.
std::vector<std::int64_t> fewest_devices(const plan::OriginalInstance& instance,
                                         const plan::OriginalGraph& graph, const StageKinds& kinds);

}  // namespace phaze::place::original
