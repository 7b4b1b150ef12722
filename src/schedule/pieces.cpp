#include "schedule/pieces.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::schedule {

using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;

namespace {

// Ancestors and descendants of tasks by rows of bits.
class Reach {
 public:
  Reach(std::size_t size, const std::vector<std::vector<std::size_t>>& next,
        const std::vector<std::size_t>& order)
      : words_((size + 63) / 64), bits_(size * words_, 0) {
    for (std::size_t k = order.size(); k-- > 0;) {
      const std::size_t i = order[k];
      for (const std::size_t j : next[i]) {
        bits_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
        for (std::size_t w = 0; w < words_; ++w) {
          bits_[i * words_ + w] |= bits_[j * words_ + w];
        }
      }
    }
  }
  std::size_t count(std::size_t i) const {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      n += static_cast<std::size_t>(__builtin_popcountll(bits_[i * words_ + w]));
    }
    return n;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

Graph graph_of(const ScheduleProblem& problem) {
  const std::size_t n = problem.tasks.size();
  Graph graph{
      std::vector<std::vector<std::size_t>>(n), std::vector<std::vector<std::size_t>>(n), {}};
  std::vector<std::size_t> waits(n, 0);
  for (const auto& [from, to] : problem.edges) {
    graph.after[from.index()].push_back(to.index());
    graph.before[to.index()].push_back(from.index());
    ++waits[to.index()];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (waits[i] == 0) {
      graph.order.push_back(i);
    }
  }
  for (std::size_t k = 0; k < graph.order.size(); ++k) {
    for (const std::size_t j : graph.after[graph.order[k]]) {
      if (--waits[j] == 0) {
        graph.order.push_back(j);
      }
    }
  }
  CHECK(graph.order.size() == n, "readers refuse cycles");
  return graph;
}

// With d descendants and a ancestors of each, the pairs between a beginning of the order and the
// rest are the sum of d - a over the beginning; it is a cut when that is all pairs.
Groups cut(const Graph& graph) {
  const std::size_t n = graph.order.size();
  const Reach descendants(n, graph.after, graph.order);
  const std::vector<std::size_t> reversed(graph.order.rbegin(), graph.order.rend());
  const Reach ancestors(n, graph.before, reversed);
  std::vector<std::size_t> order = graph.order;
  std::vector<std::size_t> above(n);
  for (std::size_t i = 0; i < n; ++i) {
    above[i] = ancestors.count(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return above[a] < above[b]; });
  Groups groups(1);
  std::int64_t pairs = 0;
  for (std::size_t k = 0; k < n; ++k) {
    groups.back().push_back(order[k]);
    pairs += static_cast<std::int64_t>(descendants.count(order[k])) -
             static_cast<std::int64_t>(above[order[k]]);
    const auto done = static_cast<std::int64_t>(k + 1);
    if (k + 1 < n && pairs == done * (static_cast<std::int64_t>(n) - done)) {
      groups.emplace_back();
    }
  }
  return groups;
}

void sort_by_tails(const ScheduleProblem& problem, const Graph& graph, Groups& groups) {
  std::vector<Time> tails(problem.tasks.size(), 0);
  for (std::size_t k = graph.order.size(); k-- > 0;) {
    const std::size_t i = graph.order[k];
    const plan::Task& task = problem.tasks[TaskId(i)];
    const Time one = task.one_core.value();
    // One more than it takes, so that no successor is as far from the end.
    Time tail = 0;
    for (const std::size_t j : graph.after[i]) {
      tail = std::max(tail, tails[j]);
    }
    tails[i] = tail + 1 + (task.all_cores ? std::min(one, task.all_cores->value()) : one);
  }
  for (std::vector<std::size_t>& group : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [&tails](std::size_t a, std::size_t b) { return tails[a] > tails[b]; });
  }
}

Piece piece_of(const ScheduleProblem& problem, const Graph& graph,
               const std::vector<std::size_t>& members) {
  Piece piece;
  piece.cores = {problem.tensor_cores, problem.vector_cores};
  piece.exclusive_wide = problem.exclusive_wide;
  std::vector<std::size_t> place(problem.tasks.size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    place[members[i]] = i;
  }
  piece.tasks.reserve(members.size());
  for (const std::size_t member : members) {
    const plan::Task& task = problem.tasks[TaskId(member)];
    PieceTask t;
    t.one = task.one_core.value();
    t.all = task.all_cores ? task.all_cores->value() : kNever;
    t.needs = {plan::needs_tensor(task.unit), plan::needs_vector(task.unit)};
    t.is_network = task.unit == TaskUnit::kNetwork;
    for (const std::size_t j : graph.before[member]) {
      if (place[j] < members.size()) {
        t.before |= bit(place[j]);
      }
    }
    for (const std::size_t j : graph.after[member]) {
      if (place[j] < members.size()) {
        t.after |= bit(place[j]);
      }
    }
    piece.tasks.push_back(t);
  }
  return piece;
}

}  // namespace phaze::schedule
