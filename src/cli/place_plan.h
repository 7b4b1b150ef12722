#pragma once
// `phaze place MODEL`: the best way to train a model on a cluster.

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "plan/plan_record.h"
#include "search/plan_search.h"

namespace phaze::cli {

struct PlanOptions : CommonOptions {
  ModelOptions model;
  std::string chip, cluster, assumptions = "modern", strategy, output, report;
  std::int64_t devices = 0, global_batch = 0, alternatives = 0;
  // Values that choices may take; empty: all.
  std::string tensor, pipeline, data, microbatch, interleave, zero, recompute, schedule, order,
      sequence_parallel;
  bool no_overlap = false;
  std::string layer_schedule = "exact";
  double ilp_time_limit_s = 30;
  bool why = false;
  // The least of something that does: devices or money for a whole training in so many days, memory
  // that loses no more than so many percent.
  std::string fewest;
  double days = 0, smallest_hbm = 0;
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

// The best plans of a setting, with progress shown; Ctrl-C stops at the best so far.
search::PlanAnswer solve_plan(const search::PlanSetting& setting, std::size_t keep);

// Every plan that is shown was checked by code that did not make it.
void check_plans(const search::PlanSetting& setting, const search::PlanAnswer& answer);

// "gpt3-175b on 1,024 h100, cluster dgx-h100, ...": what a plan is for.
std::string plan_title(const search::PlanSetting& setting, const std::string& model);

// Says why there is no plan, and what would do; kNoAnswer.
int show_no_plan(const search::PlanSetting& setting, bool json, const search::PlanAnswer& answer);

// Simulated too, where that is quick.
void add_simulated(plan::PlanRecord& record);

}  // namespace phaze::cli
