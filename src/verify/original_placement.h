#pragma once
// Checks an answer to the original Phaze's placement problem, by code of its own (docs/models.md,
// section 17).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/original_placement.h"

namespace phaze::verify {

// A placement from nothing but its cuts and its degree: stages that end where `ends` says (each at
// least one layer, the last at the end of the chain), on as few devices as each needs. Loads come
// from walking through the passes of every stage, layer by layer and tensor by tensor. Whether it
// fits is not asked. O(layers + edges).
plan::OriginalPlacement walk_placement(const plan::OriginalInstance& instance,
                                       const plan::OriginalGraph& graph,
                                       const std::vector<std::size_t>& ends,
                                       std::int64_t data_parallel);

// Why a placement cannot be: a stage needs more memory than there is or has fewer devices than it
// needs, there are more devices or pipelines than there can be. Empty when it can.
std::vector<std::string> find_obstacles(const plan::OriginalInstance& instance,
                                        const plan::OriginalPlacement& placement);

// What is wrong with an answer, or with what it claims; empty when it is sound. Whatever the fields
// hold, this says so and does not throw.
//
// The best placement is one: every layer in one stage, in the order of the chain, with obstacles of
// no kind, with the loads, memory and times that follow; likewise the fixed strategy's. The best is
// as fast as the best of its width and not slower than those of the others, nor than the fixed
// strategy, nor than plain placements made here (1, 2, 4, ... stages of equal numbers of layers, at
// the lowest and the highest degree, at every width); and there is a best one where one of these
// fits. O((layers + edges) log layers) for each width.
std::vector<std::string> find_faults(const plan::OriginalInstance& instance,
                                     const plan::OriginalAnswer& answer);

}  // namespace phaze::verify
