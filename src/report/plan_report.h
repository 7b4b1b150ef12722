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
};

// What a whole training takes.
struct TrainingRun {
  double tokens = 0, days = 0, energy_j = 0, dollars = 0, carbon_kg = 0;
};

// What the best plan's time becomes with a little more of something.
struct Sensitivity {
  std::string what;
  std::optional<Seconds> iteration;  // nothing: no plan
};

struct PlanReport {
  plan::PlanRecord record;
  std::string title;  // the model, in words
  std::optional<PlanSearch> search;
  std::vector<plan::TrainingPlan> others;  // the next best
  std::optional<TrainingRun> run;
  std::vector<Sensitivity> why;
  std::vector<std::string> notes;
};

// "80 GiB"
std::string gibibytes(Bytes bytes);

// "tensor 8 (sequence parallel), pipeline 4, data 16, ..."
std::string strategy_text(const plan::TrainingPlan& plan);

std::string plan_text(const PlanReport& report);

}  // namespace phaze::report
