#include "graph/training.h"

#include <algorithm>
#include <utility>

#include "graph/backward.h"

namespace phaze::graph {

Model to_training(Model forward, const TrainingOptions& options) {
  Model model = std::move(forward);
  model.settings["precision"] = to_string(options.precision);
  model.settings["optimizer"] = to_string(options.optimizer);
  model.settings["recompute"] = to_string(options.recompute);
  model.settings["fusion"] = to_string(options.fusion);
  for (Layer& layer : model.layers) {
    layer = add_backward(std::move(layer), {gradient_type(options.precision)});
    layer = apply_recompute(layer, layer.can_recompute ? options.recompute : RecomputePolicy{});
    layer = add_optimizer(std::move(layer), options.precision, options.optimizer);
    layer = fuse_elementwise(layer, options.fusion);
  }
  return model;
}

bool is_training(const Model& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.operators,
                               [](const Operator& op) { return op.pass != Pass::kForward; });
  });
}

}  // namespace phaze::graph
