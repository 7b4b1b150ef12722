#pragma once
// Schedules as charts and tables in text.

#include <string>

#include "plan/model_schedule.h"
#include "plan/schedule.h"

namespace phaze::report {

inline constexpr std::size_t kChartWidth = 100;

// A chart with a row for each core (of those with equal rows that follow one another: for all of
// them), `time` across.
std::string schedule_chart(const plan::ScheduleProblem& problem, const plan::Schedule& schedule,
                           Picoseconds time, std::size_t width = kChartWidth);

// What a problem's answer says, its chart, and a table of all operators by their start.
std::string schedule_text(const plan::ScheduleProblem& problem, const plan::Schedule& schedule,
                          std::size_t width = kChartWidth);

// A table of layers and passes, then the chart of each; with a table of its operators where they
// are asked for.
std::string model_schedule_text(const plan::ModelSchedule& schedule, bool all_operators = false,
                                std::size_t width = kChartWidth);

}  // namespace phaze::report
