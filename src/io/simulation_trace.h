#pragma once
// A simulated iteration as a trace of events, for ui.perfetto.dev and chrome://tracing
// (docs/formats.md).

#include <cstdint>
#include <string>

#include "plan/plan_record.h"
#include "plan/simulation.h"

namespace phaze::io {

// Passes, transfers at both ends, and two values of memory for each pass. Viewers open no more than
// kMostTraceEvents of schedule_trace.h.
std::int64_t trace_events(const plan::SimulatedIteration& simulated);

// A process for each stage with threads for passes (and reduction and optimiser), for transfers out
// and in (more than one where they overlap), and its memory as a counter.
std::string write_trace(const plan::PlanRecord& record, const plan::SimulatedIteration& simulated);

}  // namespace phaze::io
