#include "cost/machine.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::cost {

using graph::ElementType;
using hw::NumberFormat;

std::optional<NumberFormat> matrix_format(const hw::Chip& chip, ElementType type) {
  const auto if_there = [&chip](NumberFormat format) {
    return hw::format_rate(chip, format) > 0 ? std::optional(format) : std::nullopt;
  };
  switch (type) {
    case ElementType::kBf16:
      return if_there(NumberFormat::kBf16);
    case ElementType::kF16:
      return if_there(NumberFormat::kFp16);
    case ElementType::kF8:
      return if_there(NumberFormat::kFp8);
    case ElementType::kF32: {
      const auto own = if_there(NumberFormat::kFp32);
      return own ? own : if_there(NumberFormat::kTf32);
    }
    case ElementType::kI8:
      return if_there(NumberFormat::kInt8);
    case ElementType::kI64:
    case ElementType::kI32:
    case ElementType::kBool:
      return std::nullopt;
  }
  CHECK(false, "unknown element type");
}

plan::TensorMachine tensor_machine(const hw::Chip& chip, NumberFormat format, const Share& share) {
  const hw::TensorCores& t = chip.tensor;
  const double clock = chip.clock.value();
  const std::int64_t cores = share.all_cores ? t.count : 1;
  CHECK(share.busy_cores >= 1, "somebody is busy");
  const double part = share.all_cores ? 1 : 1 / static_cast<double>(share.busy_cores);
  plan::TensorMachine machine;
  machine.cores = cores;
  machine.rows = t.rows;
  machine.columns = t.columns;
  machine.rate = hw::format_rate(chip, format);
  machine.clock = Hertz(clock * chip.sustained.core);
  machine.tile_step = t.tile_step;
  machine.accumulators = t.accumulators;
  machine.dataflows = {t.holds_outputs, t.holds_outputs, t.holds_weights, t.holds_inputs};
  machine.local_buffer = t.local_buffer;
  machine.local_bandwidth = BytesPerSecond(t.local_bytes_per_cycle * clock);
  machine.port_bandwidth = BytesPerSecond(t.port_bytes_per_cycle * clock);
  machine.global_buffer =
      Bytes(static_cast<std::int64_t>(static_cast<double>(chip.global.size.value()) * part));
  machine.global_bandwidth = hw::global_bandwidth(chip) * (t.multicast * part);
  machine.hbm_bandwidth = hw::hbm_bandwidth(chip) * (chip.sustained.hbm * part);
  machine.peak = FlopsPerSecond(hw::peak_flops(chip, format).value() * static_cast<double>(cores) /
                                static_cast<double>(t.count));
  // What the power allows was found at the nominal clock; an operation's energy goes with the
  // square of the clock. Power is shared as everything else: a core alone may take its own peak of
  // it. Above the nominal clock the chip slows down to what the power allows there.
  const double slower = chip.nominal_clock.value() / clock;
  const double limit = chip.sustained.matrix;
  const double allowed = limit < 1 ? limit * slower * std::max(1.0, slower * slower) : 1;
  machine.sustained =
      std::min(machine.peak, hw::peak_flops(chip, format) * (std::min(1.0, allowed) * part));
  machine.launch = chip.launch_overhead;
  machine.tile_start = t.tile_start;
  return machine;
}

VectorMachine vector_machine(const hw::Chip& chip, const Share& share) {
  const hw::VectorCores& v = chip.vector;
  const double part = share.all_cores ? 1 : 1 / static_cast<double>(share.busy_cores);
  VectorMachine machine;
  machine.cores = share.all_cores ? v.count : 1;
  machine.lane_operations = static_cast<double>(machine.cores * v.lanes * v.operations_per_lane) *
                            chip.clock.value() * chip.sustained.vector;
  machine.global_bandwidth = hw::global_bandwidth(chip) * part;
  machine.hbm_bandwidth = hw::hbm_bandwidth(chip) * (chip.sustained.hbm * part);
  machine.launch = chip.launch_overhead;
  return machine;
}

}  // namespace phaze::cost
