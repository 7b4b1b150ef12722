#pragma once
// Checks a training plan by code of its own: that it covers the model, that its numbers are those
// of its layers and add up, and that it fits where it says so. Whether it is the best is not asked.
// docs/models.md, section 18.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/training_plan.h"

namespace phaze::verify {

// What a plan was made for.
struct PlanTerms {
  std::int64_t devices = 1;
  std::int64_t global_batch = 1;  // sequences
  Bytes capacity;                 // of a device
  Bytes other;                    // of it, that no plan can use
  plan::StateBytes states;
  Seconds bound;  // no plan takes less
};

// What is wrong with a plan for a chain, in words; empty when it is sound. Whatever the fields
// hold, this says so and does not throw. O(layers of the chain, repeats counted).
std::vector<std::string> find_faults(const PlanTerms& terms, const plan::Chain& chain,
                                     const plan::TrainingPlan& plan);

}  // namespace phaze::verify
