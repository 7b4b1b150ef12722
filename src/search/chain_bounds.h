#pragma once
// Chains whose layers take no longer than any schedule of their operators: what no plan beats is
// known from them without a schedule. docs/models.md, section 23.

#include <array>
#include <optional>
#include <vector>

#include "search/chain_profile.h"
#include "search/cluster_costs.h"

namespace phaze::search {

// The tasks of every layer and way to recompute.
struct GraphTasks {
  struct Passes {
    LayerTasks forward, backward;
  };
  std::vector<std::array<std::optional<Passes>, plan::kRecomputes>> layers;
};
GraphTasks find_graph_tasks(const ChainGraphs& graphs);

// Of one micro-batch through all layers without recomputation and network; nothing where the chip
// cannot run them. `context`: without network.
std::optional<Seconds> bound_microbatch(const cost::CostContext& context, const ChainGraphs& graphs,
                                        const GraphTasks& tasks);

// What the planner asks for, with such chains. What is pointed at must stay.
class BoundCosts : public ClusterCosts {
 public:
  BoundCosts(const ProfileRequest& request, std::int64_t width, const ChainGraphs& graphs,
             const GraphTasks& tasks)
      : ClusterCosts(request, {width}), graphs_(graphs), tasks_(tasks) {}

 protected:
  ChainOrReason make_chain(const ChainShape& shape) override;

 private:
  const ChainGraphs& graphs_;
  const GraphTasks& tasks_;
};

}  // namespace phaze::search
