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

class AtOnce;

// What may be left out.
struct ChoiceRules {
  Mask not_wide = 0;          // tasks that are taken on one core next
  Mask narrow = 0;            // and those that always are
  Mask twins = 0;             // tasks that may change places with others of these
  AtOnce* at_once = nullptr;  // asked for a choice that makes the others needless
};

// Those that may lead to an end before `limit`, the likeliest first. Left out is what a left shift
// (Giffler and Thompson 1960) makes no worse: when a task would start no earlier than another
// eligible one could end, that one could run before it without delaying anything. So is a task
// where a twin of a lower number with the same durations and needs could start in its place and all
// that wait for the one wait for the other too: they can change places.
std::vector<Choice> list_choices(const Piece& piece, State& state, Bounds& bounds,
                                 const ChoiceRules& rules, Time limit);

}  // namespace phaze::schedule
