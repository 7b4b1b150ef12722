#pragma once
// Lower bounds on the makespan of a piece, whole or half scheduled.

#include <array>
#include <vector>

#include "schedule/piece.h"
#include "schedule/relaxation.h"
#include "schedule/state.h"

namespace phaze::schedule {

class Bounds {
 public:
  explicit Bounds(const Piece& piece);

  // Weighs bounds against one another too, until they reach `enough`.
  void weigh(Time enough);

  // Longest way from the task's end to the end of all, at fastest durations.
  Time tail(std::size_t task) const { return tails_[task]; }
  // Of the whole piece.
  Time root() const { return root_; }

  // A bound on any schedule that goes on from the state, runs none of `narrow` wide and ends before
  // `limit`: widths that would end no earlier are ruled out.
  Time of(const State& state, Mask narrow, Time limit);

 private:
  const Piece& piece_;
  std::vector<Time> tails_;
  std::vector<Shares> shares_;
  std::vector<Time> finish_;  // scratch
  Time root_ = 0;
};

}  // namespace phaze::schedule
