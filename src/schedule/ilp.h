#pragma once
// Schedules by integer programming: a second opinion on the exact search, with which it shares no
// code, and the original's way of doing it. Solved by CBC where the build has it. docs/models.md,
// section 16.

#include <cstdint>
#include <functional>

#include "base/units.h"
#include "plan/schedule.h"

namespace phaze::schedule {

enum class Formulation {
  kOriginal,  // that of the paper's code; cores only where the answer without them uses too many
  kStrong,    // the same schedules, with tighter bounds and without interchangeable answers
};

struct IlpOptions {
  Seconds time_limit{300};                  // of the wall clock, over all phases
  std::int64_t node_limit = 1'000'000'000;  // of CBC's tree, over all phases
  double gap = 0;                           // relative: where CBC may stop
  Formulation formulation = Formulation::kStrong;
  // Asked several times a second, where there is one; when it says so, CBC is ended. What it had
  // found by then is lost: its interface gives nothing away before the end.
  std::function<bool()> is_cancelled;
};

// Whether this build has a solver of integer programs.
bool has_ilp();

// The problem must be sound: no circle of edges, no negative time, a core for every task that needs
// one. The schedule is exact to the picosecond, whatever CBC's tolerances. Its status is optimal
// when CBC finished (or the makespan is a bound that needs no solver) and the bound, less what the
// tolerances may hide, meets the makespan; that asks for times with a common grain of at least
// about a millionth of the makespan. Otherwise it is feasible, with the bound that CBC did prove.
// Where CBC finds nothing better in time or until it is cancelled, where there is no CBC and beyond
// 128 tasks, it is a list schedule. Work counts the nodes of CBC's tree. CBC runs in a copy of this
// process (fork).
plan::Schedule solve_ilp(const plan::ScheduleProblem& problem, const IlpOptions& options = {});

}  // namespace phaze::schedule
