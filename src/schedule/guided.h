#pragma once
// Schedules made task by task within windows that tasks have.

#include "schedule/piece.h"
#include "schedule/squeeze.h"

namespace phaze::schedule {

// A schedule in which what has to start first, by its window, goes first; kNever where it would end
// no earlier than `limit`. Patient: no task starts before its window begins.
enum class Guide { kEager, kPatient };
PieceAnswer guided_schedule(const Piece& piece, const Squeezer& windows, Guide guide, Time limit);

}  // namespace phaze::schedule
