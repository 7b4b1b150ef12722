#pragma once
// Pairs of tasks and what must run between them.

#include <cstdint>
#include <optional>
#include <span>
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

// Sets of tasks for loops that run often: lists take less time to go through than masks.
class TaskLists {
 public:
  TaskLists() = default;
  explicit TaskLists(const std::vector<Mask>& sets) {
    for (const Mask set : sets) {
      add(set);
    }
  }
  void add(Mask tasks) {
    for (; tasks != 0; tasks &= tasks - 1) {
      tasks_.push_back(static_cast<std::uint8_t>(lowest(tasks)));
    }
    ends_.push_back(static_cast<std::uint32_t>(tasks_.size()));
  }
  std::span<const std::uint8_t> operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {tasks_.data() + begin, ends_[index] - begin};
  }

 private:
  std::vector<std::uint8_t> tasks_;
  std::vector<std::uint32_t> ends_;
};

// An order of tasks: the piece's own, or one with more edges.
struct Order {
  std::vector<std::size_t> order;  // predecessors first
  std::vector<Mask> before;        // direct predecessors without those that others imply
  std::vector<Mask> above, below;  // all that come before and after
  TaskLists before_lists;          // `before` by task
};
// Of tasks with these predecessors; nothing when they form a cycle.
std::optional<Order> find_order(const std::vector<Mask>& before);

struct Intervals : Order {
  // Those that can say more than a path: from where several tasks follow directly, to where several
  // come directly before, and no task between them stands before or after each of the others. Of
  // another pair, a way over others says as much: core time over cores is no more than a duration.
  // By `to` as in `order`, the end last.
  std::vector<Interval> all;
  TaskLists between_lists;  // what is between, by interval
};
std::optional<Intervals> find_intervals(const std::vector<Mask>& before);

std::vector<Mask> predecessors(const Piece& piece);

}  // namespace phaze::schedule
