#include "search/chain_profile.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cost/estimate.h"

namespace phaze::search {

cost::CostContext chain_context(const ProfileRequest& request, const ChainShape& shape,
                                const ChainGraphs& graphs) {
  cost::CostContext context = request.context;
  context.network.reset();
  if (shape.tensor > 1 && request.cluster != nullptr) {
    CHECK(cost::group_size(shape.tensor_group) == shape.tensor, "a group has the tensor width");
    context.network = cost::Network{request.cluster, shape.tensor_group};
  }
  context.kernels = graphs.has_library_kernels ? cost::Kernels::kLibrary : cost::Kernels::kTuned;
  return context;
}

namespace {

// Adding fresh gradients to those that are there. A tuned stack's products read what they add to;
// others write theirs first, and an operator reads both and writes the sum.
Seconds accumulation(const ProfileRequest& request, std::int64_t parameters) {
  const hw::Chip& chip = *request.context.chip;
  const auto total =
      static_cast<double>(graph::bytes_per_element(gradient_type(request.training.precision)));
  const auto fresh =
      static_cast<double>(graph::bytes_per_element(weight_type(request.training.precision)));
  const double each = request.build.execution == models::Execution::kFused ? total : 3 * fresh;
  return Seconds(static_cast<double>(parameters) * each /
                 (hw::hbm_bandwidth(chip).value() * chip.sustained.hbm));
}

plan::Chain price(const cost::CostContext& context, const ChainGraphs& graphs,
                  const ProfileRequest& request) {
  // A graph file that holds its backward pass offers nothing else, and adds nothing up.
  const auto* given = std::get_if<graph::Model>(request.model);
  const bool is_complete = given != nullptr && graph::is_training(*given);
  plan::Chain chain;
  chain.boundary = graphs.boundary;
  chain.tied_parameters = graphs.tied_parameters;
  for (const ChainGraphs::ChainLayer& layer : graphs.layers) {
    plan::ChainLayer& added = chain.layers.emplace_back();
    const graph::Layer& plain = layer.ways.front()->layer;
    added.name = plain.name;
    added.repeat = plain.repeat;
    added.parameters = layer.parameters;
    added.constants = layer.constants;
    added.flops = layer.flops;
    added.run_flops = layer.run_flops;
    added.accumulation = is_complete ? Seconds() : accumulation(request, layer.parameters);
    for (std::size_t way = 0; way < plan::kRecomputes; ++way) {
      if (!layer.ways[way]) {
        continue;
      }
      const PricedLayer priced = price_layer(context, layer.ways[way]->layer, request.scheduling);
      chain.schedule_gap = std::max(chain.schedule_gap, priced.schedule_gap);
      plan::LayerWork work = priced.work;
      work.saved = layer.ways[way]->saved;
      work.transient = layer.ways[way]->transient;
      work.recompute_flops = layer.ways[way]->recompute_flops;
      added.work[way] = work;
      if (way == 0) {
        added.optimizer = priced.optimizer;
      }
    }
  }
  if (!chain.layers.empty()) {
    // The host fetches a micro-batch and looks at its loss.
    chain.layers.back().work.front()->forward += context.chip->host_microbatch;
  }
  return chain;
}

}  // namespace

GraphsRequest graphs_request(const ProfileRequest& request, const ChainShape& shape) {
  return {request.model, request.build,           request.training,
          shape.tensor,  shape.sequence_parallel, shape.microbatch};
}

ChainOrReason price_chain(const ProfileRequest& request, const ChainShape& shape,
                          const ChainGraphs& graphs) {
  cost::CostContext context = chain_context(request, shape, graphs);
  cost::ProductMemo own;
  if (context.products == nullptr) {
    context.products = &own;
  }
  if (const auto why = cost::find_obstacle(context, graphs.model)) {
    return {std::nullopt, context.chip->name + " cannot train this: " + *why};
  }
  return {price(context, graphs, request), ""};
}

ChainOrReason compute_chain(const ProfileRequest& request, const ChainShape& shape) {
  const GraphsOrReason made = make_chain_graphs(graphs_request(request, shape));
  if (!made.graphs) {
    return {std::nullopt, made.reason};
  }
  return price_chain(request, shape, *made.graphs);
}

}  // namespace phaze::search
