#pragma once
// A piece in units of what divides all its durations: bounds can be rounded up further.

#include "schedule/piece.h"

namespace phaze::schedule {

// The largest, at least 1.
Time common_unit(const Piece& piece);

// The unit divides the piece's durations.
Piece in_units(Piece piece, Time unit);
// What counts as a time below the cutoff, or as enough, does so in units too. The options must
// outlive the answer.
SearchOptions in_units(const SearchOptions& options, Time unit);
PieceAnswer in_picoseconds(PieceAnswer answer, Time unit);

}  // namespace phaze::schedule
