#pragma once
// Lower bounds on the makespan of a piece, whole or half scheduled.

#include <array>
#include <vector>

#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {

class Bounds {
 public:
  Bounds(const Piece& piece, bool mixed);

  // Longest way from the task's end to the end of all, at fastest durations.
  Time tail(std::size_t task) const { return tails_[task]; }
  // Of the whole piece.
  Time root() const { return root_; }

  // A bound on any schedule that goes on from the state and ends before `limit`: widths that would
  // end no earlier are ruled out.
  Time of(const State& state, Time limit);

  // The sums that `of` needs, kept while tasks are added and removed.
  void add(std::size_t task);
  void remove(std::size_t task);

 private:
  struct Costs {
    double one, wide;
  };
  // Weights of the longest path and of each kind's load; they add up to one.
  struct Mix {
    double path;
    std::array<double, kKinds> load;
    std::vector<Costs> cost;  // of each task
    double left;              // of tasks that are not scheduled
  };
  Costs costs_of(std::size_t task, const Mix& mix) const;
  void add_mixes();

  const Piece& piece_;
  std::vector<Time> heads_, tails_;
  std::vector<bool> on_path_;
  std::array<Area, kKinds> area_left_{};
  std::array<std::vector<Area>, kKinds> areas_;
  std::vector<Mix> mixes_;
  std::vector<Time> earliest_;  // scratch
  Time root_ = 0;
};

}  // namespace phaze::schedule
