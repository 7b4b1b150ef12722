#include "cost/step.h"

#include "cost/layer.h"

namespace phaze::cost {

using plan::LayerCost;
using plan::PassCost;
using plan::StepCost;

namespace {

void add(PassCost& sum, const PassCost& pass, std::int64_t repeat) {
  sum.time += pass.time * static_cast<double>(repeat);
  sum.energy += pass.energy * static_cast<double>(repeat);
  sum.launches += pass.launches * repeat;
}

}  // namespace

StepCost compute_step_cost(const CostContext& context, const graph::Model& training) {
  StepCost step;
  step.layers.reserve(training.layers.size());
  for (const graph::Layer& layer : training.layers) {
    step.layers.push_back(compute_layer_cost(context, layer));
    const LayerCost& cost = step.layers.back();
    add(step.forward, cost.forward, layer.repeat);
    add(step.backward, cost.backward, layer.repeat);
    add(step.recompute, cost.recompute, layer.repeat);
    add(step.optimizer, cost.optimizer, layer.repeat);
  }
  step.total = step.forward.time + step.backward.time + step.optimizer.time;
  // The optimiser's operators are few: one launch takes many tensors.
  const std::int64_t launches = step.forward.launches + step.backward.launches;
  std::int64_t recomputed = 0;
  for (std::size_t i = 0; i < training.layers.size(); ++i) {
    recomputed += step.layers[i].recompute.launches > 0 ? training.layers[i].repeat : 0;
  }
  step.host = context.chip->host_launch * static_cast<double>(launches) +
              context.chip->host_recompute * static_cast<double>(recomputed);
  step.is_host_bound = step.host > step.forward.time + step.backward.time;
  return step;
}

}  // namespace phaze::cost
