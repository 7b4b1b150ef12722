#pragma once
// Bounds on the makespan that are sums over tasks, each with the width that makes its share
// smallest. How, and why they are bounds: the head of relaxation.cpp.

#include <array>
#include <vector>

#include "schedule/windows.h"

namespace phaze::schedule {

// One sum. Shares are in picoseconds.
struct Shares {
  struct Task {
    double one = 0, wide = 0;  // the same where a task cannot run wide
    double least() const { return one < wide ? one : wide; }
  };
  std::array<double, kKinds> load{};  // weight of core time of each kind
  std::vector<Task> tasks;
  double sum = 0;  // of the least shares: a bound on the makespan
};

// Plain loads with what must stand idle, and the best mean of all bounds, for tasks in an order and
// in widths that they may have. More rounds come closer to the best; they end when a bound reaches
// `enough`.
std::vector<Shares> compute_shares(const Piece& piece, const Intervals& intervals,
                                   const Widths& widths, int rounds, Time enough);

}  // namespace phaze::schedule
