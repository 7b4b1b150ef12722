#include "hw/area.h"

#include <algorithm>
#include <cmath>

#include "hw/memory.h"

namespace phaze::hw {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

// Of an array's area, what bit cells fill. Local arrays are small, banked and have many ports;
// the global buffer's is fitted, with its port, to the L2 of GA100 and the CMEM of TPUv4i.
constexpr double kLocalEfficiency = 0.25;
constexpr double kGlobalEfficiency = 0.38;
// Per byte and cycle at 7 nm, logic that scales with density.
constexpr double kGlobalPort = 0.0177;
constexpr double kLocalPort = 0.0002;
constexpr double kCrossbar = 0.0149;  // GA100: 76.4 mm2 for 5120 bytes a cycle among 128 cores
constexpr double kCrossbarCores = 128;
constexpr double kMemoryPhy = 9.67;        // GA100: 58 mm2 for six HBM2e interfaces
constexpr double kMemoryController = 5.3;  // GA100: 31.8 mm2 for six
// A PHY of 1350 GB/s a mm2 (UCIe 1.0, advanced package, 32 GT/s) and as much for its adapter.
constexpr double kDieToDie = 2 / 1350.0;    // mm2 for each GB/s and end
constexpr double kSimtOther = 0.05;         // GA100: 40 of 823 mm2
constexpr double kSystolicOther = 0.37;     // TPUv4i: what its published shares leave
constexpr double kReferenceDensity = 96.3;  // of 7 nm

SquareMillimetres sram_area(double bytes, const Node& node, double efficiency) {
  return SquareMillimetres(bytes * 8 * node.sram_cell_um2 * 1e-6 / efficiency);
}

double as_double(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

AreaBreakdown compute_area(const Chip& chip, const Node& node) {
  const LogicCounts logic = count_logic(chip);
  const double shrink = kReferenceDensity / node.mtransistors_per_mm2;
  const TensorCores& t = chip.tensor;
  const VectorCores& v = chip.vector;
  const double cores = as_double(t.fabricated);
  AreaBreakdown area;
  area.tensor_cores = logic_area(logic.pe * cores * as_double(t.rows * t.columns), node);
  area.vector_cores = logic_area(logic.lane * as_double(v.fabricated * v.lanes), node);
  area.local_buffers =
      sram_area(cores * as_double(t.local_buffer.value()), node, kLocalEfficiency) +
      sram_area(as_double(v.fabricated) * as_double(v.local_buffer.value()), node,
                kLocalEfficiency) +
      SquareMillimetres(cores * (t.local_bytes_per_cycle + t.port_bytes_per_cycle) * kLocalPort *
                        shrink);
  area.control = logic_area(logic.control_per_core * cores, node);
  area.global_buffer =
      sram_area(as_double(chip.global.fabricated.value()), node, kGlobalEfficiency) +
      SquareMillimetres(chip.global.bytes_per_cycle * kGlobalPort * shrink);
  // A crossbar grows with its ports: a share for each core on top of the bandwidth's.
  const double ports =
      std::sqrt(std::max(1.0, as_double(t.fabricated + v.fabricated) / 2) / kCrossbarCores);
  area.interconnect =
      SquareMillimetres(chip.global.bytes_per_cycle * kCrossbar * std::max(0.5, ports) * shrink);
  // A stack that is faster than its generation takes the interfaces of as many as it is worth.
  const double worth =
      chip.hbm.stack_bandwidth.value() / most_stack_bandwidth(chip.hbm.generation).value();
  const double interfaces = as_double(chip.hbm.sites) * std::max(1.0, worth);
  area.memory_phy = SquareMillimetres(interfaces * kMemoryPhy * node.phy_scale);
  area.memory_controller = SquareMillimetres(interfaces * kMemoryController * shrink);
  area.link_phy = SquareMillimetres(link_bandwidth(chip).value() * 1e-9 * node.link_mm2_per_gbs);
  constexpr double kEnds = 2;
  area.die_to_die = SquareMillimetres(die_to_die_bandwidth(chip, chip.nominal_clock).value() *
                                      1e-9 * kEnds * kDieToDie * node.phy_scale);
  const double share = chip.control == ControlStyle::kSimt ? kSimtOther : kSystolicOther;
  area.other = total(area) * (share / (1 - share));
  return area;
}

SquareMillimetres core_area(const AreaBreakdown& a) {
  return a.tensor_cores + a.vector_cores + a.local_buffers + a.control;
}

SquareMillimetres total(const AreaBreakdown& a) {
  return core_area(a) + a.global_buffer + a.interconnect + a.memory_phy + a.memory_controller +
         a.link_phy + a.die_to_die + a.other;
}

BytesPerSecond die_to_die_bandwidth(const Chip& chip, Hertz clock) {
  const double dies = as_double(chip.dies);
  return BytesPerSecond(chip.global.bytes_per_cycle * clock.value() * ((dies - 1) / dies));
}

std::int64_t most_stacks(SquareMillimetres die, std::int64_t dies) {
  constexpr double kStackEdge = 10;        // mm along the die's edge
  constexpr double kAspect = 33.0 / 26.0;  // of the reticle
  const double long_side = std::sqrt(die.value() * kAspect);
  return dies * static_cast<std::int64_t>(2 * long_side / kStackEdge);
}

namespace {

// um2 of the original's SRAM macros, by size in KiB (powers of two) and MiB.
constexpr std::array kSmallSram = {6133.98,  8248.43,  12610.5,  22139.9,  38583.0,  63338.4,
                                   115579.0, 204764.0, 446565.0, 897890.0, 1634130.0};
constexpr std::array kLargeSram = {3338220.0,  6078640.0,  11952400.0, 23745200.0,
                                   46750900.0, 88605700.0, 175423000.0};

// Exact at powers of two, between them on a straight line in logarithms.
template <std::size_t N>
double interpolate(const std::array<double, N>& table, double position) {
  const double last = static_cast<double>(N - 1);
  const double low = std::clamp(std::floor(position), 0.0, last - 1);
  const auto at = static_cast<std::size_t>(low);
  const double share = position - low;
  if (share == 0) {
    return table[at];
  }
  if (share == 1) {
    return table[at + 1];
  }
  return std::exp(std::log(table[at]) * (1 - share) + std::log(table[at + 1]) * share);
}

double small_sram_um2(double bytes) {
  return interpolate(kSmallSram, std::log2(std::max(1024.0, bytes) / 1024));
}

}  // namespace

AreaBreakdown compute_area_phaze22(const Chip& chip) {
  constexpr double kTensorPe = 760.041386;
  constexpr double kVectorPe = 759.823853;
  constexpr double kMm2PerUm2 = 1e-6;
  const double elements = as_double(chip.tensor.rows * chip.tensor.columns);
  const double lanes = as_double(chip.vector.lanes);
  const double tensor = as_double(chip.tensor.count);
  const double vector = as_double(chip.vector.count);
  const double global = as_double(chip.global.size.value());
  AreaBreakdown area;
  area.tensor_cores = SquareMillimetres(tensor * kTensorPe * elements * kMm2PerUm2);
  area.vector_cores = SquareMillimetres(vector * kVectorPe * lanes * kMm2PerUm2);
  const auto buffer = [](Bytes size) { return small_sram_um2(as_double(size.value())); };
  area.local_buffers = SquareMillimetres(
      (tensor * buffer(chip.tensor.local_buffer) + vector * buffer(chip.vector.local_buffer)) *
      kMm2PerUm2);
  area.global_buffer =
      SquareMillimetres(interpolate(kLargeSram, std::log2(global / (2 * kMiB))) * kMm2PerUm2);
  return area;
}

}  // namespace phaze::hw
