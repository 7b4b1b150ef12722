#pragma once
// Widths that no schedule before a limit can have, found by trying them.

#include <cstdint>
#include <functional>

#include "schedule/bounds.h"
#include "schedule/splits.h"

namespace phaze::schedule {

// Leaves out of a part what no schedule of it that ends before the limit can have, and leaves the
// bounds limited to it. Tries so many widths at most, and asks now and then whether to stop. How
// many widths were tried.
//
// A task is given one of its widths: when that raises the bound to the limit, the task has the
// other one in every schedule that counts (Carlier and Pinson 1994; Martin and Shmoys 1996 call it
// shaving).
std::int64_t shave(const Piece& piece, Time limit, std::int64_t most, RateFinder& finder,
                   Bounds& bounds, Part& part, const std::function<bool()>& is_cancelled);

}  // namespace phaze::schedule
