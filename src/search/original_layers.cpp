#include "search/original_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "cost/estimate.h"
#include "graph/summary.h"

namespace phaze::search {

using graph::Layer;
using graph::Model;
using graph::Operator;
using plan::LayerWork;
using plan::Recompute;

namespace {

bool is_weight_gradient(const Layer& layer, const Operator& op) {
  if (op.pass != graph::Pass::kBackward || graph::traits(op.kind).unit != graph::Unit::kTensor) {
    return false;
  }
  // That of a tied weight goes to another layer, as any gradient does.
  return op.name.ends_with(".weight_gradient") ||
         std::ranges::any_of(op.outputs, [&layer](graph::TensorId output) {
           return layer.tensors[output].role == graph::Role::kParameterGradient;
         });
}

Bytes saved_bytes(const Layer& layer) {
  Bytes sum;
  for (const graph::TensorId id : graph::compute_saved(layer)) {
    sum += graph::size_of(layer.tensors[id]);
  }
  return sum;
}

Bytes handed_over(const Layer& layer, const Layer& next) {
  const auto taken = static_cast<std::size_t>(
      std::ranges::count(next.tensors, graph::Role::kInput, &graph::Tensor::role));
  Bytes sum;
  for (std::size_t i = 0; i < std::min(taken, layer.outputs.size()); ++i) {
    sum += graph::size_of(layer.tensors[layer.outputs[i]]);
  }
  return sum;
}

OriginalGraphs::Shape make_shape(Model model, const OriginalGraphsRequest& request) {
  OriginalGraphs::Shape shape;
  shape.width = model.tensor_width;
  shape.microbatch = model.microbatch;
  shape.model = std::move(model);
  std::vector<Layer>& layers = shape.model.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    shape.flops.push_back(graph::summarise(layers[i]).model_flops);
    shape.saved.push_back(saved_bytes(layers[i]));
    shape.to_itself.push_back(handed_over(layers[i], layers[i]));
    shape.to_next.push_back(i + 1 < layers.size() ? handed_over(layers[i], layers[i + 1])
                                                  : Bytes());
  }
  if (!request.weight_gradients) {
    std::ranges::for_each(layers, drop_weight_gradients);
  }
  for (const Layer& layer : layers) {
    shape.summaries.push_back(graph::summarise(layer));
  }
  return shape;
}

// A forward pass more than `work`.
LayerWork with_recomputation(LayerWork work, Flops forward_flops) {
  const double before = (work.forward + work.backward).value();
  const double more = before > 0 ? 1 + work.forward.value() / before : 1;
  const double unproved =
      work.forward.value() * work.forward_gap + work.backward.value() * work.backward_gap;
  work.backward_gap = before > 0 ? unproved / before : 0;
  work.backward += work.forward;
  work.recompute = work.forward - work.forward_network;
  work.backward_network += work.forward_network;
  work.recompute_flops = forward_flops;
  work.tensor_busy_s *= more;
  work.vector_busy_s *= more;
  work.hbm_bytes *= more;
  work.energy = work.energy * more;
  return work;
}

plan::ChainLayer make_layer(const OriginalGraphs::Shape& shape, std::size_t index, LayerWork work) {
  const Layer& layer = shape.model.layers[index];
  const graph::LayerSummary& summary = shape.summaries[index];
  plan::ChainLayer added;
  added.name = layer.name;
  added.repeat = layer.repeat;
  added.parameters = summary.parameters;
  added.flops = shape.flops[index];
  added.run_flops = summary.forward_flops + summary.backward_flops;
  work.saved = shape.saved[index];
  added.work[static_cast<std::size_t>(Recompute::kNone)] = work;
  added.work[static_cast<std::size_t>(Recompute::kFull)] =
      with_recomputation(work, summary.forward_flops);
  return added;
}

// `work_of`: what a layer takes, by its index.
template <class WorkOf>
OriginalChain make_chain(const OriginalGraphs::Shape& shape, const WorkOf& work_of) {
  OriginalChain chain{shape.width, shape.microbatch, {}, shape.to_itself, shape.to_next};
  for (std::size_t i = 0; i < shape.model.layers.size(); ++i) {
    chain.chain.layers.push_back(make_layer(shape, i, work_of(i)));
    chain.chain.boundary =
        std::max({chain.chain.boundary, shape.to_next[i],
                  shape.model.layers[i].repeat > 1 ? shape.to_itself[i] : Bytes()});
  }
  if (!shape.summaries.empty()) {
    chain.chain.tied_parameters = shape.summaries.back().tied_parameters;
  }
  return chain;
}

}  // namespace

