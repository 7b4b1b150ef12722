#pragma once
// Which widths of tasks, and when, a schedule that ends before some limit can have.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"

namespace phaze::schedule {

// Tasks that may run on one core, and on all.
struct Widths {
  Mask one = ~Mask{0}, wide = ~Mask{0};
  bool operator==(const Widths&) const = default;
};

// Those of a piece's tasks that are not worse than the other in any case.
Widths useful_widths(const Piece& piece, const Widths& widths);

struct Windows {
  // From the beginning to a task's earliest start; from its end to the end of all, at least.
  std::vector<Time> heads, tails;
  Widths widths;
  Time bound = 0;  // no schedule ends earlier, or none ends before the limit
};
// In widths that tasks may have at most; leaves out widths that are never better than the other, so
// that who asks again with fewer leaves out none that was the last. `limit` may be kNever.
Windows find_windows(const Piece& piece, const Intervals& intervals, const Widths& widths,
                     Time limit);

// In these widths, one of them cannot run while the other does.
bool exclude_each_other(const Piece& piece, const Widths& widths, std::size_t a, std::size_t b);

// Of two tasks that cannot run at once, which must come first if all is to end before the limit
// (Carlier and Pinson 1989: immediate selection)? Adds these edges.
enum class OrderFound { kNone, kSome, kContradiction };
OrderFound add_orders(const Piece& piece, const Windows& windows, Time limit,
                      const Intervals& intervals, std::vector<Mask>& before);

// Core time of each kind, and network time, that a task takes at least in the widths that it may
// have. More than kMostLoad counts as that, so that sums stay in range.
inline constexpr std::size_t kNetwork = kKinds, kResources = kKinds + 1;
using Loads = std::array<std::int64_t, kResources>;
inline constexpr std::int64_t kMostLoad = kNever / std::int64_t{kMostTasks};
Loads least_loads(const Piece& piece, std::size_t task, bool can_one, bool can_wide);

// The least whole number that a sum of doubles bounds. Shares are sums of a few hundred terms none
// of which is negative, each good to 2e-16 of itself, and so is what is added to them.
inline Time round_up(double sum) { return static_cast<Time>(std::ceil(sum * (1 - 1e-13) - 1e-6)); }

// The time that the loads of these tasks take at least.
Time time_of(const Piece& piece, const std::vector<Loads>& loads,
             std::span<const std::uint8_t> tasks);

inline Time divide_up(Area area, std::int64_t by) {
  const Area sum = area + by - 1;
  return sum <= kNever ? static_cast<Time>(sum) / by : static_cast<Time>(sum / by);
}

}  // namespace phaze::schedule
