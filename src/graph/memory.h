#pragma once
// Peak memory of one device over a training step, by liveness over the operators of the graph.
// What is alive when, and what an allocator makes of it: docs/models.md, "Peak memory of a step".

#include <string>
#include <string_view>

#include "graph/allocation.h"
#include "graph/layer.h"

namespace phaze::graph {

// Where in a step the peak lies. Loss: an operator of the loss, in either direction.
enum class Moment { kForward, kLoss, kRecompute, kBackward, kOptimizer };
std::string_view to_string(Moment moment);

struct MemoryOptions {
  // Buffers that kernel libraries keep: cuBLAS takes 32 MiB on Hopper for each thread that calls
  // it, the program's and autograd's; a few small ones besides.
  Bytes workspace = Bytes(std::int64_t{66} << 20);
  Allocation allocation = Allocation::kCaching;
};

// Parts are those at the peak and add up to the total.
struct PeakMemory {
  Bytes total;
  Moment moment = Moment::kOptimizer;
  std::string layer, op;    // where it happens; nothing in the optimiser, which has all layers
  Bytes parameters;         // those of other layers' that are tied here count once
  Bytes gradients;          // of parameters, as far as they have been made
  Bytes optimizer_states;   // master weights included
  Bytes saved_activations;  // made by forward and read by backward or recomputation
  Bytes constants;          // token ids, masks, rotary tables: each shape once
  Bytes transient;          // everything else, what kernels allocate while they run included
  Bytes workspace;

  bool operator==(const PeakMemory&) const = default;
};

// The peak over a step from the second one on: forward through all layers, backward with
// recomputation through all of them, then the optimiser. Gradients of parameters are made in
// backward and freed after the optimiser. Results of a layer that the next one does not take are
// what later layers share, by shape; what nobody takes stays until the layer's backward. Requires
// verified layers. O(operators log operators), whatever the repeats.
PeakMemory compute_peak_memory(const Model& training_model, const MemoryOptions& options);

}  // namespace phaze::graph
