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
  SquareMillimetres other;  // host interface, on-chip management, test, edges
};

AreaBreakdown compute_area(const Chip& chip, const Node& node);
SquareMillimetres total(const AreaBreakdown& area);
// Cores as die photographs show them: tensor and vector parts, their buffers and control.
SquareMillimetres core_area(const AreaBreakdown& area);

// HBM stacks that the edges of dies of this area have room for.
std::int64_t most_stacks(SquareMillimetres die, std::int64_t dies);

// The original's model (Phaze 2024, fitted to all of its configurations): processing elements,
// their buffers and the global buffer at 22 nm, nothing else. Vector cores are as wide as the chip
// says; local buffers follow the original's rule of 16 bytes a processing element.
AreaBreakdown compute_area_phaze22(const Chip& chip);

}  // namespace phaze::hw
