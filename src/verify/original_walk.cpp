#include <algorithm>

#include "verify/original_placement.h"

namespace phaze::verify {
namespace {

using plan::OriginalEdge;
using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalLayer;
using plan::OriginalPlacement;
using plan::OriginalStage;

// Edges by the layer at one of their ends.
using EdgeLists = std::vector<std::vector<const OriginalEdge*>>;

EdgeLists edges_by(const OriginalGraph& graph, std::size_t OriginalEdge::*end) {
  EdgeLists lists(graph.layers.size());
  for (const OriginalEdge& edge : graph.edges) {
    lists[edge.*end].push_back(&edge);
  }
  return lists;
}

// Walks through one stage of a pipeline.
class Walk {
 public:
  Walk(const OriginalInstance& instance, const OriginalGraph& graph, const EdgeLists& incoming,
       const EdgeLists& outgoing, OriginalStage& stage)
      : instance_(instance),
        graph_(graph),
        incoming_(incoming),
        outgoing_(outgoing),
        stage_(stage) {}

  void run(std::size_t stages_after) {
    const bool again = instance_.recompute && stages_after > 0;
    const double first = forward(true);
    const double computed = forward(false);
    stage_.load = Seconds(first + backward(again ? computed : 0, true));
    stage_.compute = Seconds(computed + backward(again ? computed : 0, false));
    stage_.memory = plan::RealBytes(memory(stages_after));
    for (std::size_t i = stage_.begin; i < stage_.end; ++i) {
      if (layer(i).is_tensor_parallel) {
        stage_.devices = graph_.width;
      }
    }
  }

 private:
  const OriginalLayer& layer(std::size_t i) const { return graph_.layers[i]; }
  bool is_here(std::size_t i) const { return i >= stage_.begin && i < stage_.end; }
  double transfer(const OriginalEdge& edge) const {
    return edge.bytes.value() / instance_.bandwidth.value();
  }

  // When the last layer ends. A layer starts when all that it reads is there; tensors from other
  // stages (`waits`) set out at the start.
  double forward(bool waits) const {
    std::vector<double> ends(stage_.end - stage_.begin);
    for (std::size_t i = stage_.begin; i < stage_.end; ++i) {
      double start = 0;
      for (const OriginalEdge* edge : incoming_[i]) {
        if (is_here(edge->from)) {
          start = std::max(start, ends[edge->from - stage_.begin]);
        } else if (waits) {
          start = std::max(start, transfer(*edge));
        }
      }
      ends[i - stage_.begin] = start + layer(i).forward.value();
    }
    return ends.back();
  }

  // When the first layer's backward ends, if none starts before `earliest`.
  double backward(double earliest, bool waits) const {
    std::vector<double> ends(stage_.end - stage_.begin);
    for (std::size_t i = stage_.end; i-- > stage_.begin;) {
      double start = earliest;
      for (const OriginalEdge* edge : outgoing_[i]) {
        if (is_here(edge->to)) {
          start = std::max(start, ends[edge->to - stage_.begin]);
        } else if (waits) {
          start = std::max(start, transfer(*edge));
        }
      }
      ends[i - stage_.begin] = start + layer(i).backward.value();
    }
    return ends.front();
  }

  // Parameters and gradients, the optimiser's state, what one micro-batch leaves, and what is kept
  // of the micro-batches that have not come back from the stages after this one.
  double memory(std::size_t stages_after) const {
    double parameters = 0;
    double activations = 0;
    double input = 0;
    for (std::size_t i = stage_.begin; i < stage_.end; ++i) {
      parameters += layer(i).parameters.value();
      activations += layer(i).activations.value();
      double read = 0;
      for (const OriginalEdge* edge : incoming_[i]) {
        read += is_here(edge->from) ? 0 : edge->bytes.value();
      }
      input += read;
    }
    const bool is_adam = instance_.optimizer == plan::OriginalOptimizer::kAdam;
    const double state = 2 * parameters + (is_adam ? parameters : 0);
    return state + activations +
           static_cast<double>(stages_after) * (instance_.recompute ? input : activations);
  }

  const OriginalInstance& instance_;
  const OriginalGraph& graph_;
  const EdgeLists& incoming_;
  const EdgeLists& outgoing_;
  OriginalStage& stage_;
};

}  // namespace

OriginalPlacement walk_placement(const OriginalInstance& instance, const OriginalGraph& graph,
                                 const std::vector<std::size_t>& ends, std::int64_t data_parallel) {
  const EdgeLists incoming = edges_by(graph, &OriginalEdge::to);
  const EdgeLists outgoing = edges_by(graph, &OriginalEdge::from);
  OriginalPlacement placement;
  placement.width = graph.width;
  placement.data_parallel = data_parallel;
  placement.microbatches = (instance.microbatches + data_parallel - 1) / data_parallel;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    OriginalStage stage;
    stage.begin = begin;
    stage.end = begin = ends[i];
    Walk(instance, graph, incoming, outgoing, stage).run(ends.size() - i - 1);
    placement.slowest = std::max(placement.slowest, stage.load);
    placement.stages.push_back(stage);
  }
  double parameters = 0;
  for (std::size_t i = 0; i < ends.front(); ++i) {
    parameters += graph.layers[i].parameters.value();
  }
  // A ring all-reduce sends 2 (d - 1) / d of every byte; gradients have twice the bytes of
  // parameters.
  const auto copies = static_cast<double>(data_parallel);
  placement.gradients =
      Seconds(2 * (copies - 1) / copies * 2 * parameters / instance.bandwidth.value());
  const std::int64_t rounds = placement.microbatches + static_cast<std::int64_t>(ends.size()) - 1;
  placement.time = Seconds(placement.slowest.value() * static_cast<double>(rounds) +
                           placement.gradients.value());
  return placement;
}

}  // namespace phaze::verify
