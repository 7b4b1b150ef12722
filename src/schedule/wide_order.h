#pragma once
// Wide tasks that exclude all others, in one of their orders.
//
// Where wide tasks exclude all others and nothing runs beside them, a schedule is a sequence of
// wide tasks and of segments: one-core tasks between two wide ones. Neighbours in it that do not
// depend on one another can change places without changing the end. So of all orders one is enough,
// in which
//   - no wide task comes anywhere behind a segment that it could have come before: all of its
//     predecessors are before the segment (wide tasks between can change places with it too);
//   - no wide task follows another of a higher number that it does not depend on.
// Changing places until both hold ends: the first moves wide tasks before segments, the second
// sorts those that follow one another. A left shift (choices.h) moves a task into an earlier
// segment, or to an earlier time in its own, and so undoes neither. Tasks that take no time stand
// between no others. So a task that could begin when a segment does will not run wide any more.
//
// What a state forbids depends on its past. Of two states with the same tasks scheduled, one is as
// good as another only if it forbids no more, now and after the next one-core task. Numbers put
// predecessors first, so that wide tasks that follow one another have rising numbers and what their
// order forbids now it forbids for ever. Tasks that cannot run wide count as forbidden too: what
// waits for them must be told apart.

#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {

class WideOrder {
 public:
  WideOrder(const Piece& piece, bool is_on);

  struct Past {
    Mask narrow = 0;                // could begin when a segment did: will not run wide
    std::size_t last = kMostTasks;  // the wide task before, or none
    bool in_segment = false;
  };
  const Past& past() const { return past_; }
  void add(std::size_t task, bool wide, Mask scheduled_before);
  void restore(const Past& past) { past_ = past; }

  bool is_on() const { return is_on_; }
  // Tasks that will not run wide any more, where the order says so.
  Mask narrow() const { return is_on_ ? past_.narrow : 0; }
  // Tasks that may not run wide next, and not after a one-core task either.
  struct Forbidden {
    Mask now = 0, later = 0;
    bool is_within(const Forbidden& other) const {
      return (now & ~other.now) == 0 && (later & ~other.later) == 0;
    }
  };
  Forbidden forbidden(Mask scheduled) const;

 private:
  // Tasks that are not scheduled and wait for none.
  Mask ready(Mask scheduled) const;

  const Piece& piece_;
  bool is_on_;
  Past past_;
};

}  // namespace phaze::schedule
