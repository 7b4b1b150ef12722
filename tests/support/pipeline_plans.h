#pragma once
// Training plans by hand and at random.

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "plan/plan_record.h"
#include "plan/training_plan.h"

namespace phaze::tests {

struct PipelineShape {
  std::vector<double> forward, backward;  // seconds of each stage
  double transfer = 0;
  std::int64_t microbatches = 1;
  std::int64_t chunks = 1;
  bool is_gpipe = false;
  std::vector<double> shares{};  // of each chunk, adding up to 1; none: equal ones
};

// A plan of these stages: interleaved where there is more than one chunk, otherwise 1F1B.
plan::TrainingPlan plan_of(const PipelineShape& shape);

struct RandomShapes {
  std::int64_t most_stages = 8;
  std::int64_t most_rounds = 6;  // micro-batches are up to so many times the stages
  std::int64_t most_chunks = 1;  // of more than one, micro-batches are a multiple of the stages
  double spread = 0;             // passes differ by up to this share from stage to stage
  double most_transfer = 0;      // of forward and backward of a chunk together
};
PipelineShape random_shape(Rng& rng, const RandomShapes& options);

// Any plan with any figures that a file may hold.
plan::PlanRecord random_record(Rng& rng);

}  // namespace phaze::tests
