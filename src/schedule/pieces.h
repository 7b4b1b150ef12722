#pragma once
// From a problem to pieces: the graph of its tasks, where it can be cut, and each group as numbers.

#include <cstddef>
#include <vector>

#include "plan/schedule.h"
#include "schedule/piece.h"

namespace phaze::schedule {

struct Graph {
  std::vector<std::vector<std::size_t>> before, after;
  std::vector<std::size_t> order;  // predecessors first
};
Graph graph_of(const plan::ScheduleProblem& problem);

// Groups of tasks such that all of one come before all of the next: their schedules follow one
// another. Within a group, predecessors first.
using Groups = std::vector<std::vector<std::size_t>>;
Groups cut(const Graph& graph);

// Predecessors first, and what has the longest way behind it: tasks that more wait for get lower
// numbers.
void sort_by_tails(const plan::ScheduleProblem& problem, const Graph& graph, Groups& groups);

// At most 128 tasks; edges to other groups are left out.
Piece piece_of(const plan::ScheduleProblem& problem, const Graph& graph,
               const std::vector<std::size_t>& members);

}  // namespace phaze::schedule
