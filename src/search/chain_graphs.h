#pragma once
// The graphs that a chain of layers is priced from: a model for one tensor width and micro-batch
// with every way to recompute. Nothing here depends on a chip, so that a search over chips makes
// them once.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "plan/training_plan.h"

namespace phaze::search {

struct GraphsRequest {
  const models::LoadedModel* model = nullptr;
  // Precision is training's; tensor width, sequence parallelism and micro-batch are those below.
  models::BuildOptions build;
  graph::TrainingOptions training;  // recomputation is not looked at: all ways are offered
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t microbatch = 1;
};

struct ChainGraphs {
  // Of a layer that recomputes in some way.
  struct Way {
    graph::Layer layer;  // its whole training step
    Bytes saved, transient;
    Flops recompute_flops;
  };
  struct ChainLayer {
    std::int64_t parameters = 0;
    Bytes constants;
    // By way to recompute, the first always; nothing where it is not offered.
    std::array<std::optional<Way>, plan::kRecomputes> ways;
    Flops flops, run_flops;
  };
  std::vector<ChainLayer> layers;
  graph::Model model;  // without recomputation: settings, and what a chip must be able to run
  bool has_library_kernels = false;
  Bytes boundary;
  std::int64_t tied_parameters = 0;
};

struct GraphsOrReason {
  std::optional<ChainGraphs> graphs;
  std::string reason;  // why there are none: the model cannot be cut so
};

// As compute_chain in chain_profile.h says.
GraphsOrReason make_chain_graphs(const GraphsRequest& request);

}  // namespace phaze::search
