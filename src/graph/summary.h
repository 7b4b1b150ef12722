#pragma once
// What follows from a layer's graph: counts that other parts and people rely on.

#include <vector>

#include "graph/layer.h"

namespace phaze::graph {

// The storages that the forward pass must keep for backward: what recompute and backward operators
// read of what forward operators wrote, or of the layer's input. Each storage once, however many
// views of it are read. Parameters, constants and tensors shared between layers are not among them.
std::vector<TensorId> compute_saved(const Layer& layer);

// The same for tensors shared between layers, which are kept once for all of them.
std::vector<TensorId> compute_saved_shared(const Layer& layer);

struct LayerSummary {
  std::int64_t parameters = 0;       // that the layer owns
  std::int64_t tied_parameters = 0;  // that it uses and another layer owns
  Flops forward_flops;               // matrix FLOPs that run
  Flops backward_flops;              // recomputation included
  Flops recompute_flops;
  Flops model_flops;  // forward and backward as papers count: see nominal_flops
  Flops forward_vector_flops;
  Flops backward_vector_flops;
  Bytes saved_activation_bytes;
};

LayerSummary summarise(const Layer& layer);

struct ModelSummary {
  std::int64_t parameters = 0;  // of what the graph holds: one device's shard
  Flops forward_flops;
  Flops backward_flops;
  Flops model_flops;
  Bytes saved_activation_bytes;
};

// Sums over layers and their repeats.
ModelSummary summarise(const Model& model);

}  // namespace phaze::graph
