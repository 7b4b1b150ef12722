#include "place/original_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "place/original_degrees.h"

namespace phaze::place::original {
namespace {

using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalLayer;

struct Memory {
  double fixed = 0;  // parameters, gradients, optimiser, activations of one micro-batch
  double stash = 0;  // of every further micro-batch that is under way

  double with(std::size_t position) const {
    return fixed + static_cast<double>(position - 1) * stash;
  }
};

Memory memory_of(const OriginalInstance& instance, double parameters, double activations,
                 double input) {
  const double optimizer = instance.optimizer == plan::OriginalOptimizer::kAdam ? parameters : 0.0;
  return {2 * parameters + optimizer + activations, instance.recompute ? input : activations};
}

// The largest position from the end at which a stage fits; 0: none.
std::int32_t most_stages(const Memory& memory, double limit, std::size_t layers) {
  if (memory.fixed > limit) {
    return 0;
  }
  if (memory.with(layers) <= limit) {
    return static_cast<std::int32_t>(layers);
  }
  // Within one of the right one; the walk settles it by the definition.
  auto most = static_cast<std::size_t>(std::floor((limit - memory.fixed) / memory.stash)) + 1;
  most = std::min(most, layers);
  while (memory.with(most) > limit) {
    --most;
  }
  while (most < layers && memory.with(most + 1) <= limit) {
    ++most;
  }
  return static_cast<std::int32_t>(most);
}

double compute_of(const OriginalLayer& layer, bool recompute) {
  return layer.forward.value() * (recompute ? 2 : 1) + layer.backward.value();
}

}  // namespace

StageTable::StageTable(const OriginalInstance& instance, const OriginalGraph& graph)
    : layers_(graph.layers.size()),
      reach_(layers_ + 1, layers_),
      offsets_(layers_ + 1, 0),
      next_wide_(layers_ + 1, layers_),
      last_loads_(layers_ + 1, 0),
      parameters_(layers_ + 1, 0),
      compute_(layers_ + 1, 0) {
  CHECK(layers_ > 0, "a chain without layers");
  for (std::size_t i = 0; i < layers_; ++i) {
    const OriginalLayer& layer = graph.layers[i];
    parameters_[i + 1] = parameters_[i] + layer.parameters.value();
    compute_[i + 1] = compute_[i] + compute_of(layer, instance.recompute);
  }
  for (std::size_t i = layers_; i-- > 0;) {
    next_wide_[i] = graph.layers[i].is_tensor_parallel ? i : next_wide_[i + 1];
  }
  // Each sum of n numbers is within n roundings of the largest.
  rounding_ = 4 * static_cast<double>(layers_ + 1) * std::numeric_limits<double>::epsilon() *
              compute_[layers_];
  const ChainTensors tensors(instance, graph);
  fill_forward(instance, graph, tensors);
  fill_backward(instance, graph, tensors);
}

// Memory, and of the load what the forward pass takes with the tensors that it waits for.
void StageTable::fill_forward(const OriginalInstance& instance, const OriginalGraph& graph,
                              const ChainTensors& tensors) {
  for (std::size_t begin = 0; begin < layers_; ++begin) {
    offsets_[begin] = stages_.size();
    double parameters = 0;
    double activations = 0;
    double input = 0;
    double forward = 0;
    std::size_t end = begin;
    for (; end < layers_; ++end) {
      const OriginalLayer& layer = graph.layers[end];
      const Crossing read = tensors.from_before(end, begin);
      parameters += layer.parameters.value();
      activations += layer.activations.value();
      input += read.bytes;
      forward = std::max(forward, read.longest) + layer.forward.value();
      const std::int32_t most = most_stages(memory_of(instance, parameters, activations, input),
                                            instance.memory.value(), layers_);
      if (most == 0) {
        break;  // nor does a longer stage fit
      }
      stages_.push_back({forward, most});
    }
    reach_[begin] = end;
  }
}

// Adds the backward pass, and the forward pass again, to the loads.
void StageTable::fill_backward(const OriginalInstance& instance, const OriginalGraph& graph,
                               const ChainTensors& tensors) {
  std::vector<std::size_t> first_begin(layers_ + 1, layers_);  // of the stages that end here
  for (std::size_t begin = layers_; begin-- > 0;) {
    first_begin[reach_[begin]] = begin;
  }
  for (std::size_t end = layers_; end > 0; --end) {
    first_begin[end - 1] = std::min(first_begin[end - 1], first_begin[end]);
  }
  for (std::size_t end = 1; end <= layers_; ++end) {
    double backward = 0;
    double forward_alone = 0;
    double backward_alone = 0;
    for (std::size_t begin = end; begin-- > first_begin[end];) {
      const OriginalLayer& layer = graph.layers[begin];
      const Crossing written = tensors.to_beyond(begin, end);
      backward = std::max(backward, written.longest) + layer.backward.value();
      forward_alone += layer.forward.value();
      backward_alone += layer.backward.value();
      if (reach_[begin] < end) {
        continue;
      }
      Stage& stage = stages_[offsets_[begin] + (end - begin - 1)];
      if (end == layers_) {
        last_loads_[begin] = stage.load + backward;
      }
      // The tensor from the next stage may come while the forward pass runs again.
      stage.load +=
          instance.recompute ? std::max(forward_alone + backward_alone, backward) : backward;
    }
  }
}

plan::OriginalPlacement evaluate_placement(const OriginalInstance& instance,
                                           const OriginalGraph& graph,
                                           const std::vector<std::size_t>& ends,
                                           std::int64_t data_parallel) {
  const ChainTensors tensors(instance, graph);
  plan::OriginalPlacement placement;
  placement.width = graph.width;
  placement.data_parallel = data_parallel;
  placement.microbatches = microbatches_of(instance, data_parallel);
  plan::RealBytes first_parameters;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t position = ends.size() - i;  // from the end of the pipeline
    const bool again = instance.recompute && position > 1;
    plan::OriginalStage stage;
    stage.begin = begin;
    stage.end = ends[i];
    double parameters = 0, activations = 0, input = 0, forward = 0, forward_alone = 0;
    for (std::size_t layer = stage.begin; layer < stage.end; ++layer) {
      const OriginalLayer& l = graph.layers[layer];
      const Crossing read = tensors.from_before(layer, stage.begin);
      parameters += l.parameters.value();
      activations += l.activations.value();
      input += read.bytes;
      forward = std::max(forward, read.longest) + l.forward.value();
      forward_alone += l.forward.value();
      stage.devices = l.is_tensor_parallel ? graph.width : stage.devices;
    }
    double backward = again ? forward_alone : 0;
    double backward_alone = backward;
    for (std::size_t layer = stage.end; layer-- > stage.begin;) {
      const double seconds = graph.layers[layer].backward.value();
      backward = std::max(backward, tensors.to_beyond(layer, stage.end).longest) + seconds;
      backward_alone += seconds;
    }
    stage.load = Seconds(forward + backward);
    stage.compute = Seconds(forward_alone + backward_alone);
    const Memory memory = memory_of(instance, parameters, activations, input);
    stage.memory = plan::RealBytes(memory.with(position));
    placement.stages.push_back(stage);
    placement.slowest = std::max(placement.slowest, stage.load);
    first_parameters = begin == 0 ? plan::RealBytes(parameters) : first_parameters;
    begin = stage.end;
  }
  const auto slots = placement.microbatches + static_cast<std::int64_t>(ends.size()) - 1;
  placement.gradients = gradient_time(instance, data_parallel, first_parameters);
  placement.time = placement.slowest * static_cast<double>(slots) + placement.gradients;
  return placement;
}

}  // namespace phaze::place::original
