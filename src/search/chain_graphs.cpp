// The ways to recompute share all but the passes behind backward.h: the graph of the first way is
// changed layer by layer into those of the others.
#include "search/chain_graphs.h"

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "graph/backward.h"
#include "graph/layer_memory.h"
#include "graph/summary.h"

namespace phaze::search {

using graph::Layer;
using graph::Model;
using graph::RecomputePolicy;
using graph::TensorId;
using plan::Recompute;

namespace {

// Of a micro-batch: no device holds the activations of more, and sums of bytes stay in 64 bits.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 28;

std::string first_error(const Diagnostics& diagnostics) {
  const Diagnostic& first = diagnostics.all().front();
  return first.where.key + ": " + first.message;
}

struct ModelOrReason {
  std::optional<Model> model;
  std::string reason;
};

// The forward graph, or the whole step where a file holds it.
ModelOrReason make_model(const GraphsRequest& request) {
  if (const auto* spec = std::get_if<models::ModelSpec>(request.model)) {
    models::BuildOptions options = request.build;
    options.precision = request.training.precision;
    options.tensor_width = request.tensor;
    options.sequence_parallel = request.sequence_parallel;
    options.microbatch = request.microbatch;
    Diagnostics diagnostics;
    std::optional<Model> model = models::build_model(*spec, options, diagnostics);
    if (model && model->microbatch > kMostTokens / std::max<std::int64_t>(1, model->sequence)) {
      return {std::nullopt, "micro-batches are priced up to " + std::to_string(kMostTokens) +
                                " tokens, this one has " + counted(model->microbatch, "sequence") +
                                " of " + std::to_string(model->sequence)};
    }
    return {std::move(model), diagnostics.has_errors() ? first_error(diagnostics) : ""};
  }
  const Model& given = std::get<Model>(*request.model);
  const auto split = given.settings.find("sequence_parallel");
  const bool is_split = split != given.settings.end() && split->second == "on";
  if (given.tensor_width != request.tensor || given.microbatch != request.microbatch ||
      (request.tensor > 1 && is_split != request.sequence_parallel)) {
    return {std::nullopt, "the graph file is for tensor width " +
                              std::to_string(given.tensor_width) +
                              (is_split ? " with sequence parallelism" : "") + " and micro-batch " +
                              std::to_string(given.microbatch)};
  }
  return {given, ""};
}

Bytes saved_bytes(const Layer& layer) {
  Bytes sum;
  for (const TensorId id : graph::compute_saved(layer)) {
    sum += graph::size_of(layer.tensors[id]);
  }
  return sum;
}

// Of what a layer hands to the next.
Bytes handed_over(const Layer& layer, const Layer& next) {
  std::size_t taken = 0;
  for (const graph::Tensor& tensor : next.tensors) {
    taken += tensor.role == graph::Role::kInput ? 1 : 0;
  }
  Bytes sum;
  for (std::size_t i = 0; i < std::min(taken, layer.outputs.size()); ++i) {
    sum += graph::size_of(layer.tensors[layer.outputs[i]]);
  }
  return sum;
}

Bytes largest_handed_over(const std::vector<Layer>& layers) {
  Bytes largest;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].repeat > 1) {
      largest = std::max(largest, handed_over(layers[i], layers[i]));
    }
    if (i + 1 < layers.size()) {
      largest = std::max(largest, handed_over(layers[i], layers[i + 1]));
    }
  }
  return largest;
}

class GraphMaker {
 public:
  GraphMaker(const graph::TrainingOptions& training, Model model)
      : training_(training), model_(std::move(model)), is_complete_(graph::is_training(model_)) {
    if (!is_complete_) {
      differentiate();
    }
  }

  ChainGraphs run() && {
    const auto fusion = model_.settings.find("fusion");
    graphs_.has_library_kernels = fusion != model_.settings.end()
                                      ? fusion->second == "none"
                                      : training_.fusion == graph::Fusion::kNone;
    graphs_.model = model_;
    add_layers();
    if (!is_complete_) {
      RecomputePolicy policy;
      policy.attention = true;
      add_way(Recompute::kSelective, policy);
      policy = {};
      policy.full = true;
      add_way(Recompute::kFull, policy);
    }
    return std::move(graphs_);
  }

 private:
  // From the forward graph to that of a step without recomputation.
  void differentiate() {
    for (Layer& layer : model_.layers) {
      layer = graph::add_backward(std::move(layer), {gradient_type(training_.precision)});
      Layer plain = graph::apply_recompute(layer, {});
      saved_.push_back(saved_bytes(plain));
      plain = graph::add_optimizer(std::move(plain), training_.precision, training_.optimizer);
      plain = graph::fuse_elementwise(plain, training_.fusion);
      differentiated_.push_back(std::exchange(layer, std::move(plain)));
    }
  }

  void add_layers() {
    for (const Layer& layer : model_.layers) {
      const graph::LayerSummary summary = graph::summarise(layer);
      ChainGraphs::ChainLayer& added = graphs_.layers.emplace_back();
      added.parameters = summary.parameters;
      added.ways[static_cast<std::size_t>(Recompute::kNone)] = {layer, {}, {}, {}};
      added.flops = summary.model_flops;
      added.run_flops = summary.forward_flops + summary.backward_flops - summary.recompute_flops;
    }
    count_memory(Recompute::kNone);
    graphs_.boundary = largest_handed_over(model_.layers);
    if (!model_.layers.empty()) {
      graphs_.tied_parameters = graph::summarise(model_.layers.back()).tied_parameters;
    }
  }

  void add_way(Recompute way, const RecomputePolicy& policy) {
    constexpr double kWorthwhile = 0.99;
    bool is_offered = false;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (!differentiated_[i].can_recompute) {
        continue;
      }
      Layer layer = graph::apply_recompute(differentiated_[i], policy);
      const Bytes saved = saved_bytes(layer);
      if (static_cast<double>(saved.value()) >
          kWorthwhile * static_cast<double>(saved_[i].value())) {
        continue;
      }
      is_offered = true;
      saved_[i] = saved;
      model_.layers[i] = graph::fuse_elementwise(layer, training_.fusion);
      graphs_.layers[i].ways[static_cast<std::size_t>(way)] = {
          model_.layers[i], {}, {}, graph::summarise(model_.layers[i]).recompute_flops};
    }
    if (is_offered) {
      count_memory(way);
    }
  }

  void count_memory(Recompute way) {
    const std::vector<graph::LayerMemory> memory =
        graph::compute_layer_memory(model_, graph::Allocation::kCaching);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      ChainGraphs::ChainLayer& layer = graphs_.layers[i];
      layer.constants = std::max(layer.constants, memory[i].shared);
      if (auto& work = layer.ways[static_cast<std::size_t>(way)]) {
        work->saved = memory[i].saved;
        work->transient = memory[i].transient;
      }
    }
  }

  const graph::TrainingOptions& training_;
  Model model_;  // of the way at hand
  bool is_complete_;
  std::vector<Layer> differentiated_;  // before recomputation
  std::vector<Bytes> saved_;           // by layer, in the last way that was offered
  ChainGraphs graphs_;
};

}  // namespace

GraphsOrReason make_chain_graphs(const GraphsRequest& request) {
  ModelOrReason made = make_model(request);
  if (!made.model) {
    return {std::nullopt, std::move(made.reason)};
  }
  return {GraphMaker(request.training, std::move(*made.model)).run(), ""};
}

}  // namespace phaze::search
