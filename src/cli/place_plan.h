#pragma once
// `phaze place MODEL`: the best way to train a model on a cluster.

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/model_options.h"

namespace phaze::cli {

struct PlanOptions : CommonOptions {
  ModelOptions model;
  std::string chip, cluster, assumptions = "modern", strategy, output, report;
  std::int64_t devices = 0, global_batch = 0, alternatives = 0;
  // Values that choices may take; empty: all.
  std::string tensor, pipeline, data, microbatch, interleave, zero, recompute, schedule, order,
      sequence_parallel;
  bool no_overlap = false;
  bool why = false;
  // Of a whole training.
  std::string tokens;
  double pue = 0, usd_per_kwh = 0, kg_per_kwh = 0, life_years = 0, usd_per_device = 0,
         usd_per_device_hour = 0;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // of all options but those of the model
};

bool is_given(const PlanOptions& options, std::string_view name);

// Every option but MODEL's own.
std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options);

int run_plan(const PlanOptions& options);

}  // namespace phaze::cli
