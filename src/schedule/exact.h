#pragma once
// Exact schedules of a layer's operators on one chip, with a proof; and the list schedule that they
// start from. How and why: the head of search.cpp.

#include <cstdint>
#include <functional>
#include <optional>

#include "plan/schedule.h"

namespace phaze::schedule {

struct Memory;  // memory.h

struct ExactOptions {
  std::int64_t work_limit = 5'000'000;  // nodes of the search, of all pieces together
  // Schedules that end no earlier are of no use: where there are no others, any schedule will do,
  // with a bound that shows it (but for pieces of more than 128 tasks).
  std::optional<Picoseconds> cutoff;
  // A schedule that ends by then is as good as any: the search ends with the first that it finds.
  Picoseconds enough;
  // Rules that cut the search short; each keeps the optimum. They can be turned off to show it.
  bool pieces = true;        // solve what stands between cuts of the graph by itself
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
  // Of problems that are alike, such as one layer with other numbers of cores: schedules and bounds
  // that were found for one serve the next. The answer then depends on what came before, as far as
  // the limit of work lets a search end without a proof.
  Memory* memory = nullptr;
  // Told every so many nodes: the best end and the bound so far, of the tasks up to those at hand.
  // Stops the search when it says so.
  std::function<bool(Picoseconds best, Picoseconds bound, std::int64_t work)> is_cancelled;
};

// Optimal, or the best found within the limit of work with its bound; never worse than
// solve_list's. The same answer for the same input.
plan::Schedule solve_exact(const plan::ScheduleProblem& problem, const ExactOptions& options = {});

// The best of a few priority rules, with a simple bound.
plan::Schedule solve_list(const plan::ScheduleProblem& problem);

}  // namespace phaze::schedule
