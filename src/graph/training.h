#pragma once
// From the forward graph of a model to that of a training step: the passes in their order.

#include "graph/fuse.h"
#include "graph/layer.h"
#include "graph/optimizer.h"
#include "graph/recompute.h"

namespace phaze::graph {

struct TrainingOptions {
  Precision precision = Precision::kMixed;
  OptimizerKind optimizer = OptimizerKind::kAdam;
  RecomputePolicy recompute;
  Fusion fusion = Fusion::kFull;
};

// Backward, recomputation, optimiser, fusion, for every layer.
Model to_training(Model forward, const TrainingOptions& options);

// Does any layer hold more than forward operators?
bool is_training(const Model& model);

}  // namespace phaze::graph
