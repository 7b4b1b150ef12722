#pragma once
// Pairs of tasks and what must run between them.

#include <optional>
#include <vector>

#include "schedule/piece.h"

namespace phaze::schedule {

inline constexpr std::size_t kNoTask = kMostTasks;

// All that comes after `from` and before `to`; kNoTask stands for the beginning and for the end.
// From the end of `from` to the start of `to`, their core time must fit into the cores.
struct Interval {
  std::size_t from = kNoTask, to = kNoTask;
  Mask between = 0;
};

// An order of tasks: the piece's own, or one with more edges.
struct Intervals {
  std::vector<std::size_t> order;  // predecessors first
  std::vector<Mask> before;        // direct predecessors without those that others imply
  std::vector<Mask> above, below;  // all that come before and after
  // Those that can say more than a path: from where several tasks follow directly, to where several
  // come directly before, and no task between them stands before or after each of the others. Of
  // another pair, a way over others says as much: core time over cores is no more than a duration.
  // By `to` as in `order`, the end last.
  std::vector<Interval> all;
};

// Of tasks with these predecessors; nothing when they form a cycle.
std::optional<Intervals> find_intervals(const std::vector<Mask>& before);

std::vector<Mask> predecessors(const Piece& piece);

}  // namespace phaze::schedule
