#pragma once
// Bounds on the makespan that are sums over tasks, each with the width that makes its share
// smallest. How, and why they are bounds: the head of relaxation.cpp.

#include <array>
#include <cmath>
#include <vector>

#include "schedule/piece.h"

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

// Plain loads with what must stand idle, and the best mean of all bounds, for the tasks of `left`
// (with every task, all that come after it). More rounds come closer to the best; they end when a
// bound reaches `enough`.
std::vector<Shares> compute_shares(const Piece& piece, Mask left, int rounds, Time enough);

// The least whole number that a sum of doubles bounds. Shares are sums of a few hundred terms none
// of which is negative, each good to 2e-16 of itself, and so is what is added to them.
inline Time round_up(double sum) { return static_cast<Time>(std::ceil(sum * (1 - 1e-13) - 1e-6)); }

}  // namespace phaze::schedule
