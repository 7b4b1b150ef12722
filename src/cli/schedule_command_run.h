#pragma once
// The schedule command once its options make sense: solving, checking, printing.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/assumptions.h"
#include "cli/commands.h"
#include "cli/model_options.h"

namespace phaze::cli {

struct ScheduleOptions : CommonOptions {
  ModelOptions model;
  std::string chip;
  std::string cluster;  // when given
  std::string problem;
  std::string method = "exact";
  std::string assumptions = "modern";
  std::string trace;
  std::int64_t work_limit = 5'000'000;
  double time_limit_s = 300;
  bool exclusive_wide = false;    // when given
  bool is_contradictory = false;  // both with and without --exclusive-wide
  bool all_operators = false;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // of all options but those of the model
};

bool is_given(const ScheduleOptions& options, std::string_view name);

// Of a problem file; of a model on a chip. The exit code.
int run_schedule_problem(const ScheduleOptions& options);
int run_schedule_model(const ScheduleOptions& options, Assumptions assumptions);

}  // namespace phaze::cli
