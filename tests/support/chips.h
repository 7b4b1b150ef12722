#pragma once
// A chip with round numbers, for sums that can be done by hand.

#include "hw/chip.h"

namespace phaze::tests {

// 1 GHz; 4 tensor cores of 16 x 16 (2.048 TFLOP/s), 2 vector cores of 10 lanes, global buffer
// 1 MiB at 1000 B a cycle, HBM 100 GB/s. Nothing is lost to launches or sustained fractions.
inline hw::Chip round_chip() {
  hw::Chip chip;
  chip.name = "round";
  chip.node_nm = 7;
  chip.clock = chip.nominal_clock = Hertz(1e9);
  chip.tensor.count = chip.tensor.fabricated = 4;
  chip.tensor.rows = chip.tensor.columns = 16;
  chip.tensor.local_buffer = Bytes(64 << 10);
  chip.tensor.local_bytes_per_cycle = 1000;
  chip.tensor.port_bytes_per_cycle = 1000;
  chip.vector.count = chip.vector.fabricated = 2;
  chip.vector.lanes = 10;
  chip.vector.local_buffer = Bytes(16 << 10);
  chip.global.size = chip.global.fabricated = Bytes(1 << 20);
  chip.global.bytes_per_cycle = 1000;
  chip.hbm.stack_capacity = Bytes(std::int64_t{16} << 30);
  chip.hbm.stack_bandwidth = BytesPerSecond(100e9);
  chip.format_rates[static_cast<std::size_t>(hw::NumberFormat::kBf16)] = 1;
  return chip;
}

}  // namespace phaze::tests
