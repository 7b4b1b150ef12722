#pragma once
// The time of a pipeline as the longest path through a graph of its passes and transfers: the
// definition that the event simulation is held to where flows do not share links. No code in common
// with it.

#include "support/pipeline_plans.h"

namespace phaze::tests {

enum class Transfers {
  kAlone,    // each takes shape.transfer, whatever else is on the link
  kInOrder,  // those from one stage to the next, or to the previous, go one after another
};

// From the first forward to the end of the last backward of each stage. Throws when passes wait for
// one another.
std::vector<double> stage_ends(const PipelineShape& shape, Transfers transfers = Transfers::kAlone);
double longest_path(const PipelineShape& shape, Transfers transfers = Transfers::kAlone);

}  // namespace phaze::tests
