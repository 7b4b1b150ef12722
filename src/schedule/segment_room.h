#pragma once
// Whether what is left of a schedule still has room before a limit, once every task that is left
// has one way to run. Why it may be asked: the head of segment_room.cpp.

#include <span>
#include <vector>

#include "schedule/segment_states.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

class SegmentRoom {
 public:
  SegmentRoom(const Piece& piece, const SegmentTasks& tasks);

  // No schedule goes on from the state, with `running` in its segment, and ends before `limit`.
  // Says so of some of those where that holds.
  bool is_too_small(const SegmentState& state, std::span<const SegmentStates::Running> running,
                    Time limit);
  std::int64_t tried() const { return tried_; }  // sums of lengths, so far

 private:
  struct Item {
    Time length = 0;
    Time behind = 0;  // of tasks on one core, one after another
  };

  bool is_too_small(std::size_t kind, Mask left, Time now,
                    std::span<const SegmentStates::Running> running, Time last);
  Time least_idle(Time from, Time last);

  const Piece& piece_;
  const SegmentTasks& tasks_;
  std::vector<std::size_t> by_length_;
  std::vector<Item> items_;    // scratch: tasks of a kind that are left, shortest first
  std::vector<Time> lengths_;  // scratch
  std::int64_t tried_ = 0;
};

}  // namespace phaze::schedule
