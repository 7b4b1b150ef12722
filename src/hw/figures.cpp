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
                                           std::optional<Watts> cap, const Site& site) {
  ChipFigures figures;
  figures.technology = technology;
  Chip& running = figures.chip;
  running = chip;
  if (technology == Technology::kPhaze22) {
    running.node_nm = 22;
    running.tensor.fabricated = running.tensor.count;
    running.vector.fabricated = running.vector.count;
    running.global.fabricated = running.global.size;
  }
  const Node* node = find_node(running.node_nm);
  CHECK(node != nullptr, "a chip that was read has a known node");
  figures.node_nm = running.node_nm;
  figures.is_node_interpolated = node->is_interpolated;
  figures.area_breakdown = technology == Technology::kPhaze22 ? compute_area_phaze22(running)
                                                              : compute_area(running, *node);
  figures.area = total(figures.area_breakdown);
  figures.fits_reticle = figures.area <= kReticle * static_cast<double>(chip.dies);
  if (cap) {
    const std::optional<Hertz> clock =
        clock_under_cap(running, *node, figures.area_breakdown, *cap);
    if (!clock) {
      return std::nullopt;
    }
    running.clock = *clock;
  }
  figures.power = compute_power(running, *node, figures.area_breakdown, Activity{});
  figures.tdp = total(figures.power);
  figures.yield = compute_yield(running, *node, figures.area_breakdown);
  figures.cost = compute_cost(running, *node, figures.area_breakdown, figures.yield);
  figures.carbon = compute_embodied_carbon(running, *node, figures.area_breakdown, figures.yield);
  figures.site = site;
  figures.operating_carbon = compute_operating_carbon(figures.tdp, site);
  return figures;
}

}  // namespace phaze::hw
