#pragma once
// Square millimetres of a chip, part by part. Formulas: docs/models.md 8.3.

#include "hw/chip.h"
#include "hw/technology.h"

namespace phaze::hw {

// Of all dies of the package together.
struct AreaBreakdown {
  SquareMillimetres tensor_cores;   // PEs
  SquareMillimetres vector_cores;   // lanes
  SquareMillimetres local_buffers;  // of both kinds of core, registers included
  SquareMillimetres control;        // instruction issue and load/store of the cores
  SquareMillimetres global_buffer;
  SquareMillimetres interconnect;  // between cores and global buffer
  SquareMillimetres memory_phy;
  SquareMillimetres memory_controller;
  SquareMillimetres link_phy;
  SquareMillimetres die_to_die;  // interfaces between the dies of a package
  SquareMillimetres other;       // host interface, on-chip management, test, edges
};

AreaBreakdown compute_area(const Chip& chip, const Node& node);
SquareMillimetres total(const AreaBreakdown& area);
// Cores as die photographs show them: tensor and vector parts, their buffers and control.
SquareMillimetres core_area(const AreaBreakdown& area);

// HBM stacks that the edges of dies of this area have room for.
std::int64_t most_stacks(SquareMillimetres die, std::int64_t dies);

// Bytes a second that pass between dies when what cores ask of the global buffer is spread over all
// of it: all but one die's share. At a clock.
BytesPerSecond die_to_die_bandwidth(const Chip& chip, Hertz clock);

// The original's model (Phaze 2024, fitted to all of its configurations): processing elements,
// their buffers and the global buffer at 22 nm, nothing else.
AreaBreakdown compute_area_phaze22(const Chip& chip);

}  // namespace phaze::hw
