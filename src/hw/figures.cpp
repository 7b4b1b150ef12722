#include "hw/figures.h"

#include "base/check.h"

namespace phaze::hw {

std::optional<Technology> parse_technology(std::string_view name) {
  return name == "modern"    ? std::optional(Technology::kModern)
         : name == "phaze22" ? std::optional(Technology::kPhaze22)
                             : std::nullopt;
}

std::string_view to_string(Technology technology) {
  return technology == Technology::kModern ? "modern" : "phaze22";
}

std::optional<ChipFigures> compute_figures(const Chip& chip, Technology technology,
                                           std::optional<Watts> cap) {
  const Node* node = find_node(chip.node_nm);
  CHECK(node != nullptr, "a chip that was read has a known node");
  ChipFigures figures;
  figures.technology = technology;
  figures.node_nm = chip.node_nm;
  figures.area_breakdown =
      technology == Technology::kPhaze22 ? compute_area_phaze22(chip) : compute_area(chip, *node);
  figures.area = total(figures.area_breakdown);
  figures.fits_reticle = figures.area <= kReticle * static_cast<double>(chip.dies);
  figures.yield = compute_yield(chip, *node, figures.area_breakdown);
  Chip running = chip;
  if (cap) {
    const std::optional<Hertz> clock = clock_under_cap(chip, *node, figures.area_breakdown, *cap);
    if (!clock) {
      return std::nullopt;
    }
    running.clock = *clock;
  }
  figures.clock = running.clock;
  figures.power = compute_power(chip, *node, figures.area_breakdown, Activity{});
  if (cap && running.clock < chip.clock) {
    figures.power = power_at_clock(figures.power, running.clock.value() / chip.clock.value());
  }
  figures.tdp = total(figures.power);
  figures.cost = compute_cost(chip, *node, figures.area_breakdown, figures.yield);
  figures.carbon = compute_embodied_carbon(chip, *node, figures.area_breakdown, figures.yield);
  return figures;
}

}  // namespace phaze::hw
