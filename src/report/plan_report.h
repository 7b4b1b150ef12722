#pragma once
// Training plans as tables.

#include <optional>
#include <string>
#include <vector>

#include "plan/plan_record.h"

namespace phaze::report {

// How the search for a plan went.
struct PlanSearch {
  std::int64_t strategies = 0, excluded = 0, priced = 0;
  double seconds = 0;
  bool is_complete = true;
  bool is_original = false;  // placement problems rather than strategies
};

struct PlanReport {
  plan::PlanRecord record;
  std::string title;  // the model, in words
  std::optional<PlanSearch> search;
};

// "80 GiB"
std::string gibibytes(Bytes bytes);

// "tensor 8 (sequence parallel), pipeline 4, data 16, ..."
std::string strategy_text(const plan::TrainingPlan& plan);

std::string plan_text(const PlanReport& report);

// "a device needs 90.1 GiB, 10.1 GiB (10,844,792,422 bytes) more than it has", of a plan that does
// not fit.
std::string missing_memory_text(const plan::TrainingPlan& plan);

// Why nothing fits, and the least memory of a device or number of devices that would do.
std::string no_plan_text(std::int64_t devices, Bytes capacity, std::optional<Bytes> needed_memory,
                         std::optional<std::int64_t> needed_devices);

// The parts of the memory of the stage that has the most in use, in a line.
std::string fullest_text(const plan::TrainingPlan& plan);

// Could schedules of layers that are not proved make another plan the best?
bool is_conditional(const plan::PlanRecord& record);

// What a plan's numbers leave open, a line each: schedules of layers that are not proved, and a
// simulation that differs by more than kMostDifference. Empty when there is nothing.
std::string doubts_text(const plan::PlanRecord& record);

// A whole training, a line for each of time, energy, dollars and carbon.
std::string run_text(const plan::TrainingRun& run);

}  // namespace phaze::report
