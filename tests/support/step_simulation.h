#pragma once
// A second way to find the peak memory of a training step: every execution of every layer runs,
// operator by operator, on buffers that are freed when their last holder lets go of them, as
// objects of a program are. Knows nothing of blocks and last uses; for small models only.

#include "graph/memory.h"

namespace phaze::tests {

// The same figures as compute_peak_memory.
graph::PeakMemory simulate_step(const graph::Model& training_model,
                                const graph::MemoryOptions& options);

// The most that is alive at once of all that comes and goes but gradients of parameters: what a
// step takes beside those, when they are there from the start.
Bytes simulate_activations(const graph::Model& training_model, graph::Allocation allocation);

}  // namespace phaze::tests
