#pragma once
// What may come next in a schedule that is built in the order of start times.

#include <vector>

#include "schedule/bounds.h"
#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {

struct Choice {
  std::size_t task;
  Start start;
  Time bound;  // on schedules that go on with it
};

// Those that may lead to an end before `limit`, the likeliest first. Left out is what a left shift
// (Giffler and Thompson 1960) makes no worse: when a task would start no earlier than another
// eligible one could end, that one could run before it without delaying anything. With `twins`, so
// is a task where another of a lower number with the same durations and needs could start in its
// place and all that wait for the one wait for the other too: they can change places. Tasks of
// `not_wide` are taken on one core next, those of `narrow` always.
std::vector<Choice> list_choices(const Piece& piece, State& state, Bounds& bounds, Mask not_wide,
                                 Mask narrow, bool twins, Time limit);

}  // namespace phaze::schedule
