// Are axes that "never make a model slower" such? More of each must slow down no product, no vector
// operator, no attention and no schedule of a layer, on any chip.
#include "space/monotone.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/layer.h"
#include "cost/operator.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "schedule/exact.h"
#include "search/layer_schedule.h"
#include "space/chips.h"
#include "support/random.h"

namespace phaze::space {
namespace {

using tests::Random;

// Layers of a small model, fused or not: products, attention, norms, losses.
std::vector<graph::Layer> layers_of(const std::string& name, bool is_eager) {
  Diagnostics diagnostics;
  const auto loaded = models::load_model(name, diagnostics);
  models::BuildOptions options;
  options.sequence = 256;
  options.attention = is_eager ? models::AttentionMode::kEager : models::AttentionMode::kFlash;
  const auto model =
      models::build_model(std::get<models::ModelSpec>(loaded.value()), options, diagnostics);
  EXPECT_TRUE(model) << to_string(diagnostics);
  return graph::to_training(*model, {}).layers;
}

hw::Chip random_chip(Random& random) {
  const auto power = [&random](std::int64_t least, std::int64_t most) {
    return std::int64_t{1} << random.pick(least, most);
  };
  hw::Chip chip;
  chip.name = "random";
  chip.node_nm = 7;
  chip.nominal_clock = Hertz(2e9);
  chip.clock = Hertz(1e9);
  chip.tensor.count = chip.tensor.fabricated = power(0, 8);
  chip.tensor.rows = power(3, 8);
  chip.tensor.columns = power(3, 8);
  chip.tensor.local_buffer = std::max(
      Bytes(power(14, 20)), hw::default_local_buffer(chip.tensor.rows * chip.tensor.columns));
  chip.tensor.local_bytes_per_cycle = static_cast<double>(power(6, 12));
  chip.tensor.port_bytes_per_cycle = static_cast<double>(power(5, 10));
  chip.vector.count = chip.vector.fabricated = power(0, 10);
  chip.vector.lanes = power(3, 10);
  chip.vector.local_buffer = Bytes(power(10, 18));
  chip.global.size = chip.global.fabricated = Bytes(power(20, 27));
  chip.global.bytes_per_cycle = static_cast<double>(power(8, 13));
  chip.hbm.generation = hw::HbmGeneration::kHbm2e;
  chip.hbm.stack_capacity = Bytes(std::int64_t{16} << 30);
  chip.hbm.stack_bandwidth = BytesPerSecond(static_cast<double>(random.pick(50, 400)) * 1e9);
  chip.links = {4, BytesPerSecond(50e9)};
  chip.format_rates[static_cast<std::size_t>(hw::NumberFormat::kBf16)] = 1;
  chip.format_rates[static_cast<std::size_t>(hw::NumberFormat::kFp32)] = 0.25;
  return chip;
}

// A space of two chips that differ in one field; nothing where more of it may be slower.
std::optional<Space> pair_of(const hw::Chip& base, Field field, Random& random) {
  const double low = get_field(base, field);
  const bool is_generation = field == Field::kHbmGeneration;
  Space space;
  space.base = base;
  space.axes = {{field, {low, is_generation ? low + 1 : low * 2}}};
  // Buffers may grow by any amount.
  if (traits(field).unit == FieldUnit::kBytes) {
    space.axes[0].values[1] = low + static_cast<double>(random.pick(1, 1 << 22));
  }
  return growth_of(space, space.axes[0]).never_slower ? std::optional(space) : std::nullopt;
}

constexpr double kSlack = 1 + 1e-9;

TEST(NeverSlower, HoldsForEveryOperator) {
  const std::vector<std::vector<graph::Layer>> models = {layers_of("bert-large", true),
                                                         layers_of("llama3-8b", false)};
  Random random(1);
  std::size_t compared = 0;
  for (int round = 0; round < 60; ++round) {
    const hw::Chip base = random_chip(random);
    const auto& layers = models[static_cast<std::size_t>(random.pick(0, 1))];
    const graph::Layer& layer = layers[static_cast<std::size_t>(
        random.pick(0, static_cast<std::int64_t>(layers.size()) - 1))];
    for (std::size_t i = 0; i < kFields; ++i) {
      const auto field = static_cast<Field>(i);
      const std::optional<Space> space = pair_of(base, field, random);
      if (!space) {
        continue;
      }
      const hw::Chip less = make_chip(*space, 0);
      const hw::Chip more = make_chip(*space, 1);
      cost::CostContext before = cost::make_context(less);
      cost::CostContext after = cost::make_context(more);
      if (random.toss()) {
        before.share = after.share = {false, random.pick(1, 8)};
      }
      const auto near_before = cost::compute_placements(layer, less);
      const auto near_after = cost::compute_placements(layer, more);
      for (const graph::OpId id : ids_of(layer.operators)) {
        const graph::Operator& op = layer.operators[id];
        if (graph::traits(op.kind).unit == graph::Unit::kNetwork ||
            cost::find_obstacle(before, layer, op)) {
          continue;
        }
        ASSERT_FALSE(cost::find_obstacle(after, layer, op)) << traits(field).path;
        const auto slow = cost::compute_operator_cost(before, layer, op, near_before[id]);
        const auto fast = cost::compute_operator_cost(after, layer, op, near_after[id]);
        ASSERT_LE(fast.time.value(), slow.time.value() * kSlack)
            << traits(field).path << " " << op.name << " in round " << round << ", "
            << (before.share.all_cores ? "all cores" : "one core");
        // What no mapping avoids is no more than any does, and no more on the larger chip.
        const auto least = cost::least_bytes(layer, op, near_before[id]);
        const auto least_after = cost::least_bytes(layer, op, near_after[id]);
        ASSERT_LE(least.hbm, slow.hbm_bytes) << op.name;
        ASSERT_LE(least.global, slow.global_bytes) << op.name;
        ASSERT_LE(least_after.hbm, least.hbm) << op.name;
        ASSERT_LE(least_after.global, least.global) << op.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10'000U);
}

TEST(NeverSlower, HoldsForSchedulesOfLayers) {
  const std::vector<graph::Layer> layers = {layers_of("llama3-8b", false)[1],
                                            layers_of("bert-large", true)[1]};
  const search::Solver solve = [](const plan::ScheduleProblem& problem, const search::Wanted&) {
    return schedule::solve_exact(problem);
  };
  Random random(2);
  std::size_t compared = 0;
  for (int round = 0; round < 16; ++round) {
    hw::Chip base = random_chip(random);
    if (random.toss()) {  // starved, so that bytes count
      base.hbm.stack_bandwidth = BytesPerSecond(20e9);
      base.global.bytes_per_cycle = 128;
    }
    const bool exclusive_wide = random.toss();
    for (std::size_t i = 0; i < kFields; ++i) {
      const auto field = static_cast<Field>(i);
      const std::optional<Space> space = pair_of(base, field, random);
      if (!space) {
        continue;
      }
      const hw::Chip less = make_chip(*space, 0);
      const hw::Chip more = make_chip(*space, 1);
      const cost::CostContext before = cost::make_context(less);
      const cost::CostContext after = cost::make_context(more);
      const graph::Layer& layer = layers[static_cast<std::size_t>(round % 2)];
      const auto pass = random.toss() ? plan::LayerPass::kForward : plan::LayerPass::kBackward;
      const auto slow = search::schedule_layer(before, layer, pass, exclusive_wide, solve);
      const auto fast = search::schedule_layer(after, layer, pass, exclusive_wide, solve);
      // Durations are rounded to seven digits.
      ASSERT_LE(static_cast<double>(fast.time().value()),
                static_cast<double>(slow.time().value()) * (1 + 1e-5))
          << traits(field).path << " in round " << round;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace phaze::space
