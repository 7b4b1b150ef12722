#pragma once
// Parts of all schedules of a piece, told apart by widths of tasks and orders of two.

#include <optional>
#include <utility>
#include <vector>

#include "schedule/rates.h"
#include "schedule/windows.h"

namespace phaze::schedule {

// Schedules in which tasks have these widths and come after these others.
struct Part {
  Widths widths;
  std::vector<Mask> before;  // by task; with the piece's own
  Time bound = 0;            // on all of them
  std::int64_t nodes = 0;    // that the next look at it may take
  bool is_told = false;      // there is nothing left to split it by
  Time open = kNever;        // whether it has schedules before this was asked and is not known
};
Part whole(const Piece& piece, std::int64_t nodes);

// Whether wide tasks exclude all others, and there are two tasks on the network, or a few pairs of
// them, that could come in either order.
bool has_open_network(const Piece& piece, const Intervals& intervals);

// Two parts that make up one. By the order of two such tasks first: much comes before and after
// each. Then such that the relaxed schedule is in neither: by the width of a task that it runs
// partly wide, or by the order of two tasks that cannot run at once where it runs one of them
// partly before and partly after the other. Where it has nothing of the kind, by the longest task
// that has both widths left; nothing where there is none. The likelier part comes second.
std::optional<std::pair<Part, Part>> split(const Piece& piece, const Intervals& intervals,
                                           const Widths& widths, const Rates& rates,
                                           const Part& part);

// Parts that may hold better schedules.
class OpenParts {
 public:
  explicit OpenParts(Part all) : parts_{std::move(all)} {}

  // The one that was put last; or the one with the least bound, of several one that can be split.
  Part take_last();
  Part take_least();
  void put(Part part) { parts_.push_back(std::move(part)); }

  Time least_bound() const;
  // Those with a bound below the limit cannot be split any more.
  bool are_all_told(Time limit) const;

 private:
  std::vector<Part> parts_;
};

}  // namespace phaze::schedule
