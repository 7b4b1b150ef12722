// Nodes are passes; edges go to the next pass of the same stage, with no length, and to the pass
// that takes what was made, with the length of a transfer. Ends by Kahn's order.
#include "support/pipeline_paths.h"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <tuple>

namespace phaze::tests {
namespace {

// Stage, is it backward, chunk, micro-batch.
using Node = std::tuple<int, bool, int, int>;

struct Edge {
  Node to;
  double length;
};

// What a stage does, as a list that is filled step by step.
std::vector<Node> list_passes(const PipelineShape& shape, int stage) {
  const int stages = static_cast<int>(shape.forward.size());
  const int chunks = static_cast<int>(shape.chunks);
  const int microbatches = static_cast<int>(shape.microbatches);
  std::deque<Node> forwards;
  std::deque<Node> backwards;
  const int group = chunks > 1 ? stages : 1;
  for (int first = 0; first < microbatches; first += group) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (int i = first; i < std::min(first + group, microbatches); ++i) {
        forwards.emplace_back(stage, false, chunk, i);
        backwards.emplace_back(stage, true, chunks - 1 - chunk, i);
      }
    }
  }
  int ahead = stages - 1 - stage;  // forwards before the first turn of forward and backward
  if (chunks > 1) {
    ahead = ahead * 2 + (chunks - 1) * stages;
  }
  if (shape.is_gpipe) {
    ahead = chunks * microbatches;
  }
  std::vector<Node> list;
  const auto take = [&list](std::deque<Node>& from) {
    if (!from.empty()) {
      list.push_back(from.front());
      from.pop_front();
    }
  };
  for (int i = 0; i < ahead; ++i) {
    take(forwards);
  }
  while (!backwards.empty()) {
    take(forwards);
    take(backwards);
  }
  return list;
}

}  // namespace

std::vector<double> stage_ends(const PipelineShape& shape) {
  const int stages = static_cast<int>(shape.forward.size());
  const int chunks = static_cast<int>(shape.chunks);
  std::map<Node, std::vector<Edge>> edges;
  std::map<Node, int> waits_for;
  const auto add = [&](const Node& from, const Node& to, double length) {
    edges[from].push_back({to, length});
    ++waits_for[to];
  };
  for (int stage = 0; stage < stages; ++stage) {
    const std::vector<Node> list = list_passes(shape, stage);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [_, is_backward, chunk, microbatch] = list[i];
      waits_for.try_emplace(list[i], 0);
      if (i > 0) {
        add(list[i - 1], list[i], 0);
      }
      // Where its input comes from: the layers before, or, backward, those after.
      const int layer = chunk * stages + stage;
      const int from = is_backward ? layer + 1 : layer - 1;
      if (from == chunks * stages) {
        add({stage, false, chunk, microbatch}, list[i], 0);
      } else if (from >= 0) {
        add({from % stages, is_backward, from / stages, microbatch}, list[i],
            stages > 1 ? shape.transfer : 0);
      }
    }
  }
  std::map<Node, double> starts;
  std::deque<Node> ready;
  for (const auto& [node, count] : waits_for) {
    if (count == 0) {
      ready.push_back(node);
    }
  }
  std::vector<double> ends(shape.forward.size(), 0);
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const Node node = ready.front();
    ready.pop_front();
    const auto stage = static_cast<std::size_t>(std::get<0>(node));
    const double length = std::get<1>(node) ? shape.backward[stage] : shape.forward[stage];
    const auto chunk = static_cast<std::size_t>(std::get<2>(node));
    const double share = shape.shares.empty() ? 1.0 / chunks : shape.shares[chunk];
    const double end = starts[node] + length * share;
    ends[stage] = std::max(ends[stage], end);
    for (const Edge& edge : edges[node]) {
      starts[edge.to] = std::max(starts[edge.to], end + edge.length);
      if (--waits_for[edge.to] == 0) {
        ready.push_back(edge.to);
      }
    }
  }
  if (done != waits_for.size()) {
    throw std::runtime_error("passes wait for one another");
  }
  return ends;
}

double longest_path(const PipelineShape& shape) {
  const std::vector<double> ends = stage_ends(shape);
  return *std::ranges::max_element(ends);
}

}  // namespace phaze::tests
