#pragma once
// A first schedule by segments (segments.h): one segment after another, each the one that saves
// most.

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/segment_plan.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

// A schedule made from it, also where there are tasks on the network: none of them is in a segment,
// and what they run beside is not foreseen.
PieceAnswer greedy_schedule(const Piece& piece);

SegmentPlan greedy_segments(const Piece& piece, const Intervals& order, const SegmentTasks& tasks);

}  // namespace phaze::schedule
