// Chips of a space by index, what is left out, and the built-in spaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "hw/area.h"
#include "hw/figures.h"
#include "hw/memory.h"
#include "presets/spaces.h"
#include "space/chips.h"
#include "space/enumerate.h"
#include "space/monotone.h"
#include "support/chips.h"

namespace phaze::space {
namespace {

Space built_in(const std::string& name) {
  Diagnostics diagnostics;
  const auto space = presets::load_space(name, diagnostics);
  EXPECT_TRUE(space) << to_string(diagnostics);
  return space.value();
}

// Two core counts, three buffers.
Space small_space() {
  Space space;
  space.name = "small";
  space.base = tests::round_chip();
  space.axes = {{Field::kTensorCount, {4, 8}}, {Field::kGlobalSize, {1 << 20, 1 << 21, 3 << 20}}};
  return space;
}

// Straight from the description of the original's generator, without this folder.
std::vector<hw::Chip> original_chips(const hw::Chip& base) {
  std::vector<hw::Chip> chips;
  hw::Chip chip = base;
  for (std::int64_t tensor = 1; tensor <= 4096; tensor *= 2) {
    for (std::int64_t vector = 1; vector <= 4096; vector *= 2) {
      for (std::int64_t width = 2; width <= 256; width *= 2) {
        for (std::int64_t depth = 2; depth <= 256; depth *= 2) {
          for (std::int64_t mib = 2; mib <= 128; mib *= 2) {
            chip.tensor.count = chip.tensor.fabricated = tensor;
            chip.tensor.rows = depth;
            chip.tensor.columns = width;
            chip.tensor.local_buffer = hw::default_local_buffer(width * depth);
            chip.tensor.local_bytes_per_cycle = hw::default_local_bytes_per_cycle(depth, width);
            chip.tensor.port_bytes_per_cycle = hw::default_port_bytes_per_cycle(depth, width);
            chip.vector.count = chip.vector.fabricated = vector;
            chip.vector.lanes = width;
            chip.vector.local_buffer = hw::default_local_buffer(width);
            chip.global.size = chip.global.fabricated = Bytes(mib << 20);
            chip.global.bytes_per_cycle = hw::default_global_bytes_per_cycle(chip.tensor);
            const double area = hw::total(hw::compute_area_phaze22(chip)).value();
            const double limit = 278.826676312;
            if (area <= limit + 1e-8 && (tensor == 1 || vector == 1 || area >= 0.3 * limit)) {
              chips.push_back(chip);
            }
          }
        }
      }
    }
  }
  return chips;
}

TEST(Spaces, Phaze2024HasTheOriginalsChipsAndNoOthers) {
  const Space space = built_in("phaze2024");
  const std::vector<hw::Chip> expected = original_chips(space.base);
  ASSERT_EQ(expected.size(), 29360U);
  std::size_t at = 0;
  std::map<std::int64_t, int> by_buffer, by_width;
  visit_chips(space, 0, combinations(space),
              [&](std::int64_t, const hw::Chip& chip, SquareMillimetres) {
                ASSERT_LT(at, expected.size());
                const hw::Chip& other = expected[at++];
                for (std::size_t i = 0; i < kFields; ++i) {
                  const auto field = static_cast<Field>(i);
                  ASSERT_EQ(get_field(chip, field), get_field(other, field)) << traits(field).path;
                }
                ASSERT_EQ(chip.tensor.fabricated, other.tensor.fabricated);
                ASSERT_EQ(chip.vector.fabricated, other.vector.fabricated);
                ASSERT_EQ(chip.global.fabricated, other.global.fabricated);
                ++by_buffer[chip.global.size.value() >> 20];
                ++by_width[chip.tensor.columns];
              });
  EXPECT_EQ(at, expected.size());
  // Counts by global buffer and by width, as published.
  EXPECT_EQ(by_buffer,
            (std::map<std::int64_t, int>{
                {2, 2968}, {4, 3010}, {8, 3066}, {16, 3224}, {32, 3918}, {64, 7029}, {128, 6145}}));
  EXPECT_EQ(by_width, (std::map<std::int64_t, int>{{2, 4100},
                                                   {4, 4118},
                                                   {8, 4068},
                                                   {16, 4087},
                                                   {32, 3909},
                                                   {64, 3555},
                                                   {128, 3024},
                                                   {256, 2499}}));
  EXPECT_EQ(space.training.microbatches, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(space.training.recompute, (std::vector<Recompute>{Recompute::kNone, Recompute::kFull}));
  EXPECT_EQ(space.training.hbm_capacities.size(), 3U);
}

TEST(Spaces, TheSmallOneIsAPartOfPhaze2024) {
  const auto ids = [](const std::string& name) {
    const Space space = built_in(name);
    std::set<std::string> all;
    for (const std::int64_t index : list_chips(space)) {
      all.insert(chip_id(space, index));
    }
    return all;
  };
  const std::set<std::string> small = ids("phaze2024-small");
  const std::set<std::string> large = ids("phaze2024");
  EXPECT_EQ(large.size(), 29360U);  // ids are distinct
  EXPECT_GE(small.size(), 200U);
  EXPECT_LE(small.size(), 900U);
  EXPECT_TRUE(std::ranges::includes(large, small));
}

// A part of the index range is enough to see what the rest is like.
TEST(Spaces, ModernChipsCanBeBuilt) {
  const Space space = built_in("modern");
  EXPECT_GE(combinations(space), 10'000'000);
  const hw::Node& node = *hw::find_node(space.base.node_nm);
  const std::int64_t middle = combinations(space) / 2;
  std::int64_t chips = 0;
  visit_chips(space, middle, middle + 100'000,
              [&](std::int64_t, const hw::Chip& chip, SquareMillimetres area) {
                ++chips;
                const hw::AreaBreakdown parts = hw::compute_area(chip, node);
                ASSERT_EQ(area, hw::total(parts));
                ASSERT_LE(area, hw::kReticle);
                ASSERT_LE(chip.hbm.stacks, hw::most_stacks(area, 1));
                ASSERT_LE(hw::total(hw::compute_power(chip, node, parts, {})).value(), 700);
                ASSERT_EQ(chip.hbm.stack_bandwidth, hw::most_stack_bandwidth(chip.hbm.generation));
                const std::vector<Bytes> sizes = hbm_capacities(space, chip);
                ASSERT_FALSE(sizes.empty());
                ASSERT_LE(sizes.back(),
                          hw::most_stack_capacity(chip.hbm.generation) * chip.hbm.stacks);
              });
  EXPECT_GT(chips, 1000);
}

TEST(Spaces, IndicesAreMixedRadixTheLastAxisFastest) {
  const Space space = small_space();
  EXPECT_EQ(combinations(space), 6);
  ChipMaker maker(space);
  for (const std::int64_t index : {5, 0, 1, 2, 3, 4, 5, 2, 3}) {  // in order and not
    const hw::Chip& chip = maker.at(index);
    const hw::Chip alone = make_chip(space, index);
    EXPECT_EQ(chip.tensor.count, index < 3 ? 4 : 8);
    EXPECT_EQ(chip.global.size, Bytes((index % 3 + 1) << 20));
    EXPECT_EQ(alone.tensor.count, chip.tensor.count);
    EXPECT_EQ(alone.global.size, chip.global.size);
  }
  EXPECT_EQ(chip_id(space, 4), "t8-g2M");
  EXPECT_EQ(make_chip(space, 4).name, "t8-g2M");
  const std::vector<FieldValue> values = field_values(space, 4);
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(value_text(values[1].field, values[1].value), "2 MiB");
}

TEST(Spaces, SparesKeepTheBasesShare) {
  Space space = small_space();
  space.base.tensor.fabricated = 5;  // of 4
  space.base.global.fabricated = Bytes(3 << 19);
  space.base.hbm.sites = 3;  // of 1
  space.axes.push_back({Field::kHbmStacks, {2}});
  const hw::Chip chip = make_chip(space, 3);
  EXPECT_EQ(chip.tensor.count, 8);
  EXPECT_EQ(chip.tensor.fabricated, 10);
  EXPECT_EQ(chip.global.fabricated, Bytes(3 << 19));
  EXPECT_EQ(chip.hbm.sites, 4);
}

TEST(Spaces, FieldsFollowAxesRulesAndTheBase) {
  Space space = small_space();
  space.axes = {{Field::kTensorColumns, {8, 32}}};
  space.ties = {{Field::kVectorLanes, TieKind::kMultiple, 2, Field::kTensorColumns},
                {Field::kTensorPortBytesPerCycle, TieKind::kBase, 1, Field::kTensorColumns}};
  const hw::Chip chip = make_chip(space, 1);
  EXPECT_EQ(chip.vector.lanes, 64);
  EXPECT_EQ(chip.tensor.local_buffer, hw::default_local_buffer(16 * 32));
  EXPECT_EQ(chip.vector.local_buffer, hw::default_local_buffer(64));
  EXPECT_EQ(chip.tensor.port_bytes_per_cycle, 1000);
  EXPECT_EQ(chip.global.bytes_per_cycle, hw::default_global_bytes_per_cycle(chip.tensor));
  // Where the shape of cores does not vary, all is the base's.
  EXPECT_EQ(make_chip(small_space(), 3).tensor.local_buffer, Bytes(64 << 10));
}

TEST(Spaces, EveryLimitLeavesOutWhatBreaksIt) {
  const auto first_limit = [](const Space& space, std::int64_t index) {
    return judge(space, make_chip(space, index)).limit;
  };
  Space space = small_space();
  space.budgets.area = SquareMillimetres(858);
  EXPECT_EQ(first_limit(space, 0), std::nullopt);
  Space other = space;
  other.filters = {{Field::kGlobalSize, Comparison::kAtLeast, Field::kTensorCount, 1 << 18}};
  EXPECT_EQ(first_limit(other, 3), Limit::kFilters);  // 1 MiB < 8 x 256 KiB
  EXPECT_EQ(first_limit(other, 4), std::nullopt);
  other = space;
  other.base.tensor.local_buffer = Bytes(3 << 19);
  EXPECT_EQ(first_limit(other, 0), Limit::kParts);
  other = space;
  other.base.hbm.stack_bandwidth = BytesPerSecond(500e9);  // of HBM2e
  EXPECT_EQ(first_limit(other, 0), Limit::kParts);
  other = space;
  other.base.dies = 3;
  EXPECT_EQ(first_limit(other, 0), Limit::kParts);
  other = space;
  other.training.hbm_stack_capacities = {Bytes(std::int64_t{24} << 30)};  // of HBM2e
  EXPECT_EQ(first_limit(other, 0), Limit::kParts);
  other = space;
  other.budgets.area = SquareMillimetres(1);
  EXPECT_EQ(first_limit(other, 0), Limit::kArea);
  other = space;
  other.budgets.least_area = LeastArea{0.9, {Field::kTensorCount}};
  EXPECT_EQ(first_limit(other, 0), Limit::kLeastArea);
  other.axes[0].values = {1, 8};
  EXPECT_EQ(first_limit(other, 0), std::nullopt);
  other = space;
  other.budgets.area.reset();
  other.axes[0].values = {4, 1 << 20};
  EXPECT_EQ(first_limit(other, 3), Limit::kReticle);
  other = space;
  other.axes.push_back({Field::kHbmStacks, {12}});
  other.budgets.area.reset();
  EXPECT_EQ(first_limit(other, 0), Limit::kMemoryEdge);
  other = space;
  other.budgets.power = Watts(1);
  EXPECT_EQ(first_limit(other, 0), Limit::kPower);
  other = space;
  other.budgets.die_cost = Dollars(0.01);
  EXPECT_EQ(first_limit(other, 0), Limit::kDieCost);
}

// All that cost no more, and no other; the same by counting, listing and by index.
TEST(Spaces, ABudgetOnDieCostLeavesOutWhatCostsMore) {
  Space space = built_in("phaze2024-small");
  const std::vector<std::int64_t> all = list_chips(space);
  const auto cost_of = [&space](std::int64_t index) {
    return hw::compute_figures(make_chip(space, index), space.technology).value().cost.logic;
  };
  std::vector<Dollars> costs;
  for (const std::int64_t index : all) {
    costs.push_back(cost_of(index));
  }
  std::ranges::sort(costs);
  for (const std::size_t place : {std::size_t{0}, costs.size() / 2, costs.size() - 1}) {
    space.budgets.die_cost = costs[place];  // itself within
    std::vector<std::int64_t> expected;
    for (const std::int64_t index : all) {
      if (cost_of(index) <= costs[place]) {
        expected.push_back(index);
      }
    }
    EXPECT_EQ(list_chips(space), expected);
    const SpaceCount counted = count_chips(space, 2);
    EXPECT_EQ(counted.chips, static_cast<std::int64_t>(expected.size()));
    EXPECT_EQ(counted.removed[static_cast<std::size_t>(Limit::kDieCost)],
              static_cast<std::int64_t>(all.size() - expected.size()));
  }
}

TEST(Spaces, CountsAddUpWhateverTheThreads) {
  const Space space = built_in("phaze2024-small");
  const SpaceCount one = count_chips(space, 1);
  const SpaceCount three = count_chips(space, 3);
  EXPECT_EQ(one.chips, three.chips);
  EXPECT_EQ(one.removed, three.removed);
  EXPECT_EQ(one.by_value, three.by_value);
  EXPECT_EQ(list_chips(space, 3), list_chips(space));
  std::int64_t all = one.chips;
  for (const std::int64_t removed : one.removed) {
    all += removed;
  }
  EXPECT_EQ(all, one.combinations);
  for (const auto& values : one.by_value) {
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::int64_t{0}), one.chips);
  }
}

TEST(Spaces, StandingsSplitAxesByWhatMoreOfThemDoes) {
  const Space space = built_in("phaze2024");
  // Counts and buffer grow, columns (with lanes) and rows are other machines.
  const Standing standing = standing_of(space, combinations(space) - 1);
  EXPECT_EQ(standing.amounts, (std::vector<std::int64_t>{12, 12, 6}));
  EXPECT_EQ(standing.group, 63);
}

TEST(Spaces, CountsGrowByPowersOfTwo) {
  Space space = small_space();
  space.base.tensor.count = space.base.vector.count = 4;
  space.axes = {{Field::kTensorCount, {2, 4, 8}}};
  EXPECT_TRUE(growth_of(space, space.axes[0]).never_slower);
  space.base.vector.count = 3;
  EXPECT_FALSE(growth_of(space, space.axes[0]).never_slower);
  space.ties = {{Field::kVectorCount, TieKind::kMultiple, 2, Field::kTensorCount}};
  EXPECT_TRUE(growth_of(space, space.axes[0]).never_slower);
  space.axes[0].values = {2, 3, 4};
  EXPECT_FALSE(growth_of(space, space.axes[0]).never_slower);
  space.base.concurrent_operators = false;
  EXPECT_TRUE(growth_of(space, space.axes[0]).never_slower);
}

TEST(Spaces, GrowthDependsOnWhatFollows) {
  Space space = small_space();
  EXPECT_TRUE(growth_of(space, space.axes[0]).never_slower);
  space.ties = {{Field::kTensorRows, TieKind::kMultiple, 4, Field::kTensorCount}};
  EXPECT_FALSE(growth_of(space, space.axes[0]).never_slower);
  space.ties.clear();
  space.base.control = hw::ControlStyle::kSimt;
  EXPECT_FALSE(growth_of(space, space.axes[0]).never_slower);
  space.axes = {{Field::kClock, {5e8, 1e9}}};
  EXPECT_TRUE(growth_of(space, space.axes[0]).never_slower);
  space.axes[0].values.push_back(2e9);  // above the nominal clock
  EXPECT_FALSE(growth_of(space, space.axes[0]).never_slower);
}

}  // namespace
}  // namespace phaze::space
