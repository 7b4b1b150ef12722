#pragma once
// From a model on a chip to the chain of layers that placement sees: graphs built, operators
// priced, memory counted, for every way to recompute.

#include <cstdint>
#include <optional>
#include <string>

#include "cost/group.h"
#include "cost/operator.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "plan/training_plan.h"
#include "search/chain_graphs.h"
#include "search/layer_work.h"

namespace phaze::search {

// What is the same for all chains of a plan. What is pointed at must outlive the request.
struct ProfileRequest {
  const models::LoadedModel* model = nullptr;
  // Precision is training's; tensor width, sequence parallelism and micro-batch are the shape's.
  models::BuildOptions build;
  graph::TrainingOptions training;       // recomputation is not looked at: all ways are offered
  cost::CostContext context;             // of one device, without network; kernels are the graph's
  const hw::Cluster* cluster = nullptr;  // of the tensor-parallel devices, where there are several
  Scheduling scheduling;
};

struct ChainShape {
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t microbatch = 1;
  cost::Group tensor_group;  // of `tensor` devices on the cluster
};

struct ChainOrReason {
  std::optional<plan::Chain> chain;
  std::string reason;  // why there is none: the model cannot be cut so, or the chip cannot run it
};

// A graph file has its width and micro-batch built in: nothing for others; one that holds its
// backward pass offers that alone, as if nothing were recomputed. A way to recompute is offered for
// a layer when it saves at least a hundredth less than the ways before it. An encoder's layers come
// before the decoder's; the boundary is the largest that a layer hands to the next.
ChainOrReason compute_chain(const ProfileRequest& request, const ChainShape& shape);

// The same in two steps: graphs are made once for all chips. `graphs`: of the same model, training
// and shape.
GraphsRequest graphs_request(const ProfileRequest& request, const ChainShape& shape);
// The request's context with the shape's network and the kernels of the graphs.
cost::CostContext chain_context(const ProfileRequest& request, const ChainShape& shape,
                                const ChainGraphs& graphs);
ChainOrReason price_chain(const ProfileRequest& request, const ChainShape& shape,
                          const ChainGraphs& graphs);

}  // namespace phaze::search
