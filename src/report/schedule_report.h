#pragma once
// Schedules as charts in text.

#include <string>
#include <vector>

#include "plan/schedule.h"

namespace phaze::report {

// A chart with a row for each core that is used (of very many the first), time across.
std::string schedule_chart(const plan::ScheduleProblem& problem, const plan::Schedule& schedule,
                           std::size_t width = 100);

std::string schedule_text(const plan::ScheduleProblem& problem, const plan::Schedule& schedule);
std::string layer_schedules_text(const std::string& model, const std::string& chip,
                                 const std::vector<plan::LayerSchedule>& layers);

}  // namespace phaze::report
