// Why skipping is right: with s stages on s t devices and d pipelines, s t d <= devices, the
// slowest stage takes at least the mean over stages, and ceil(M / d) micro-batches pass it, so that
// a batch takes at least M x t x (sum of forward and backward over all layers at width t) /
// devices. Recomputation and communication only add to it. A problem whose bound is not below the
// best time of those before it cannot replace it.
#include "search/original_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "place/original.h"

namespace phaze::search {

using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalLayer;
using plan::OriginalPlacement;
using plan::PlanStage;
using plan::RealBytes;
using plan::Recompute;
using plan::TrainingPlan;

namespace {

constexpr double kRounding = 1e-9;

RealBytes real(Bytes bytes) { return RealBytes(static_cast<double>(bytes.value())); }

const plan::LayerWork& stored(const plan::ChainLayer& layer) {
  return *layer.work[static_cast<std::size_t>(Recompute::kNone)];
}

OriginalGraph make_graph(const OriginalChain& priced, Bytes parameter) {
  OriginalGraph graph;
  graph.width = priced.width;
  const std::vector<plan::ChainLayer>& layers = priced.chain.layers;
  // The first layer that repeats has id 0.
  std::int64_t id = 0;
  for (const plan::ChainLayer& layer : layers) {
    if (layer.repeat > 1) {
      break;
    }
    --id;
  }
  if (id == -static_cast<std::int64_t>(layers.size())) {
    id = 0;  // none repeats
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const plan::ChainLayer& layer = layers[i];
    const plan::LayerWork& work = stored(layer);
    const bool is_last = i + 1 == layers.size();
    const std::int64_t parameters = layer.parameters + (is_last ? priced.chain.tied_parameters : 0);
    for (std::int64_t repeat = 0; repeat < layer.repeat; ++repeat) {
      graph.layers.push_back({id++, real(parameter * parameters), real(work.saved), work.forward,
                              work.backward, priced.width > 1});
      const bool is_end = is_last && repeat + 1 == layer.repeat;
      if (!is_end) {
        const std::size_t from = graph.layers.size() - 1;
        graph.edges.push_back(
            {from, from + 1,
             real(repeat + 1 < layer.repeat ? priced.to_itself[i] : priced.to_next[i])});
      }
    }
  }
  return graph;
}

// Layers of the chain, as many as are flat from `begin` to `end`.
std::vector<plan::StageLayers> runs_of(const plan::Chain& chain, std::size_t begin,
                                       std::size_t end) {
  std::vector<plan::StageLayers> runs;
  std::size_t at = 0;
  for (std::size_t i = 0; i < chain.layers.size(); ++i) {
    const std::size_t next = at + static_cast<std::size_t>(chain.layers[i].repeat);
    const std::size_t from = std::max(begin, at), to = std::min(end, next);
    if (from < to) {
      runs.push_back({i, static_cast<std::int64_t>(to - from)});
    }
    at = next;
  }
  return runs;
}

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

// The first stage alone sends gradients.
PlanStage make_stage(const OriginalChain& priced, const OriginalInstance& instance,
                     const OriginalPlacement& placement, std::size_t index) {
  const plan::OriginalStage& from = placement.stages[index];
  const std::size_t position = placement.stages.size() - index;  // from the end
  const OriginalGraph& graph =
      *std::ranges::find(instance.graphs, placement.width, &OriginalGraph::width);
  PlanStage stage;
  stage.layers = runs_of(priced.chain, from.begin, from.end);
  const bool again = instance.recompute && position > 1;
  stage.recompute = again ? Recompute::kFull : Recompute::kNone;
  for (const plan::StageLayers& run : stage.layers) {
    const auto& layer = priced.chain.layers[run.layer];
    const plan::LayerWork& work = *layer.work[static_cast<std::size_t>(stage.recompute)];
    const auto count = static_cast<double>(run.count);
    stage.forward += work.forward * count;
    stage.backward += work.backward * count;
    stage.network += (work.forward_network + work.backward_network) * count;
    stage.recomputation += work.recompute * count;
  }
  double parameters = 0, activations = 0;
  for (std::size_t i = from.begin; i < from.end; ++i) {
    parameters += graph.layers[i].parameters.value();
    activations += graph.layers[i].activations.value();
  }
  const double input = from.begin > 0 ? graph.edges[from.begin - 1].bytes.value() : 0;
  // The original keeps room for as many as there are stages behind, even where there are fewer.
  stage.in_flight = std::min(static_cast<std::int64_t>(position), placement.microbatches);
  const auto others = static_cast<std::int64_t>(position) - 1;
  stage.memory.weights = stage.memory.gradients = whole(parameters);
  if (instance.optimizer == plan::OriginalOptimizer::kAdam) {
    stage.memory.optimizer = whole(parameters);
  }
  // Where activations are recomputed the micro-batch at hand has them all, the others their input.
  stage.saved = whole(again ? input : activations);
  stage.memory.activations = stage.saved * (again ? others : others + 1);
  stage.memory.transient = again ? whole(activations) : Bytes();
  if (index == 0) {
    stage.gradients = stage.exposed = placement.gradients;
  }
  return stage;
}

TrainingPlan make_plan(const OriginalChain& priced, const OriginalTerms& terms,
                       const OriginalInstance& instance, const OriginalPlacement& placement) {
  TrainingPlan plan;
  plan.strategy.tensor = placement.width;
  plan.strategy.pipeline = static_cast<std::int64_t>(placement.stages.size());
  plan.strategy.data = placement.data_parallel;
  plan.strategy.microbatch = priced.microbatch;
  plan.devices = terms.devices;
  plan.global_batch = terms.global_batch;
  plan.microbatches = placement.microbatches;
  plan.iteration = placement.time;
  plan.capacity = terms.memory;
  if (placement.stages.size() > 1) {
    plan.transfer_bytes = priced.chain.boundary;
    plan.transfer = priced.chain.boundary / terms.bandwidth;
  }
  Seconds work, network, recomputation, transfers;
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    PlanStage stage = make_stage(priced, instance, placement, i);
    plan.fits = plan.fits && stage.memory.total() <= terms.memory;
    work += stage.forward + stage.backward;
    network += stage.network;
    recomputation += stage.recomputation;
    transfers += placement.stages[i].load - placement.stages[i].compute;
    plan.stages.push_back(std::move(stage));
  }
  // Means over the stages; the slowest one's pace for all of them is the bubble's.
  const double each =
      static_cast<double>(plan.microbatches) / static_cast<double>(placement.stages.size());
  plan.parts.compute = (work - network - recomputation) * each;
  plan.parts.recompute = recomputation * each;
  plan.parts.tensor = network * each;
  plan.parts.pipeline = transfers * each;
  plan.parts.data = placement.gradients;
  plan.parts.bubble = plan.iteration - plan.parts.total();
  if (plan.parts.bubble < Seconds() &&
      plan.parts.bubble.value() > -kRounding * plan.iteration.value()) {
    plan.parts.bubble = Seconds();
  }
  return plan;
}

// No placement of the problem takes less.
double bound_s(const OriginalInstance& instance) {
  double least_s = std::numeric_limits<double>::infinity();
  for (const OriginalGraph& graph : instance.graphs) {
    double sum_s = 0;
    for (const OriginalLayer& layer : graph.layers) {
      sum_s += (layer.forward + layer.backward).value();
    }
    least_s = std::min(least_s, sum_s * static_cast<double>(graph.width) *
                                    static_cast<double>(instance.microbatches) /
                                    static_cast<double>(instance.devices));
  }
  return least_s * (1 - kRounding);
}

class Search {
 public:
  Search(const std::vector<OriginalChain>& chains, const OriginalTerms& terms)
      : chains_(chains), terms_(terms) {}

