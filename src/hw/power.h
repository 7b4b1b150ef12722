#pragma once
// Watts of a chip, part by part, at full or given activity. Formulas: docs/models.md 8.4.

#include "hw/area.h"
#include "hw/chip.h"
#include "hw/technology.h"

namespace phaze::hw {

// Energy of elementary work in picojoules, at the node and without leakage.
struct EnergyTable {
  double mac_pj = 0;          // one multiply-accumulate in bf16, registers included
  double local_byte_pj = 0;   // a byte in or out of a local buffer
  double global_byte_pj = 0;  // a byte in or out of the global buffer, crossbar included
  double hbm_byte_pj = 0;
  double link_byte_pj = 0;
  double lane_operation_pj = 0;  // an fp32 multiply-add on a vector lane
  double control_lane_pj = 0;    // issuing for one lane and cycle, SIMT only
};

// At the chip's clock: the energy of logic follows its voltage.
EnergyTable compute_energies_at_clock(const Chip& chip, const Node& node);
// At the nominal clock.
EnergyTable compute_energies(const Chip& chip, const Node& node);
// Of a multiply-accumulate in another format.
double mac_energy_pj(NumberFormat format, const Node& node);

// Share of each part's peak rate that is used.
struct Activity {
  double matrix = 1;
  double vector = 1;
  double global = 1;
  double hbm = 1;
  double links = 1;
};

struct PowerBreakdown {
  Watts matrix;
  Watts local_buffers;
  Watts vector;
  Watts control;
  Watts global_buffer;
  Watts hbm;
  Watts links;
  Watts die_to_die;
  Watts other;  // clocks and logic outside the cores
  Watts leakage;
};

// Energy of logic goes with the square of the voltage, which follows the clock: one clock, one
// power, however the chip came to it.
PowerBreakdown compute_power(const Chip& chip, const Node& node, const AreaBreakdown& area,
                             const Activity& activity);
Watts total(const PowerBreakdown& power);

// A server around its devices: what they draw, and the host's share for each (processors, fans,
// network, conversion). docs/models.md 8.4.
Watts compute_server_power(Watts device, std::int64_t devices);

// The highest clock, at most the chip's own, at which `tdp` stays within `cap`. Nothing
// when even a tenth of it is too much.
std::optional<Hertz> clock_under_cap(const Chip& chip, const Node& node, const AreaBreakdown& area,
                                     Watts cap);

}  // namespace phaze::hw
