#pragma once
// Search of schedules by windows of tasks. How: close_in.cpp.

#include <cstdint>
#include <functional>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/windows.h"

namespace phaze::schedule {

// The piece's own order; with twins, tasks that are alike are in one of their orders where no two
// can run at once.
Order find_own_order(const Piece& piece, bool has_twins);

struct CloseInQuestion {
  Time limit = kNever;    // schedules that end no earlier are of no use
  Time goal = 0;          // one that ends here is good enough
  std::int64_t most = 0;  // windows that are found
};
struct CloseInAnswer {
  bool is_complete = false;  // there is no schedule before the limit but what was found
  std::int64_t work = 0;     // windows that were found
};
CloseInAnswer close_in(const Piece& piece, const Order& order, const Widths& widths,
                       const CloseInQuestion& question, PieceAnswer& best,
                       const std::function<bool()>& is_cancelled);

}  // namespace phaze::schedule
