// Nodes are passes and transfers; edges go from a pass to the next one of the same stage and to the
// transfer of what it made, from a transfer to the pass that takes it and, where a link carries one
// after another, to the next transfer of its kind. Ends by Kahn's order.
#include "support/pipeline_paths.h"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <tuple>

namespace phaze::tests {
namespace {

// Stage, is it backward, chunk, micro-batch, is it the transfer of what that pass made.
using Node = std::tuple<int, bool, int, int, bool>;

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
        forwards.emplace_back(stage, false, chunk, i, false);
        backwards.emplace_back(stage, true, chunks - 1 - chunk, i, false);
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

std::vector<double> stage_ends(const PipelineShape& shape, Transfers transfers) {
  const int stages = static_cast<int>(shape.forward.size());
  const int chunks = static_cast<int>(shape.chunks);
  std::map<Node, std::vector<Node>> edges;
  std::map<Node, int> waits_for;
  const auto add = [&](const Node& from, const Node& to) {
    edges[from].push_back(to);
    waits_for.try_emplace(from, 0);
    ++waits_for[to];
  };
  for (int stage = 0; stage < stages; ++stage) {
    const std::vector<Node> list = list_passes(shape, stage);
    std::map<bool, Node> sent;  // the last transfer, by its kind
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [_, is_backward, chunk, microbatch, is_transfer] = list[i];
      waits_for.try_emplace(list[i], 0);
      if (i > 0) {
        add(list[i - 1], list[i]);
      }
      // Where what it makes goes to: the layers after, or, backward, those before.
      const int layer = chunk * stages + stage;
      const int to = is_backward ? layer - 1 : layer + 1;
      if (to == chunks * stages) {
        add(list[i], {stage, true, chunk, microbatch, false});
      } else if (to >= 0) {
        const Node taker{to % stages, is_backward, to / stages, microbatch, false};
        if (stages == 1) {
          add(list[i], taker);
          continue;
        }
        const Node transfer{stage, is_backward, chunk, microbatch, true};
        add(list[i], transfer);
        add(transfer, taker);
        if (transfers == Transfers::kInOrder && sent.contains(is_backward)) {
          add(sent[is_backward], transfer);
        }
        sent[is_backward] = transfer;
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
    const bool is_transfer = std::get<4>(node);
    const double length = std::get<1>(node) ? shape.backward[stage] : shape.forward[stage];
    const auto chunk = static_cast<std::size_t>(std::get<2>(node));
    const double share = shape.shares.empty() ? 1.0 / chunks : shape.shares[chunk];
    const double end = starts[node] + (is_transfer ? shape.transfer : length * share);
    ends[stage] = std::max(ends[stage], is_transfer ? 0 : end);
    for (const Node& next : edges[node]) {
      starts[next] = std::max(starts[next], end);
      if (--waits_for[next] == 0) {
        ready.push_back(next);
      }
    }
  }
  if (done != waits_for.size()) {
    throw std::runtime_error("passes wait for one another");
  }
  return ends;
}

double longest_path(const PipelineShape& shape, Transfers transfers) {
  const std::vector<double> ends = stage_ends(shape, transfers);
  return *std::ranges::max_element(ends);
}

}  // namespace phaze::tests
