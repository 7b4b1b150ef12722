#include "hw/cost.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace phaze::hw {
namespace {

constexpr double kClustering = 3;
constexpr double kWaferRadius = 150;  // mm

// HBM: 1400 USD for the 80 GB of an H100, 2900 for the 192 GB of B200 and MI300X.
constexpr double kHbmUsdPerGb = 16.5;
// H100: 750 USD for one die and five stacks; B200: 1100 for two and eight.
constexpr double kPackageBase = 150;
constexpr double kPackagePerMm2 = 0.31;
constexpr double kStackFootprint = 110;  // mm2
constexpr double kTestShare = 0.375;     // H100: 920 of 2450
constexpr double kGiga = 1e9;

// Probability that of n parts at most k are hit, each with probability p.
double at_most(std::int64_t n, std::int64_t k, double p) {
  if (p <= 0 || k >= n) {
    return 1;
  }
  if (p >= 1) {
    return 0;
  }
  double term = std::pow(1 - p, static_cast<double>(n));
  double sum = term;
  for (std::int64_t i = 0; i < k; ++i) {
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1) * p / (1 - p);
    sum += term;
  }
  return std::min(1.0, sum);
}

// Density of the gamma distribution of mean 1 that makes Poisson defects negative binomial.
double gamma_density(double x) {
  // alpha^alpha / Gamma(alpha) x^(alpha - 1) e^(-alpha x), alpha = 3.
  return 27.0 / 2.0 * x * x * std::exp(-kClustering * x);
}

}  // namespace

namespace {

// Equal parts of a die of which some may fail.
struct Redundant {
  std::int64_t made = 0;
  std::int64_t spare = 0;
  double area = 0;  // of each, mm2
};

}  // namespace

double compute_yield(const Chip& chip, const Node& node, const AreaBreakdown& area) {
  const auto dies = static_cast<double>(chip.dies);
  const double die = total(area).value() / dies;
  const double defects = node.defects_per_mm2;
  const auto parts_of_die = [&](std::int64_t made, std::int64_t used, double all) {
    return Redundant{made / chip.dies, (made - used) / chip.dies,
                     all / static_cast<double>(std::max<std::int64_t>(1, made))};
  };
  // A SIMT core holds its tensor and its vector part: both go when one is hit.
  const bool is_paired =
      chip.control == ControlStyle::kSimt && chip.tensor.fabricated == chip.vector.fabricated;
  const double vector_area = area.vector_cores.value();
  const double tensor_area = core_area(area).value() - vector_area;
  const Redundant tensor = parts_of_die(chip.tensor.fabricated, chip.tensor.count,
                                        tensor_area + (is_paired ? vector_area : 0));
  const Redundant vector =
      is_paired ? Redundant{}
                : parts_of_die(chip.vector.fabricated, chip.vector.count, vector_area);
  if (tensor.spare <= 0 && vector.spare <= 0 && chip.global.fabricated <= chip.global.size) {
    return std::pow(1 + die * defects / kClustering, -kClustering);
  }
  // A global buffer with spare capacity can lose one slice.
  const double buffer =
      chip.global.fabricated > chip.global.size ? area.global_buffer.value() / dies : 0;
  const double rest = die - static_cast<double>(tensor.made) * tensor.area -
                      static_cast<double>(vector.made) * vector.area - buffer;
  // Simpson's rule over the intensity of defects; the density is negligible past 6.
  constexpr int kSteps = 120;
  constexpr double kLast = 6;
  const double step = kLast / kSteps;
  double integral = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = step * i;
    const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
    const auto survive = [&](const Redundant& parts) {
      return at_most(parts.made, parts.spare, 1 - std::exp(-parts.area * defects * x));
    };
    const double in_buffer = buffer * defects * x;
    integral += weight * gamma_density(x) * std::exp(-rest * defects * x) * std::exp(-in_buffer) *
                (1 + in_buffer) * survive(tensor) * survive(vector);
  }
  return std::min(1.0, integral * step / 3);
}

double dies_per_wafer(SquareMillimetres die) {
  const double area = die.value();
  const double count = std::numbers::pi * kWaferRadius * kWaferRadius / area -
                       std::numbers::pi * 2 * kWaferRadius / std::sqrt(2 * area);
  return std::max(1.0, count);
}

CostBreakdown compute_cost(const Chip& chip, const Node& node, const AreaBreakdown& area,
                           double yield) {
  const auto dies = static_cast<double>(chip.dies);
  const SquareMillimetres die(total(area).value() / dies);
  CostBreakdown cost;
  cost.logic = Dollars(dies * node.wafer.value() / (dies_per_wafer(die) * yield));
  cost.hbm = Dollars(static_cast<double>(hbm_capacity(chip).value()) / kGiga * kHbmUsdPerGb);
  const double interposer =
      total(area).value() + kStackFootprint * static_cast<double>(chip.hbm.stacks);
  cost.package = Dollars(kPackageBase + kPackagePerMm2 * interposer);
  cost.test = (cost.logic + cost.hbm + cost.package) * kTestShare;
  return cost;
}

Dollars total(const CostBreakdown& cost) {
  return cost.logic + cost.hbm + cost.package + cost.test;
}

CarbonBreakdown compute_embodied_carbon(const Chip& chip, const Node& node,
                                        const AreaBreakdown& area, double yield,
                                        double fab_grid_g_per_kwh) {
  constexpr double kMaterials = 500;      // g per cm2 (ACT)
  constexpr double kHbmGramsPerGb = 228;  // 15.5 mm2 of 10 nm DRAM a GB: docs/models.md 8.6
  constexpr double kPackage = 0.15;       // kg, ACT
  constexpr double kMm2PerCm2 = 100;
  constexpr double kKilo = 1000;
  const double per_cm2 =
      fab_grid_g_per_kwh * node.fab_kwh_per_cm2 + node.gas_g_per_cm2 + kMaterials;
  CarbonBreakdown carbon;
  carbon.logic = Kilograms(total(area).value() / kMm2PerCm2 * per_cm2 / yield / kKilo);
  carbon.hbm =
      Kilograms(static_cast<double>(hbm_capacity(chip).value()) / kGiga * kHbmGramsPerGb / kKilo);
  carbon.package = Kilograms(kPackage * static_cast<double>(chip.dies + chip.hbm.stacks));
  return carbon;
}

Kilograms total(const CarbonBreakdown& carbon) {
  return carbon.logic + carbon.hbm + carbon.package;
}

Kilograms compute_operating_carbon(Watts power, const Site& site) {
  constexpr double kKilo = 1000;
  constexpr double kHours = 365 * 24;
  return Kilograms(power.value() / kKilo * kHours * site.pue * site.grid_g_per_kwh / kKilo);
}

}  // namespace phaze::hw
