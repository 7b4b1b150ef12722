#pragma once
// All that follows from a chip and a technology, together.

#include <optional>
#include <string>
#include <string_view>

#include "hw/area.h"
#include "hw/cost.h"
#include "hw/power.h"

namespace phaze::hw {

// modern: the models of this folder. phaze22: the original's area; power, cost and carbon, which
// the original does not have, follow from that area by the modern models at 22 nm, without spares.
enum class Technology { kModern, kPhaze22 };
std::optional<Technology> parse_technology(std::string_view name);
std::string_view to_string(Technology technology);

struct ChipFigures {
  Technology technology = Technology::kModern;
  int node_nm = 0;
  bool is_node_interpolated = false;
  SquareMillimetres area;
  AreaBreakdown area_breakdown;
  double yield = 0;
  bool fits_reticle = true;
  Watts tdp;
  PowerBreakdown power;
  CostBreakdown cost;
  CarbonBreakdown carbon;
  Kilograms operating_carbon;  // of a year at design power
  Site site;
  Chip chip;  // as it runs: its clock may be lower than described, under a power cap
};

// `cap`: the clock is lowered until the design power stays within it; nothing when it cannot.
std::optional<ChipFigures> compute_figures(const Chip& chip, Technology technology,
                                           std::optional<Watts> cap = std::nullopt,
                                           const Site& site = {});

}  // namespace phaze::hw
