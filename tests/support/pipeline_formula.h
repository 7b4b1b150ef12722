#pragma once
// The time of a pipeline by formulas (docs/models.md, 19.4), to hold against its simulation.

#include "support/pipeline_plans.h"

namespace phaze::tests {

// Fill and drain, and so many periods as there are further micro-batches, where a period is the
// slowest stage.
double formula_without_transfer_limit(const PipelineShape& shape);
// The same, where a period is also no shorter than what the micro-batches in flight allow.
double formula_with_period(const PipelineShape& shape);

// The longest of the paths that matter, for uneven stages too: [19.1] to [19.4].
double formula_of_paths(const PipelineShape& shape);

}  // namespace phaze::tests
