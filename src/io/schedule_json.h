#pragma once
// Schedules and their problems as JSON (docs/formats.md).

#include <string>

#include "plan/model_schedule.h"
#include "plan/schedule.h"

namespace phaze::io {

// A problem as `read_schedule_problem` takes it. Times below an hour read back to the picosecond.
std::string write_schedule_problem(const plan::ScheduleProblem& problem);

// A schedule has a run for every task of its problem.
std::string write_schedule(const plan::ScheduleProblem& problem, const plan::Schedule& schedule);
std::string write_model_schedule(const plan::ModelSchedule& schedule);

}  // namespace phaze::io
