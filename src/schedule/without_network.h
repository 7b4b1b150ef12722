#pragma once
// A piece without its tasks on the network: no schedule of the whole ends before the best of it,
// and with the network beside it a schedule of it is one of the whole. Where the network has little
// to do, both often end at the same time.

#include <vector>

#include "schedule/piece.h"

namespace phaze::schedule {

struct WithoutNetwork {
  Piece piece;  // tasks on cores; what follows others by left-out ones follows them
  std::vector<std::size_t> tasks;  // by task of the piece: the whole's
};
WithoutNetwork without_network(const Piece& whole);

// A schedule of the whole in the widths and, as far as the network allows, in the segments
// (segments.h) of one without it: in an order that keeps few of them waiting.
PieceAnswer with_network(const Piece& whole, const WithoutNetwork& rest,
                         const std::vector<Start>& starts);

}  // namespace phaze::schedule
