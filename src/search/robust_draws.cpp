#include "search/robust_draws.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/rng.h"

namespace phaze::search {
namespace {

// Between these quantiles of a standard normal distribution lie 80 %.
constexpr double kTenth = 1.2815515655446004;
constexpr double kMostDeviations = 2;

// Marsaglia's polar method; those beyond the limit are drawn again.
double draw_normal(Rng& rng) {
  for (;;) {
    const double x = 2 * rng.uniform() - 1, y = 2 * rng.uniform() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) {
      continue;
    }
    const double normal = x * std::sqrt(-2 * std::log(square) / square);
    if (std::abs(normal) <= kMostDeviations) {
      return normal;
    }
  }
}

}  // namespace

double ConstantDraw::highest() const {
  return std::max(1.0, *std::max_element(std::begin(rates), std::end(rates)));
}
double ConstantDraw::lowest() const {
  return std::min(1.0, *std::min_element(std::begin(rates), std::end(rates)));
}

std::vector<DrawnConstant> drawn_constants(Assumptions assumptions) {
  if (is_original(assumptions)) {
    return {DrawnConstant::kMatrix, DrawnConstant::kHbm, DrawnConstant::kLink};
  }
  return {DrawnConstant::kMatrix, DrawnConstant::kVector, DrawnConstant::kHbm,
          DrawnConstant::kHost,   DrawnConstant::kLink,   DrawnConstant::kLatency};
}

std::vector<ConstantDraw> draw_constants(const Uncertainty& uncertainty, Assumptions assumptions,
                                         std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<ConstantDraw> draws(static_cast<std::size_t>(count));
  for (ConstantDraw& draw : draws) {
    for (const DrawnConstant constant : drawn_constants(assumptions)) {
      const auto i = static_cast<std::size_t>(constant);
      const double low = std::log(uncertainty.constants[i].low);
      const double high = std::log(uncertainty.constants[i].high);
      const double time = (low + high) / 2 + (high - low) / (2 * kTenth) * draw_normal(rng);
      draw.rates[i] = std::exp(-time);
    }
  }
  return draws;
}

hw::Chip with_draw(hw::Chip chip, const ConstantDraw& draw, Assumptions assumptions) {
  const auto scale = [](double& share, double by) { share = std::min(1.0, share * by); };
  if (is_original(assumptions)) {
    chip.clock = chip.clock * draw.at(DrawnConstant::kMatrix);
    chip.hbm.stack_bandwidth = chip.hbm.stack_bandwidth * draw.at(DrawnConstant::kHbm);
    chip.links.bandwidth = chip.links.bandwidth * draw.at(DrawnConstant::kLink);
    return chip;
  }
  scale(chip.sustained.matrix, draw.at(DrawnConstant::kMatrix));
  scale(chip.sustained.core, draw.at(DrawnConstant::kMatrix));
  scale(chip.sustained.vector, draw.at(DrawnConstant::kVector));
  scale(chip.sustained.hbm, draw.at(DrawnConstant::kHbm));
  for (Seconds* time : {&chip.launch_overhead, &chip.idle_overhead, &chip.host_launch,
                        &chip.host_recompute, &chip.host_microbatch}) {
    *time = *time * (1 / draw.at(DrawnConstant::kHost));
  }
  return chip;
}

hw::Cluster with_draw(hw::Cluster cluster, const ConstantDraw& draw, Assumptions assumptions) {
  for (hw::Level& level : cluster.levels) {
    if (is_original(assumptions)) {
      level.bandwidth = level.bandwidth * draw.at(DrawnConstant::kLink);
      continue;
    }
    level.efficiency = std::min(1.0, level.efficiency * draw.at(DrawnConstant::kLink));
    if (level.in_network_efficiency) {
      level.in_network_efficiency =
          std::min(1.0, *level.in_network_efficiency * draw.at(DrawnConstant::kLink));
    }
    level.latency = level.latency * (1 / draw.at(DrawnConstant::kLatency));
  }
  if (!is_original(assumptions)) {
    cluster.start = cluster.start * (1 / draw.at(DrawnConstant::kLatency));
  }
  return cluster;
}

}  // namespace phaze::search
