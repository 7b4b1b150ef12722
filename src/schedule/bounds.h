#pragma once
// Lower bounds on the makespan of a piece, whole or half scheduled.

#include <array>
#include <vector>

#include "schedule/piece.h"
#include "schedule/rates.h"
#include "schedule/relaxation.h"
#include "schedule/splits.h"
#include "schedule/state.h"
#include "schedule/windows.h"

namespace phaze::schedule {

class Bounds {
 public:
  explicit Bounds(const Piece& piece);

  // From here on, only schedules count that end before `limit`.
  void limit_to(Time limit);
  // And that are of a part.
  void limit_to(Time limit, const Part& part);
  // Whether windows are squeezed too (squeeze.h): it takes time, and tells more where wide tasks
  // share.
  void set_squeezing(bool is_on) { is_squeezing_ = is_on; }
  const Intervals& intervals() const { return intervals_; }
  // Weighs bounds against one another too, until they reach the limit.
  void weigh();
  // Counts what can run at one moment too.
  void rate(RateFinder& finder, int steps);
  // Whether that would raise the bound to the limit; changes nothing but what the finder knows.
  bool reaches_limit(RateFinder& finder, int steps) const;
  const Rates& rates() const { return rates_; }

  // Longest way from the task's end to the end of all, at fastest durations.
  Time tail(std::size_t task) const { return tails_[task]; }
  // Those that come before a task and some that follow from the limit.
  Mask before(std::size_t task) const { return intervals_.before[task]; }
  // That tasks may have.
  const Widths& widths() const { return windows_.widths; }
  // Of the whole piece; no more than the limit.
  Time root() const { return root_; }

  // A bound on any schedule that goes on from the state, runs none of `narrow` wide (only where
  // wide tasks exclude all others) and ends before `limit`: widths that would end no earlier are
  // ruled out.
  Time of(const State& state, Mask narrow, Time limit);

 private:
  void narrow(const Widths& widths);
  void squeeze();
  Widths affordable_widths() const;

  const Piece& piece_;
  std::vector<Mask> before_;  // with what the limit adds
  Intervals intervals_;
  Windows windows_;
  Part part_;
  Time limit_ = kNever;
  std::vector<Time> tails_;
  std::vector<Shares> shares_;
  Rates rates_;  // none: no values
  bool is_squeezing_ = true;
  bool is_alone_ = false;     // while a wide task runs, nothing else can
  std::vector<Time> finish_;  // scratch
  std::vector<Loads> loads_;  // scratch
  // By task, for one core, for all, and for whichever is less.
  std::vector<std::array<Loads, 3>> loads_of_;
  Time root_ = 0, plain_root_ = 0;
};

}  // namespace phaze::schedule
