#pragma once
// Tasks that may as well start at once.
//
// In a schedule that cannot be shifted left, a task that runs on one core does not wait while it
// could run from beginning to end in the way of nobody. That is sure of a task that will not run
// wide, when nothing can start earlier, and until its end
//   - no wide task can start that it would hold up: what runs already holds it up for as long, or
//     none is left;
//   - the cores of its kinds are enough for all that runs and all that could start on them; of the
//     network's tasks, no other could start.
// Then it is the only choice that is needed. All of this is a left shift (choices.h): it goes with
// the order of wide tasks for the reasons given there.

#include <vector>

#include "schedule/choices.h"

namespace phaze::schedule {

class AtOnce {
 public:
  explicit AtOnce(const Piece& piece) : piece_(piece), heads_(piece.tasks.size()) {}

  // Of all choices that a state has, one that makes the others needless. Tasks of `narrow` will not
  // run wide.
  const Choice* find(const State& state, const Bounds& bounds, Mask narrow,
                     const std::vector<Choice>& choices);

 private:
  void find_heads(const State& state, Time first, Mask wide);
  bool may_be_held_up(const State& state, const PieceTask& task, Time end, Mask wide) const;
  bool has_room(const State& state, std::size_t task, Time first, Time end) const;

  const Piece& piece_;
  std::vector<Time> heads_;  // earliest starts of tasks that are not scheduled
};

}  // namespace phaze::schedule
