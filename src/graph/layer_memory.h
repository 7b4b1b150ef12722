#pragma once
// What each layer of a model takes of a device's memory while one micro-batch passes, for plans
// that spread layers over devices. The peak of a whole step on one device is memory.h.

#include <vector>

#include "graph/allocation.h"
#include "graph/layer.h"

namespace phaze::graph {

struct LayerMemory {
  // Kept from forward to backward by one execution of the layer: its input where backward or
  // recomputation reads it, and results that nobody takes (the loss). What several layers share is
  // the first one's that reads it.
  Bytes saved;
  // The most that is alive beside what this layer and those before it save, parameters, their
  // gradients and states, while it runs in either direction: what it hands on, gradients that come
  // in, what kernels allocate, and tensors that it shares with other layers.
  Bytes transient;
  // Of that, tensors that it shares with other layers (masks, rotary tables): there all the time.
  Bytes shared;

  bool operator==(const LayerMemory&) const = default;
};

// As the model's layers. With one micro-batch and all gradients of parameters there from the start,
// a step takes, beside these and what is there all the time, the most over the layers of what is
// saved up to the layer (all its executions included) and the layer's transient: never more, and
// less only where layers share tensors or executions of a layer differ. The same holds for a part
// of the chain on a device of its own, with what other micro-batches have saved besides. Requires
// verified layers. O(operators log operators), whatever the repeats.
std::vector<LayerMemory> compute_layer_memory(const Model& training_model, Allocation allocation);

}  // namespace phaze::graph