  OriginalPlanAnswer run() {
    std::vector<std::int64_t> microbatches;
    for (const OriginalChain& chain : chains_) {
      if (terms_.global_batch % chain.microbatch == 0) {
        microbatches.push_back(chain.microbatch);
      }
    }
    std::ranges::sort(microbatches);
    microbatches.erase(std::unique(microbatches.begin(), microbatches.end()), microbatches.end());
    for (const std::int64_t microbatch : microbatches) {
      for (const bool recompute : {false, true}) {
        if (recompute ? terms_.recompute : terms_.store) {
          solve(microbatch, recompute);
        }
      }
    }
    return std::move(answer_);
  }

 private:
  void solve(std::int64_t microbatch, bool recompute) {
    std::vector<const OriginalChain*> chains;
    for (const OriginalChain& chain : chains_) {
      const bool is_asked = !terms_.fixed || chain.width == terms_.fixed->width;
      if (chain.microbatch == microbatch && chain.width <= terms_.devices && is_asked) {
        chains.push_back(&chain);
      }
    }
    if (chains.empty()) {
      return;
    }
    ++answer_.problems;
    OriginalInstance instance = make_original_instance(chains, terms_, recompute);
    if (terms_.use_bounds && answer_.best && answer_.best->plan.fits && !terms_.fixed &&
        bound_s(instance) >= answer_.best->plan.iteration.value()) {
      return;
    }
    ++answer_.solved;
    if (terms_.fixed) {
      // Priced without regard to memory: how much is missing is an answer too.
      instance.memory = RealBytes(std::numeric_limits<double>::max());
    }
    plan::OriginalAnswer found = place::solve_original(instance);
    answer_.work += found.work;
    const std::optional<OriginalPlacement>& placement =
        terms_.fixed ? found.fixed->placement : found.best;
    if (!placement) {
      answer_.reason = terms_.fixed ? found.fixed->failure : answer_.reason;
      return;
    }
    const auto index =
        static_cast<std::size_t>(std::ranges::find_if(chains_,
                                                      [&](const OriginalChain& chain) {
                                                        return chain.width == placement->width &&
                                                               chain.microbatch == microbatch;
                                                      }) -
                                 chains_.begin());
    OriginalPlan made{index, std::move(instance), found, *placement, {}};
    made.plan = make_plan(chains_[index], terms_, made.instance, made.placement);
    if (!answer_.best || is_better(made.plan, answer_.best->plan)) {
      answer_.best = std::move(made);
    }
  }

