#pragma once
// Random constants of chips and networks within what is not known of them. docs/models.md, section
// 30.

#include <cstdint>
#include <vector>

#include "hw/chip.h"
#include "hw/cluster.h"
#include "plan/robustness.h"
#include "search/assumptions.h"

namespace phaze::search {

enum class DrawnConstant { kMatrix, kVector, kHbm, kHost, kLink, kLatency };
inline constexpr std::size_t kDrawnConstants = 6;

// Rates over the stated ones, by constant.
struct ConstantDraw {
  double rates[kDrawnConstants] = {1, 1, 1, 1, 1, 1};

  double at(DrawnConstant constant) const { return rates[static_cast<std::size_t>(constant)]; }
  // The highest and the lowest of them and of 1: what is not drawn stays.
  double highest() const;
  double lowest() const;
};

// What is known of each, by constant: measured over predicted times. Under the original's
// assumptions kMatrix is the clock, and there is no host, latency or vector rate of its own.
struct Uncertainty {
  plan::UncertainConstant constants[kDrawnConstants];
};
// Those that the assumptions have.
std::vector<DrawnConstant> drawn_constants(Assumptions assumptions);

// Times are lognormal with 80 % between low and high, cut off two standard deviations from the
// middle. The same for the same seed.
std::vector<ConstantDraw> draw_constants(const Uncertainty& uncertainty, Assumptions assumptions,
                                         std::int64_t count, std::uint64_t seed);

// Nothing else changes; shares of peaks stay at most 1.
hw::Chip with_draw(hw::Chip chip, const ConstantDraw& draw, Assumptions assumptions);
hw::Cluster with_draw(hw::Cluster cluster, const ConstantDraw& draw, Assumptions assumptions);

}  // namespace phaze::search
