#pragma once
// What silicon costs at a process node. Every figure has its source, or the word "assumed", in
// docs/models.md section 8.

#include <string_view>

#include "base/units.h"
#include "hw/chip.h"

namespace phaze::hw {

struct Node {
  int nm = 7;
  double mtransistors_per_mm2 = 0;  // logic, peak density
  double sram_cell_um2 = 0;         // a bit
  double phy_scale = 1;             // area of an interface, against 7 nm
  double link_mm2_per_gbs = 0;      // per GB/s in one direction
  double link_pj_per_bit = 0;
  double energy_scale = 1;  // of logic and SRAM, against 7 nm
  Dollars wafer;
  double defects_per_mm2 = 0;
  double fab_kwh_per_cm2 = 0;    // electricity of the fab
  double gas_g_per_cm2 = 0;      // its process gases, in grams of CO2 equivalent
  bool is_interpolated = false;  // some figure is between those of its neighbours
};

// 22, 16, 7, 5, 4 or 3 nm; nothing for any other.
const Node* find_node(int nm);

// Largest exposed field of a scanner: 26 mm x 33 mm.
inline constexpr SquareMillimetres kReticle(858);

// Transistors or area of the parts, before the node: see docs/models.md 8.2.
struct LogicCounts {
  double pe = 0;                // transistors of a processing element
  double lane = 0;              // of a vector lane
  double control_per_core = 0;  // of instruction issue and load/store, SIMT only
};
LogicCounts count_logic(const Chip& chip);

// Area of logic at a node, wiring and gaps included.
SquareMillimetres logic_area(double transistors, const Node& node);

}  // namespace phaze::hw
