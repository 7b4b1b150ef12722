#pragma once
// The best schedule by windows of tasks. How: narrow_down.cpp.

#include <cstdint>
#include <functional>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/windows.h"

namespace phaze::schedule {

struct NarrowQuestion {
  Time bound = 0;         // that is known
  Time goal = 0;          // a schedule that ends here is good enough
  std::int64_t most = 0;  // windows that are found
  Widths widths;          // that tasks may have
};
struct NarrowAnswer {
  Time bound = 0;
  std::int64_t work = 0;  // windows that were found
};
// Makes `best` better, and the bound, until they meet or something ends the search.
NarrowAnswer narrow_down(const Piece& piece, const Order& order, const NarrowQuestion& question,
                         PieceAnswer& best, const std::function<bool()>& is_cancelled);

}  // namespace phaze::schedule
