#include "search/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/rng.h"
#include "models/zoo.h"
#include "presets/chips.h"
#include "presets/clusters.h"

namespace phaze::search {
namespace {

// The definition: over all orders, what each change adds.
std::vector<double> by_orders(const std::vector<double>& values, std::size_t players) {
  std::vector<std::size_t> order(players);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> shares(players, 0);
  double orders = 0;
  do {
    std::size_t set = 0;
    for (const std::size_t player : order) {
      const std::size_t with = set | (std::size_t{1} << player);
      shares[player] += values[with] - values[set];
      set = with;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& share : shares) {
    share /= orders;
  }
  return shares;
}

TEST(Shapley, IsTheMeanOverAllOrders) {
  Rng rng(7);
  for (std::size_t players = 1; players <= 5; ++players) {
    std::vector<double> values(std::size_t{1} << players);
    for (double& value : values) {
      value = static_cast<double>(rng.next() % 1000);
    }
    const std::vector<double> expected = by_orders(values, players);
    const std::vector<double> found = shapley_shares(values);
    ASSERT_EQ(found.size(), players);
    double sum = 0;
    for (std::size_t i = 0; i < players; ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-9);
      sum += found[i];
    }
    EXPECT_NEAR(sum, values.back() - values.front(), 1e-9);
  }
}

TEST(Shapley, NoChangesNoShares) { EXPECT_TRUE(shapley_shares(std::vector<double>{3}).empty()); }

// All groups changed, a setting plans as with the other chip.
TEST(ChipChanges, AllTogetherAreTheOtherChip) {
  Diagnostics diagnostics;
  PlanSetting setting;
  setting.model = models::find_zoo_model("gpt2-xl")->spec;
  setting.cluster = *presets::load_cluster("dgx-a100", {}, diagnostics);
  setting.devices = 8;
  setting.global_batch = 16;
  for (const auto& [a, b] : {std::pair("a100-40g", "h200"), std::pair("tpuv4", "mi300x")}) {
    const hw::Chip from = *presets::load_chip(a, {}, diagnostics);
    const hw::Chip to = *presets::load_chip(b, {}, diagnostics);
    setting.chip = from;
    for (const SettingChange& change : chip_changes(from, to)) {
      change.apply(setting);
    }
    PlanSearchOptions options;
    options.bounds_layers = false;
    const PlanAnswer mixed = find_plan(setting, options);
    setting.chip = to;
    const PlanAnswer whole = find_plan(setting, options);
    ASSERT_TRUE(mixed.has_fitting() && whole.has_fitting());
    EXPECT_EQ(mixed.plans.front().iteration, whole.plans.front().iteration) << a << " " << b;
  }
}

// Chips with side-by-side operators and without, and clusters: mixtures that share work have the
// times of mixtures that are planned by themselves.
TEST(Attribution, SharedWorkChangesNothing) {
  Diagnostics diagnostics;
  PlanSetting setting;
  setting.model = models::find_zoo_model("opt-350m")->spec;
  setting.cluster = *presets::load_cluster("dgx-a100", {}, diagnostics);
  setting.devices = 8;
  setting.global_batch = 16;
  const auto expect_same = [&setting](const std::vector<SettingChange>& changes) {
    std::atomic<std::size_t> told = 0;
    AttributionOptions shared;
    shared.on_done = [&told](std::size_t) { ++told; };
    const auto found = attribute(setting, changes, shared);
    AttributionOptions alone;
    alone.shares_work = false;
    const auto expected = attribute(setting, changes, alone);
    ASSERT_TRUE(found && expected);
    ASSERT_EQ(found->size(), changes.size());
    EXPECT_EQ(told, (std::size_t{1} << changes.size()) + 1);  // and once before the first
    for (std::size_t i = 0; i < changes.size(); ++i) {
      EXPECT_EQ((*found)[i].name, (*expected)[i].name);
      EXPECT_NEAR((*found)[i].change.value(), (*expected)[i].change.value(), 1e-12);
    }
  };
  for (const auto& [a, b] : {std::pair("tpuv4", "h100"), std::pair("tpuv4", "tpuv5p")}) {
    setting.chip = *presets::load_chip(a, {}, diagnostics);
    expect_same(chip_changes(setting.chip, *presets::load_chip(b, {}, diagnostics)));
  }
  setting.chip = *presets::load_chip("tpuv4", {}, diagnostics);
  expect_same(
      cluster_changes(setting.cluster, *presets::load_cluster("dgx-h100", {}, diagnostics)));
}

TEST(Attribution, KnownTimesAreNotPlannedAgain) {
  PlanSetting setting;  // without a model: nothing could be planned
  setting.global_batch = 16;
  AttributionOptions known;
  known.first = Seconds(4);
  known.last = Seconds(3);
  const auto causes = attribute(setting, {{"all", [](PlanSetting&) {}}}, known);
  ASSERT_TRUE(causes);
  EXPECT_EQ(causes->front().change, Seconds(-1));
}

TEST(ClusterChanges, LevelByLevel) {
  Diagnostics diagnostics;
  const hw::Cluster a = *presets::load_cluster("dgx-a100", {}, diagnostics);
  const hw::Cluster b = *presets::load_cluster("dgx-h100", {}, diagnostics);
  PlanSetting setting;
  setting.cluster = a;
  for (const SettingChange& change : cluster_changes(a, b)) {
    change.apply(setting);
  }
  EXPECT_EQ(setting.cluster.levels, b.levels);
  EXPECT_EQ(setting.cluster.start, b.start);
  EXPECT_TRUE(cluster_changes(a, *presets::load_cluster("flat", {}, diagnostics)).empty());
}

}  // namespace
}  // namespace phaze::search
