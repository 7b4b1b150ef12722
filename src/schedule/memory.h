#pragma once
// Pieces that were solved before, for others of the same shape: the same layer with other
// durations or numbers of cores.

#include <vector>

#include "schedule/piece.h"
#include "schedule/windows.h"

namespace phaze::schedule {

struct Memory {
  struct Solved {
    Piece piece;
    PieceAnswer answer;
  };
  std::vector<Solved> all;  // the last that were solved
};

void remember(Memory& memory, const Piece& piece, const PieceAnswer& answer);

// The best of `best` and of what schedules of pieces of the same shape become with this one's
// durations.
PieceAnswer recall(const Memory& memory, const Piece& piece, PieceAnswer best);

// A bound on schedules of the piece, whose durations are in these units, in these widths; from
// pieces that could be no slower: no duration is longer, and there are as many cores as can be in
// use.
Time recall_bound(const Memory& memory, const Piece& piece, Time unit, const Widths& widths);

}  // namespace phaze::schedule
