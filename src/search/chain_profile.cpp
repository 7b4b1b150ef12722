// The ways to recompute share all but the passes behind backward.h: the graph of the first way is
// changed layer by layer into those of the others.
#include "search/chain_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cost/estimate.h"
#include "graph/backward.h"
#include "graph/layer_memory.h"
#include "graph/summary.h"

namespace phaze::search {

using graph::Layer;
using graph::Model;
using graph::RecomputePolicy;
using graph::TensorId;
using plan::Chain;
using plan::ChainLayer;
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
ModelOrReason make_model(const ProfileRequest& request, const ChainShape& shape) {
  if (const auto* spec = std::get_if<models::ModelSpec>(request.model)) {
    models::BuildOptions options = request.build;
    options.precision = request.training.precision;
    options.tensor_width = shape.tensor;
    options.sequence_parallel = shape.sequence_parallel;
    options.microbatch = shape.microbatch;
    Diagnostics diagnostics;
    std::optional<Model> model = models::build_model(*spec, options, diagnostics);
    if (model && model->microbatch > kMostTokens / std::max<std::int64_t>(1, model->sequence)) {
      return {std::nullopt, "micro-batches are priced up to " + std::to_string(kMostTokens) +
                                " tokens, this one has " + std::to_string(model->microbatch) +
                                " sequences of " + std::to_string(model->sequence)};
    }
    return {std::move(model), diagnostics.has_errors() ? first_error(diagnostics) : ""};
  }
  const Model& given = std::get<Model>(*request.model);
  const auto split = given.settings.find("sequence_parallel");
  const bool is_split = split != given.settings.end() && split->second == "on";
  if (given.tensor_width != shape.tensor || given.microbatch != shape.microbatch ||
      (shape.tensor > 1 && is_split != shape.sequence_parallel)) {
    return {std::nullopt, "the graph file is for tensor width " +
                              std::to_string(given.tensor_width) +
                              (is_split ? " with sequence parallelism" : "") + " and micro-batch " +
                              std::to_string(given.microbatch)};
  }
  return {given, ""};
}

cost::CostContext make_context(const ProfileRequest& request, const ChainShape& shape,
                               const Model& model) {
  cost::CostContext context = request.context;
  context.network.reset();
  if (shape.tensor > 1 && request.cluster != nullptr) {
    CHECK(cost::group_size(shape.tensor_group) == shape.tensor, "a group has the tensor width");
    context.network = cost::Network{request.cluster, shape.tensor_group};
  }
  const auto fusion = model.settings.find("fusion");
  const bool is_library = fusion != model.settings.end()
                              ? fusion->second == "none"
                              : request.training.fusion == graph::Fusion::kNone;
  context.kernels = is_library ? cost::Kernels::kLibrary : cost::Kernels::kTuned;
  return context;
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

class Profiler {
 public:
  Profiler(const ProfileRequest& request, const cost::CostContext& context, Model model)
      : request_(request),
        context_(context),
        model_(std::move(model)),
        is_complete_(graph::is_training(model_)) {
    if (!is_complete_) {
      differentiate();
    }
  }

  ChainOrReason run() && {
    if (const auto why = cost::find_obstacle(context_, model_)) {
      return {std::nullopt, context_.chip->name + " cannot train this: " + *why};
    }
    add_layers();
    if (!is_complete_) {
      RecomputePolicy policy;
      policy.attention = true;
      add_way(Recompute::kSelective, policy);
      policy = {};
      policy.full = true;
      add_way(Recompute::kFull, policy);
    }
    return {std::move(chain_), ""};
  }

 private:
  // From the forward graph to that of a step without recomputation.
  void differentiate() {
    const graph::TrainingOptions& options = request_.training;
    for (Layer& layer : model_.layers) {
      layer = graph::add_backward(std::move(layer), {gradient_type(options.precision)});
      Layer plain = graph::apply_recompute(layer, {});
      saved_.push_back(saved_bytes(plain));
      plain = graph::add_optimizer(std::move(plain), options.precision, options.optimizer);
      plain = graph::fuse_elementwise(plain, options.fusion);
      differentiated_.push_back(std::exchange(layer, std::move(plain)));
    }
  }

  // Adding fresh gradients to those that are there. A tuned stack's products read what they add to;
  // others write theirs first, and an operator reads both and writes the sum.
  Seconds accumulation(std::int64_t parameters) const {
    const hw::Chip& chip = *context_.chip;
    const auto total =
        static_cast<double>(graph::bytes_per_element(gradient_type(request_.training.precision)));
    const auto fresh =
        static_cast<double>(graph::bytes_per_element(weight_type(request_.training.precision)));
    const double each = request_.build.execution == models::Execution::kFused ? total : 3 * fresh;
    return Seconds(static_cast<double>(parameters) * each /
                   (hw::hbm_bandwidth(chip).value() * chip.sustained.hbm));
  }

  void add_layers() {
    for (const Layer& layer : model_.layers) {
      const graph::LayerSummary summary = graph::summarise(layer);
      const PricedLayer priced = price_layer(context_, layer, request_.scheduling);
      chain_.schedule_gap = std::max(chain_.schedule_gap, priced.schedule_gap);
      ChainLayer& added = chain_.layers.emplace_back();
      added.name = layer.name;
      added.repeat = layer.repeat;
      added.parameters = summary.parameters;
      added.work[static_cast<std::size_t>(Recompute::kNone)] = priced.work;
      added.optimizer = priced.optimizer;
      added.accumulation = is_complete_ ? Seconds() : accumulation(summary.parameters);
      added.flops = summary.model_flops;
      added.run_flops = summary.forward_flops + summary.backward_flops - summary.recompute_flops;
    }
    count_memory(Recompute::kNone);
    chain_.boundary = largest_handed_over(model_.layers);
    if (!model_.layers.empty()) {
      chain_.tied_parameters = graph::summarise(model_.layers.back()).tied_parameters;
      // The host fetches a micro-batch and looks at its loss.
      chain_.layers.back().work[static_cast<std::size_t>(Recompute::kNone)]->forward +=
          context_.chip->host_microbatch;
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
      model_.layers[i] = graph::fuse_elementwise(layer, request_.training.fusion);
      const PricedLayer priced = price_layer(context_, model_.layers[i], request_.scheduling);
      chain_.schedule_gap = std::max(chain_.schedule_gap, priced.schedule_gap);
      plan::LayerWork work = priced.work;
      work.recompute_flops = graph::summarise(model_.layers[i]).recompute_flops;
      chain_.layers[i].work[static_cast<std::size_t>(way)] = work;
    }
    if (is_offered) {
      count_memory(way);
    }
  }

  void count_memory(Recompute way) {
    const std::vector<graph::LayerMemory> memory =
        graph::compute_layer_memory(model_, graph::Allocation::kCaching);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      chain_.layers[i].constants = std::max(chain_.layers[i].constants, memory[i].shared);
      if (auto& work = chain_.layers[i].work[static_cast<std::size_t>(way)]) {
        work->saved = memory[i].saved;
        work->transient = memory[i].transient;
      }
    }
  }

  const ProfileRequest& request_;
  const cost::CostContext& context_;
  Model model_;  // of the way at hand
  bool is_complete_;
  std::vector<Layer> differentiated_;  // before recomputation
  std::vector<Bytes> saved_;           // by layer, in the last way that was offered
  Chain chain_;
};

}  // namespace

ChainOrReason compute_chain(const ProfileRequest& request, const ChainShape& shape) {
  ModelOrReason made = make_model(request, shape);
  if (!made.model) {
    return {std::nullopt, std::move(made.reason)};
  }
  cost::CostContext context = make_context(request, shape, *made.model);
  cost::ProductMemo own;
  if (context.products == nullptr) {
    context.products = &own;
  }
  return Profiler(request, context, std::move(*made.model)).run();
}

}  // namespace phaze::search
