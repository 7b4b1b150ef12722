#pragma once
// Schedules of pieces in which a wide task excludes all others (segments.h), told by the tasks of
// their segments: what a local search changes.

#include <array>
#include <utility>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

// Tasks of segments in the order in which they get cores. What a segment waits for and is in none
// runs alone before it; what no segment waits for, at the end.
struct SegmentPlan {
  struct Item {
    std::size_t task = 0;
    bool ends_segment = false;  // otherwise it goes on as long as the next task can join it
  };
  std::vector<Item> items;
};

// The plan of a schedule in which nothing runs beside a wide task.
SegmentPlan plan_of(const std::vector<Start>& starts, const Piece& piece);

class SegmentPlans {
 public:
  SegmentPlans(const Piece& piece, const Intervals& order, const SegmentTasks& tasks)
      : piece_(piece), order_(order), tasks_(tasks), end_if_alone_(alone(tasks, all_of(piece))) {}

  Time end(const SegmentPlan& plan) { return read(plan, nullptr); }
  std::vector<Start> starts(const SegmentPlan& plan);

 private:
  // The schedule's end; its starts where they are asked for.
  Time read(const SegmentPlan& plan, std::vector<Start>* starts);
  // Gives a task cores of the segment at hand: its start in it.
  Time place(std::size_t task);

  const Piece& piece_;
  const Intervals& order_;
  const SegmentTasks& tasks_;
  const Time end_if_alone_;
  // Of the segment at hand, from its beginning on: starts, and until when cores are busy that were
  // in use.
  std::vector<std::pair<std::size_t, Time>> segment_;
  std::array<std::vector<Time>, kKinds> busy_;
};

}  // namespace phaze::schedule