void drop_weight_gradients(Layer& layer) {
  IdVector<graph::OpId, Operator> kept;
  for (Operator& op : layer.operators) {
    if (!is_weight_gradient(layer, op)) {
      kept.push_back(std::move(op));
    }
  }
  layer.operators = std::move(kept);
}

OriginalGraphs make_original_graphs(const OriginalGraphsRequest& request) {
  OriginalGraphs graphs;
  if (const auto* given = std::get_if<Model>(request.model)) {
    graphs.shapes.push_back(make_shape(
        graph::is_training(*given) ? *given : graph::to_training(*given, request.training),
        request));
    return graphs;
  }
  const auto& spec = std::get<models::ModelSpec>(*request.model);
  graph::TrainingOptions training = request.training;
  training.recompute = {};
  for (const std::int64_t width : request.widths) {
    for (const std::int64_t microbatch : request.microbatches) {
      models::BuildOptions build = request.build;
      build.precision = training.precision;
      build.tensor_width = width;
      build.sequence_parallel = false;
      build.microbatch = microbatch;
      Diagnostics diagnostics;
      std::optional<Model> model = models::build_model(spec, build, diagnostics);
      if (model) {
        graphs.shapes.push_back(
            make_shape(graph::to_training(*std::move(model), training), request));
      } else {
        graphs.reason = diagnostics.all().front().message;
      }
    }
  }
  return graphs;
}

std::optional<cost::CostContext> shape_context(const OriginalGraphs::Shape& shape,
                                               const cost::CostContext& context,
                                               const hw::Cluster& cluster) {
  CHECK(cluster.levels.size() == 1, "the original knows one link for everything");
  cost::CostContext own = context;
  own.network.reset();
  if (shape.width > 1) {
    const auto group = cost::place_group(cluster, shape.width, 1, cost::Company::kAll);
    if (!group) {
      return std::nullopt;
    }
    own.network = cost::Network{&cluster, *group};
  }
  const auto fusion = shape.model.settings.find("fusion");
  own.kernels = fusion != shape.model.settings.end() && fusion->second == "none"
                    ? cost::Kernels::kLibrary
                    : cost::Kernels::kTuned;
  return own;
}

OriginalChain price_original_shape(const OriginalGraphs::Shape& shape,
                                   const cost::CostContext& context, const Scheduling& scheduling) {
  double gap = 0;
  OriginalChain chain = make_chain(shape, [&](std::size_t i) {
    const PricedLayer priced = price_layer(context, shape.model.layers[i], scheduling);
    gap = std::max(gap, priced.schedule_gap);
    return priced.work;
  });
  chain.chain.schedule_gap = gap;
  return chain;
}

OriginalChain least_original_chain(const OriginalGraphs::Shape& shape,
                                   const std::vector<LeastPasses>& least) {
  return make_chain(shape, [&](std::size_t i) {
    LayerWork work;
    work.forward = least[i].forward;
    work.backward = least[i].backward;
    return work;
  });
}

OriginalChains price_original_graphs(const OriginalGraphs& graphs, const cost::CostContext& context,
                                     const hw::Cluster& cluster, const Scheduling& scheduling) {
  OriginalChains answer;
  for (const OriginalGraphs::Shape& shape : graphs.shapes) {
    std::optional<cost::CostContext> own = shape_context(shape, context, cluster);
    if (!own) {
      continue;
    }
    cost::ProductMemo memo;
    own->products = context.products != nullptr ? context.products : &memo;
    if (const auto why = cost::find_obstacle(*own, shape.model)) {
      answer.reason = context.chip->name + " cannot train this: " + *why;
      continue;
    }
    answer.chains.push_back(price_original_shape(shape, *own, scheduling));
  }
  return answer;
}

}  // namespace phaze::search
