#include "search/chain_bounds.h"

#include <algorithm>

#include "cost/estimate.h"
#include "cost/layer.h"

namespace phaze::search {
namespace {

// What a network adds is what any other network could leave out. Where operators follow one another
// and collectives may run beside products, nothing of the network is counted.
void bound_passes(const cost::CostContext& given, bool overlaps_sequence, const graph::Layer& layer,
                  const GraphTasks::Passes& tasks, plan::LayerWork& work) {
  constexpr double kLess = 1 - kDurationRounding;
  cost::CostContext context = given;
  if (overlaps_sequence && !given.chip->concurrent_operators) {
    context.network.reset();
  }
  work.forward = bound_pass(context, layer, tasks.forward) * kLess;
  work.backward = bound_pass(context, layer, tasks.backward) * kLess;
  if (context.network) {
    cost::CostContext alone = context;
    alone.network.reset();
    work.forward_network = work.forward - bound_pass(alone, layer, tasks.forward) * kLess;
    work.backward_network = work.backward - bound_pass(alone, layer, tasks.backward) * kLess;
  }
}

Seconds optimizer_time(const cost::CostContext& context, const graph::Layer& layer) {
  const auto placements = cost::compute_placements(layer, *context.chip);
  Seconds sum;
  for (const graph::OpId id : ids_of(layer.operators)) {
    const graph::Operator& op = layer.operators[id];
    if (op.pass == graph::Pass::kOptimizer) {
      sum += cost::compute_operator_cost(context, layer, op, placements[id]).time;
    }
  }
  return sum;
}

}  // namespace

GraphTasks find_graph_tasks(const ChainGraphs& graphs) {
  GraphTasks tasks;
  for (const ChainGraphs::ChainLayer& layer : graphs.layers) {
    auto& added = tasks.layers.emplace_back();
    for (std::size_t way = 0; way < plan::kRecomputes; ++way) {
      if (layer.ways[way]) {
        const graph::Layer& of = layer.ways[way]->layer;
        added[way] = {find_tasks(of, plan::LayerPass::kForward),
                      find_tasks(of, plan::LayerPass::kBackward)};
      }
    }
  }
  return tasks;
}

std::optional<Seconds> bound_microbatch(const cost::CostContext& context, const ChainGraphs& graphs,
                                        const GraphTasks& tasks) {
  Seconds least;
  for (std::size_t i = 0; i < graphs.layers.size(); ++i) {
    const graph::Layer& layer = graphs.model.layers[i];
    for (const graph::OpId id : ids_of(layer.operators)) {
      const graph::Operator& op = layer.operators[id];
      if (graph::traits(op.kind).unit != graph::Unit::kNetwork &&
          cost::find_obstacle(context, layer, op)) {
        return std::nullopt;
      }
    }
    const GraphTasks::Passes& passes = *tasks.layers[i].front();
    least +=
        (bound_pass(context, layer, passes.forward) + bound_pass(context, layer, passes.backward)) *
        static_cast<double>(layer.repeat);
  }
  return least;
}

ChainOrReason BoundCosts::make_chain(const ChainShape& shape) {
  const cost::CostContext context = chain_context(request(), shape, graphs_);
  if (const auto why = cost::find_obstacle(context, graphs_.model)) {
    return {std::nullopt, *why};
  }
  plan::Chain chain;
  chain.boundary = graphs_.boundary;
  chain.tied_parameters = graphs_.tied_parameters;
  for (std::size_t i = 0; i < graphs_.layers.size(); ++i) {
    const ChainGraphs::ChainLayer& layer = graphs_.layers[i];
    const graph::Layer& plain = layer.ways.front()->layer;
    plan::ChainLayer& added = chain.layers.emplace_back();
    added.repeat = plain.repeat;
    added.parameters = layer.parameters;
    added.constants = layer.constants;
    added.optimizer = optimizer_time(context, plain);
    for (std::size_t way = 0; way < plan::kRecomputes; ++way) {
      if (const auto& graph = layer.ways[way]) {
        plan::LayerWork& work = added.work[way].emplace();
        bound_passes(context, request().scheduling.overlaps_sequence, graph->layer,
                     *tasks_.layers[i][way], work);
        work.saved = graph->saved;
        work.transient = graph->transient;
      }
    }
  }
  return {std::move(chain), ""};
}

}  // namespace phaze::search
