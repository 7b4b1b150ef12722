#pragma once
// The time of a pipeline as the longest path through a graph of its passes: the definition that the
// event simulation is held to where transfers do not share links. No code in common with it.

#include "support/pipeline_plans.h"

namespace phaze::tests {

// From the first forward to the end of the last backward of each stage. Every transfer takes
// shape.transfer. Throws when passes wait for one another.
std::vector<double> stage_ends(const PipelineShape& shape);
double longest_path(const PipelineShape& shape);

}  // namespace phaze::tests
