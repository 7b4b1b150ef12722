#pragma once
// Search of pieces in which a wide task excludes all others, by segments: stretches of time in
// which tasks run on one core each. Why it loses no optimum: the head of segments.cpp.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "schedule/bounds.h"
#include "schedule/piece.h"

namespace phaze::schedule {

// Wide tasks exclude all others, and nothing runs beside them.
bool has_segments(const Piece& piece);

struct SegmentsQuestion {
  Time limit = kNever;    // schedules that end no earlier are of no use
  Time goal = 0;          // one that ends here is good enough
  std::int64_t most = 0;  // work
  // Of states with equally many tasks done go on from so many at most; 0: from all of them.
  std::size_t beam = 0;
  // Which: by their bounds (0), by what they would end with if all the rest ran alone (1), or by
  // something between.
  double guess = 0;
  // Rules that can be turned off.
  bool dominance = true;
  bool twins = true;
  bool room = true;
  bool waste = true;
  std::uint64_t seed = 0;  // another one: a beam of others that have the same bound
};
struct SegmentsAnswer {
  // There is no schedule before the limit but what was found, and none before that. Where a goal,
  // the work, a beam or somebody ended the search, it is so only if nothing was left.
  bool is_complete = true;
  Time open_bound = kNever;  // otherwise a bound on what is left; never: a beam left something out
  std::int64_t work = 0;     // states that it went on from, and what they took to tell apart
};
// Searches schedules that the bounds allow, limited to the question's limit, which is no later than
// the end of `best`; that gets a better one. Asks whether to stop now and then.
SegmentsAnswer search_segments(const Piece& piece, const Bounds& bounds,
                               const SegmentsQuestion& question, PieceAnswer& best,
                               const std::function<bool()>& is_cancelled);

// The best that a greedy choice of segments and a local search of so many steps find, or `best`;
// what they add is in widths that tasks may have. Stops at the goal, or when it is told to. Work
// counts as much as nodes of a search that take as long.
PieceAnswer improve_segments(const Piece& piece, const Widths& widths, PieceAnswer best, Time goal,
                             std::int64_t steps, const std::function<bool()>& is_cancelled);

}  // namespace phaze::schedule
