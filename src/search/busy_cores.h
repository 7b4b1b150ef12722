#pragma once
// One pass of a layer with each number of busy cores that is tried, and the best of their
// schedules. docs/models.md, section 16.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/schedule.h"
#include "schedule/exact.h"

namespace phaze::search {

// Durations of tasks are rounded; the time of a schedule may differ from that of unrounded ones by
// about this share: a hundred tasks in a row, each half a step off the same way, by half of it.
inline constexpr double kDurationRounding = 1e-4;

// Durations in steps of a ten-millionth to a millionth of the time that all tasks take one after
// another, each as fast as it can be: closer than any price is known, and ties show as such. Where
// one core is less than five times slower than all cores it stays as many times slower: rounded
// each by itself, tasks beside one another could gain over wide ones what is nothing but rounding.
// One core takes no longer than a little more than that time, which no schedule needs.
void round_durations(plan::ScheduleProblem& problem);

// What is asked of a solver beside a short schedule.
struct Wanted {
  std::optional<Picoseconds> cutoff;  // schedules that end then or later are of no use
  Picoseconds enough;                 // one that ends by then is as good as any
  // How much of it: a bound and some schedule, with next to no search; an eighth of the work, where
  // a proof would be of no use; all of it.
  enum class Effort { kGlance, kEighth, kAll } effort = Effort::kAll;

  bool is_glance() const { return effort == Effort::kGlance; }
};
using Solver = std::function<plan::Schedule(const plan::ScheduleProblem&, const Wanted&)>;

struct BusyCores {
  std::int64_t count = 1;  // at most so many of a kind
  plan::ScheduleProblem problem;
};

// What an exact solver is to do for it, with so much work at most.
schedule::ExactOptions exact_options(const Wanted& wanted, std::int64_t work_limit);

// The best over all of them, with a bound for all of them; `layer` brings its floor. They are asked
// as they come, fewest cores first: the others then mostly end at a bound. Where there are many
// tasks and widths decide, a glance at some of them tells which promises most: its schedule ends
// the search of the others. Once one of them has had all of its work and is open, the others get
// an eighth of it, and all of it only if it turns out that they alone are open.
plan::LayerSchedule choose_busy_cores(const plan::LayerSchedule& layer,
                                      const std::vector<BusyCores>& choices, const Solver& solve);

}  // namespace phaze::search
