#pragma once
// Which changes make a difference: Shapley's shares of the difference between two settings' best
// times, each group of fields a player. docs/models.md, section 29.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/comparison.h"
#include "search/plan_search.h"

namespace phaze::search {

inline constexpr std::size_t kMostChanges = 8;

// One group of fields.
struct SettingChange {
  std::string name;
  std::function<void(PlanSetting& setting)> apply;
};

// From one chip to another: compute, memory bandwidth, capacity, network, overheads; those in which
// they differ. All applied, a setting plans as with the other chip.
std::vector<SettingChange> chip_changes(const hw::Chip& from, const hw::Chip& to);
// From one cluster to another: each level, and what goes for all collectives. None when the
// clusters have different numbers of levels.
std::vector<SettingChange> cluster_changes(const hw::Cluster& from, const hw::Cluster& to);

// Of 2^n values, one for each subset of n changes (bit i: change i is made): the mean over all
// orders of what each change adds when it is made. They add up to the last value less the first.
std::vector<double> shapley_shares(std::span<const double> values);

struct AttributionOptions {
  // Best times without any change and with all of them, where they are known.
  std::optional<Seconds> first, last;
  // Told after each of the 2^n mixtures, from any thread, how many are done.
  std::function<void(std::size_t done)> on_done;
  // Mixtures on chips that run operators side by side share graphs and products, and schedule only
  // what can be the best; otherwise each is planned by itself, with the same times.
  bool shares_work = true;
};

// 2^n best plans, for at most kMostChanges changes. Nothing when one of them does not fit.
std::optional<std::vector<plan::Cause>> attribute(const PlanSetting& setting,
                                                  const std::vector<SettingChange>& changes,
                                                  const AttributionOptions& options = {});

}  // namespace phaze::search
