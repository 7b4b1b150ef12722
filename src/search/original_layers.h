#pragma once
// A model as the original's placement sees it: graphs of a training step for each tensor width and
// micro-batch, made once whatever the chip, and what their layers take on a chip. docs/models.md,
// section 20.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/summary.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "plan/training_plan.h"
#include "search/layer_work.h"

namespace phaze::search {

// Products with weights keep one gradient, that of the data, as in the original's released code.
void drop_weight_gradients(graph::Layer& layer);

// Nothing here depends on a chip.
struct OriginalGraphs {
  struct Shape {
    std::int64_t width = 1, microbatch = 1;
    graph::Model model;        // a whole step without recomputation
    std::vector<Bytes> saved;  // by layer: activations that backward reads, of one execution
    std::vector<graph::LayerSummary> summaries;  // by layer, of what runs
    std::vector<Flops> flops;                    // by layer, of the model: all gradients counted
    // By layer: what it hands to the next execution of itself, and to the layer behind it.
    std::vector<Bytes> to_itself, to_next;
  };
  std::vector<Shape> shapes;  // by width, then micro-batch; both ascend
  std::string reason;         // why there is no shape, or one less than asked for
};

struct OriginalGraphsRequest {
  const models::LoadedModel* model = nullptr;
  models::BuildOptions build;  // width and micro-batch are those below; never sequence-parallel
  graph::TrainingOptions training;
  std::vector<std::int64_t> widths, microbatches;
  bool weight_gradients = true;  // false: products have one gradient, as in the released code
};

// Shapes that the model can be cut into; of a graph file its own. Weight gradients that are left
// out still have their memory.
OriginalGraphs make_original_graphs(const OriginalGraphsRequest& request);

// The layers of one shape on a chip.
struct OriginalChain {
  std::int64_t width = 1, microbatch = 1;
  // With no recomputation and with all of it: a forward pass once more, of which `recompute` leaves
  // out the network. Cores are as busy in it as in both passes on average. Nothing is transient:
  // the original counts what is saved alone.
  plan::Chain chain;
  std::vector<Bytes> to_itself, to_next;
};

struct OriginalChains {
  std::vector<OriginalChain> chains;  // as the shapes
  std::string reason;                 // without chains: why the chip cannot run the model
};

// What prices one shape: with the network of its tensor-parallel group; nothing where the cluster
// has no place for one. `context` is of one device.
std::optional<cost::CostContext> shape_context(const OriginalGraphs::Shape& shape,
                                               const cost::CostContext& context,
                                               const hw::Cluster& cluster);
// Needs a shape without obstacles (cost::find_obstacle) in its own context.
OriginalChain price_original_shape(const OriginalGraphs::Shape& shape,
                                   const cost::CostContext& context, const Scheduling& scheduling);

// What no schedule of a layer's passes beats.
struct LeastPasses {
  Seconds forward, backward;
};
// The layers of one shape with these times; by layer. For plans alone: what takes no time of a plan
// is left out.
OriginalChain least_original_chain(const OriginalGraphs::Shape& shape,
                                   const std::vector<LeastPasses>& least);

// `context`: of one device without network; `cluster`: of one level, for tensor-parallel groups.
OriginalChains price_original_graphs(const OriginalGraphs& graphs, const cost::CostContext& context,
                                     const hw::Cluster& cluster, const Scheduling& scheduling);

}  // namespace phaze::search
