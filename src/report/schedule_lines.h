#pragma once
// The lines and tables that texts of schedules are made of.

#include <string>
#include <vector>

#include "plan/idle.h"
#include "plan/schedule.h"
#include "report/table.h"

namespace phaze::report {

std::string time_text(Seconds time);
std::string time_text(Picoseconds time);
// To a tenth of a percent.
std::string share_text(double share);
// "1 tensor core", "8 tensor cores"
std::string floor_text(plan::TimeFloor floor);

// A line for each kind of core that there is: how busy it is until `time`, and the largest shares
// of its idle time with their reasons. `floor` is what the time waits for after the last operator.
std::string core_lines(const plan::ScheduleProblem& problem, const plan::Schedule& schedule,
                       Picoseconds time, const std::vector<plan::IdleTime>& idle,
                       plan::TimeFloor floor);

// Every operator, by its start.
Table operator_table(const plan::ScheduleProblem& problem, const plan::Schedule& schedule);

}  // namespace phaze::report