  // What fits is better than what does not, of that what misses less.
  static bool is_better(const TrainingPlan& a, const TrainingPlan& b) {
    if (a.fits != b.fits) {
      return a.fits;
    }
    return a.fits ? a.iteration < b.iteration : plan::peak_memory(a) < plan::peak_memory(b);
  }

  const std::vector<OriginalChain>& chains_;
  const OriginalTerms& terms_;
  OriginalPlanAnswer answer_;
};

}  // namespace

OriginalInstance make_original_instance(const std::vector<const OriginalChain*>& chains,
                                        const OriginalTerms& terms, bool recompute) {
  CHECK(!chains.empty(), "a placement problem has a chain");
  OriginalInstance instance;
  instance.memory = real(terms.memory);
  instance.devices = terms.devices;
  instance.bandwidth = terms.bandwidth;
  instance.microbatches = terms.global_batch / chains.front()->microbatch;
  instance.recompute = recompute;
  instance.optimizer = terms.optimizer;
  instance.fixed = terms.fixed;
  for (const OriginalChain* chain : chains) {
    instance.graphs.push_back(make_graph(*chain, terms.parameter));
  }
  if (instance.fixed) {
    // The layers that are spread evenly: from the first that repeats to the last that does.
    std::int64_t spread = 0;
    const std::vector<plan::ChainLayer>& layers = chains.front()->chain.layers;
    std::int64_t id = instance.graphs.front().layers.front().id;
    for (const plan::ChainLayer& layer : layers) {
      id += layer.repeat;
      spread = layer.repeat > 1 ? id : spread;
    }
    instance.fixed->transformer_layers = spread > 0 ? spread : id;
  }
  return instance;
}

OriginalPlanAnswer solve_original_plan(const std::vector<OriginalChain>& chains,
                                       const OriginalTerms& terms) {
  return Search(chains, terms).run();
}

}  // namespace phaze::search
