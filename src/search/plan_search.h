#pragma once
// Plans a model on a chip and a cluster under a set of assumptions: one function for commands and
// for searches over chips.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan_record.h"
#include "search/plan_setting.h"

namespace phaze::search {

struct PlanSearchOptions {
  std::size_t keep = 1;  // best plans, of different strategies; the original's: one
  // Where schedules of layers are not proved the bound is lowered by as much: a second search.
  bool bounds_layers = true;
  // Told now and then, see place::PlannerOptions.
  std::function<bool(std::int64_t done, Seconds best)> is_cancelled;
};

struct PlanAnswer {
  // The best first; none: nothing fits. Where stages, data and tensor width are given one that does
  // not fit may be there, the one that misses least.
  std::vector<plan::TrainingPlan> plans;
  std::vector<plan::Chain> chains;       // that the plans were made from, one each
  std::optional<OriginalPlan> original;  // of the original's assumptions, where there is a plan
  // No plan that was allowed is faster: with these layer times, and from find_plan however layers
  // are scheduled.
  Seconds bound;
  double largest_gap = 0;  // of all layer schedules, see plan::Chain::schedule_gap
  bool is_complete = true;
  std::int64_t strategies = 0, priced = 0, excluded = 0;
  std::string reason;  // without plans and strategies: why
  std::vector<std::string> notes;

  bool has_fitting() const { return !plans.empty() && plans.front().fits; }
};

// The setting must be possible: widths that divide, a number format that the chip has, for the
// original a cluster of one level.
PlanAnswer find_plan(const PlanSetting& setting, const PlanSearchOptions& options = {});

// The same with costs that are there, for several questions about one setting.
PlanAnswer find_modern_plan(const PlanSetting& setting, SettingCosts& costs,
                            const PlanSearchOptions& options = {});
PlanAnswer find_original_plan(const PlanSetting& setting, const OriginalChains& chains);

// The record of the best plan, with the names of chip and cluster. Needs a plan.
plan::PlanRecord make_record(const PlanSetting& setting, const PlanAnswer& answer);

}  // namespace phaze::search
