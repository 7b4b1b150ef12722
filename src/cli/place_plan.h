#pragma once
// `phaze place MODEL`: the best way to train a model on a cluster.

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/model_options.h"

namespace phaze::cli {

struct PlanOptions : CommonOptions {
  ModelOptions model;
  std::string chip, cluster, assumptions = "modern", strategy, output;
  std::int64_t devices = 0, global_batch = 0, alternatives = 0;
  // Values that choices may take; empty: all.
  std::string tensor, pipeline, data, microbatch, interleave, zero, recompute, schedule, order,
      sequence_parallel;
  bool no_overlap = false;
  bool why = false;
  std::string tokens;
  std::vector<std::string> settings;
  std::vector<std::string> given;  // of all options but those of the model
};

// Every option but MODEL's own.
std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options);

int run_plan(const PlanOptions& options);

}  // namespace phaze::cli
