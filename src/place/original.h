#pragma once
// The original Phaze's placement problem, solved exactly (docs/models.md, section 17).

#include "plan/original_placement.h"

namespace phaze::place {

struct OriginalOptions {
  // Rules that cut the search short; each keeps the optimum. They can be turned off to show it.
  bool skip_long_stages = true;     // stages that compute longer than the best slowest stage
  bool skip_deep_pipelines = true;  // more stages than can be better than the best so far
};

// The optimum over all widths, cuts and data-parallel degrees; and what the instance's fixed
// strategy comes to, if it has one. The same answer for the same input, whatever the options; of
// equal times the smallest width, then the fewest stages.
//
// Memory: layers x (longest stage + stages + tensor-parallel or other layers, whichever are fewer).
// The number of devices does not matter.
plan::OriginalAnswer solve_original(const plan::OriginalInstance& instance,
                                    const OriginalOptions& options = {});

}  // namespace phaze::place
