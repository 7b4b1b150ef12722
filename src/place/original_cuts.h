#pragma once
// Where to cut a chain so that no stage is slower than is known to be possible. Inside place/ only.

#include <cstddef>
#include <vector>

#include "place/original_chain.h"
#include "place/original_stages.h"

namespace phaze::place::original {

// The ends of the stages of a pipeline such as `best` describes, on as few devices as there can be
// for its first stage, number of stages and load. Ties: the earliest cuts.
std::vector<std::size_t> cut_chain(const StageTable& table, std::int64_t width,
                                   const ChainBest& best);

}  // namespace phaze::place::original
