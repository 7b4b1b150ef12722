#pragma once
// Exact schedules of a layer's operators on one chip, with a proof; and the list schedule that they
// start from. How and why: the head of search.cpp.

#include <cstdint>
#include <functional>
#include <optional>

#include "plan/schedule.h"
#include "schedule/rules.h"

namespace phaze::schedule {

struct Memory;  // memory.h

struct ExactOptions : Rules {
  std::int64_t work_limit = 5'000'000;  // nodes of the search, of all pieces together
  // Schedules that end no earlier are of no use: where there are no others, any schedule will do,
  // with a bound that shows it (but for pieces of more than 128 tasks).
  std::optional<Picoseconds> cutoff;
  // A schedule that ends by then is as good as any: the search ends with the first that it finds.
  Picoseconds enough;
  bool pieces = true;  // solve what stands between cuts of the graph by itself; a rule too
  // Of problems that are alike, such as one layer with other numbers of cores: schedules and bounds
  // that were found for one serve the next. The answer then depends on what came before, as far as
  // the limit of work lets a search end without a proof.
  Memory* memory = nullptr;
  // Told every so many nodes: the best end and the bound so far.
  // Stops the search when it says so.
  std::function<bool(Picoseconds best, Picoseconds bound, std::int64_t work)> is_cancelled;
};

// Optimal, or the best found within the limit of work with its bound; never worse than
// solve_list's. The same answer for the same input.
plan::Schedule solve_exact(const plan::ScheduleProblem& problem, const ExactOptions& options = {});

// The best of a few priority rules, with a simple bound.
plan::Schedule solve_list(const plan::ScheduleProblem& problem);

}  // namespace phaze::schedule
