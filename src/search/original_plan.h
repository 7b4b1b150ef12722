#pragma once
// The best training plan under the original's cost function, from what layers take on a chip: a
// placement problem for each micro-batch and for storing or recomputing activations, solved by
// place/original. Pure and quick (about a millisecond a problem): a search over chips calls it for
// every chip. docs/models.md, section 20.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/original_placement.h"
#include "plan/training_plan.h"
#include "search/original_layers.h"

namespace phaze::search {

struct OriginalTerms {
  std::int64_t devices = 1;
  std::int64_t global_batch = 1;  // sequences
  Bytes memory;                   // of a device, all of it
  BytesPerSecond bandwidth;       // of every link
  Bytes parameter;                // of one weight
  plan::OriginalOptimizer optimizer = plan::OriginalOptimizer::kSgd;
  bool store = true, recompute = true;  // which of the two may be chosen
  // Stages, data and tensor widths by hand, the layers spread evenly; priced even when they do not
  // fit, with the least that is missing.
  std::optional<plan::FixedStrategy> fixed;
  bool use_bounds = true;  // skip problems that cannot beat the best one found; keeps the answer
};

// The problem that the best plan solves, with its answer: what verify/original_placement checks.
struct OriginalPlan {
  std::size_t chain = 0;  // of the chains that it was made from
  plan::OriginalInstance instance;
  plan::OriginalAnswer answer;
  plan::OriginalPlacement placement;  // the answer's best, or its fixed strategy
  plan::TrainingPlan plan;
};

struct OriginalPlanAnswer {
  // Of equal times: the smallest micro-batch, stored rather than recomputed, the smallest width,
  // the fewest stages. With a fixed strategy it may not fit; without one it does.
  std::optional<OriginalPlan> best;
  std::int64_t problems = 0, solved = 0;  // micro-batches x (store, recompute); not excluded
  std::int64_t work = 0;                  // stages that searches looked at
  std::string reason;                     // of a fixed strategy: why it cannot be at any memory
};

// The problem of one micro-batch, with a graph for each chain of it. Layers before the first that
// repeats have negative ids. With the chains' numbers for right units; bandwidth and communication
// are the caller's.
plan::OriginalInstance make_original_instance(const std::vector<const OriginalChain*>& chains,
                                              const OriginalTerms& terms, bool recompute);

OriginalPlanAnswer solve_original_plan(const std::vector<OriginalChain>& chains,
                                       const OriginalTerms& terms);

}  // namespace phaze::search
