#pragma once
// Dollars and carbon of a chip. Formulas: docs/models.md 8.5 and 8.6.

#include "hw/area.h"
#include "hw/chip.h"
#include "hw/technology.h"

namespace phaze::hw {

// Share of dies that can be sold: without spare cores those without a defect, with spare ones those
// whose defects hit no more cores than there are to spare and nothing else. Defects cluster
// (negative binomial, alpha = 3).
double compute_yield(const Chip& chip, const Node& node, const AreaBreakdown& area);

// Whole dies on a 300 mm wafer; at least one fits.
double dies_per_wafer(SquareMillimetres die);

struct CostBreakdown {
  Dollars logic;  // all dies of the package
  Dollars hbm;
  Dollars package;  // interposer and substrate
  Dollars test;     // and assembly
};

CostBreakdown compute_cost(const Chip& chip, const Node& node, const AreaBreakdown& area,
                           double yield);
Dollars total(const CostBreakdown& cost);

// Grams of CO2 equivalent per kWh where it is made.
inline constexpr double kTaiwanGrid = 583;

struct CarbonBreakdown {
  Kilograms logic;
  Kilograms hbm;
  Kilograms package;
};

CarbonBreakdown compute_embodied_carbon(const Chip& chip, const Node& node,
                                        const AreaBreakdown& area, double yield,
                                        double fab_grid_g_per_kwh = kTaiwanGrid);
Kilograms total(const CarbonBreakdown& carbon);

// Where a chip runs: carbon of its electricity, and what the building draws for each watt (PUE).
struct Site {
  double grid_g_per_kwh = 369;  // USA, 2023 (ACT)
  double pue = 1.1;             // as in Touvron et al. 2023
};

// Of a year at this power.
Kilograms compute_operating_carbon(Watts power, const Site& site);

}  // namespace phaze::hw
