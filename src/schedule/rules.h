#pragma once
// Rules that cut the exact search short; each keeps an optimum. They can be turned off to show it.

#include <cstdint>

namespace phaze::schedule {

struct Rules {
  bool dominance = true;     // skip states that are no better than one seen before
  bool wide_order = true;    // put wide tasks that exclude all others into one of their orders
  bool twins = true;         // put tasks that are alike into one of their orders
  bool at_once = true;       // start tasks that are in nobody's way at once
  bool mixed_bounds = true;  // weigh paths and loads against one another, and leave out widths and
                             // orders that no better schedule can have
  bool shaving = true;       // leave out widths that no better schedule can have, tried one by one;
                             // only with mixed bounds
  bool splits = true;        // split all schedules by widths and orders, each part with its bounds
  bool segments = true;      // where wide tasks exclude all others, go through segments first
  bool windows = true;  // where wide tasks share, search by windows first; only with mixed bounds
  bool room = true;     // leave out segments behind which whole tasks have no room; only there
  bool waste = true;    // and those whose cores no whole tasks can fill; only with mixed bounds
  // Nodes of the first look at all schedules, before they are split, and of one at a part.
  std::int64_t first_look = 2'000, part_look = 300;
};

}  // namespace phaze::schedule
