#pragma once
// Schedules as traces of events, for ui.perfetto.dev and chrome://tracing (docs/formats.md).

#include <cstdint>
#include <string>

#include "plan/model_schedule.h"
#include "plan/schedule.h"

namespace phaze::io {

// Events of a trace: one for every operator and core that it runs on. Viewers open no more than
// kMostTraceEvents.
inline constexpr std::int64_t kMostTraceEvents = 1'000'000;
std::int64_t trace_events(const plan::Schedule& schedule);
std::int64_t trace_events(const plan::ModelSchedule& schedule);

// A process with a thread for each core (from 1 on), the network, and as many more as operators on
// neither need.
std::string write_trace(const plan::ScheduleProblem& problem, const plan::Schedule& schedule);

// A process for each pass of each layer, one after another in the order in which they run: forward
// through the layers, then backward, each distinct layer once.
std::string write_trace(const plan::ModelSchedule& schedule);

}  // namespace phaze::io
