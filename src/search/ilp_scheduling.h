#pragma once
// Schedules of layers by integer programming in place of the exact search: a second opinion on the
// whole chain from layers to chips. docs/models.md, section 16.

#include "schedule/ilp.h"
#include "search/layer_schedule.h"

namespace phaze::search {

// A solver for Scheduling::solve that any number of threads may share. A problem is solved once and
// its schedule kept, so that a layer takes the same time whenever it is asked for, also where a
// limit of time ended the program. Bounds are what CBC proved.
Solver make_ilp_solver(const schedule::IlpOptions& options);

}  // namespace phaze::search
