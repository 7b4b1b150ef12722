#pragma once
// A first schedule by segments (segments.h): one segment after another, each the one that saves
// most.

#include <cstdint>
#include <functional>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/segment_plan.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

// A schedule made from it, also where there are tasks on the network: none of them is in a segment,
// and what they run beside is not foreseen.
PieceAnswer greedy_schedule(const Piece& piece, const std::function<bool()>& is_cancelled);

// Told to stop, with the segments that it has.
SegmentPlan greedy_segments(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
                            const std::function<bool()>& is_cancelled);

// It takes about as long as so many nodes of a search.
constexpr std::int64_t work_of_greedy(std::size_t tasks) {
  return static_cast<std::int64_t>(tasks * tasks / 4);
}

}  // namespace phaze::schedule
