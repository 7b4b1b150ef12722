#include "hw/power.h"

#include <algorithm>
#include <cmath>

namespace phaze::hw {
namespace {

constexpr double kPico = 1e-12;
// Horowitz at 45 nm, times 0.14 to 7 nm (facts and assumptions: docs/models.md 8.4).
constexpr double kTo7nm = 0.14;
constexpr double kF32Add = 0.9;
constexpr double kClockAndRegisters =
    1.6;                             // a PE against its bare arithmetic: fitted to A100's TDP
constexpr double kLocalByte = 0.50;  // 20 pJ for 8 bytes of a 32 KiB array at 45 nm, and its wires
constexpr double kGlobalByte = 10;   // of 40 MiB at 7 nm, crossbar included: fitted to A100
constexpr double kGlobalReference = 40.0 * 1024 * 1024;
constexpr double kLaneOperation = 0.7;
constexpr double kDieToDieBit = 0.5;   // pJ: UCIe 1.0
constexpr double kControlLane = 5.6;   // fitted to A100
constexpr double kOtherPerMm2 = 0.15;  // W, clocks and uncore, at 7 nm and 1 GHz: fitted to TPUv4i
constexpr double kLeakagePerMm2 = 0.08;  // W: assumed

double multiply_pj(NumberFormat format) {
  switch (format) {
    case NumberFormat::kBf16:
    case NumberFormat::kFp16:
    case NumberFormat::kTf32:
      return 1.1;
    case NumberFormat::kFp8:
      return 0.2;
    case NumberFormat::kFp32:
      return 3.7;
    case NumberFormat::kInt8:
      return 0.2;
  }
  return 0;
}

double hbm_pj_per_bit(HbmGeneration generation) {
  switch (generation) {
    case HbmGeneration::kHbm2:
    case HbmGeneration::kHbm2e:
      return 3.9;  // O'Connor et al., MICRO 2017
    case HbmGeneration::kHbm3:
      return 3.3;  // assumed
    case HbmGeneration::kHbm3e:
      return 2.75;  // assumed
  }
  return 0;
}

constexpr double kBits = 8;

// Voltage follows the clock, down to this share of the nominal one; below, it stays.
constexpr double kVoltageFloor = 0.7;

// Energy against that at the nominal clock: the square of the voltage.
double voltage_squared(double clock_share) {
  const double voltage = std::max(kVoltageFloor, clock_share);
  return voltage * voltage;
}

}  // namespace

double mac_energy_pj(NumberFormat format, const Node& node) {
  const double add = format == NumberFormat::kInt8 ? 0.1 : kF32Add;
  return (multiply_pj(format) + add) * kTo7nm * kClockAndRegisters * node.energy_scale;
}

EnergyTable compute_energies(const Chip& chip, const Node& node) {
  EnergyTable e;
  e.mac_pj = mac_energy_pj(NumberFormat::kBf16, node);
  e.local_byte_pj = kLocalByte * node.energy_scale;
  const auto size = static_cast<double>(chip.global.size.value());
  // Wires grow with the side of the array, banks keep most accesses short: a fourth root between.
  e.global_byte_pj =
      kGlobalByte * std::sqrt(std::sqrt(size / kGlobalReference)) * node.energy_scale;
  e.hbm_byte_pj = kBits * hbm_pj_per_bit(chip.hbm.generation);
  e.link_byte_pj = kBits * node.link_pj_per_bit;
  e.lane_operation_pj = kLaneOperation * node.energy_scale;
  e.control_lane_pj = chip.control == ControlStyle::kSimt ? kControlLane * node.energy_scale : 0;
  return e;
}

EnergyTable compute_energies_at_clock(const Chip& chip, const Node& node) {
  EnergyTable e = compute_energies(chip, node);
  const double scale = voltage_squared(chip.clock.value() / chip.nominal_clock.value());
  for (double* logic :
       {&e.mac_pj, &e.local_byte_pj, &e.global_byte_pj, &e.lane_operation_pj, &e.control_lane_pj}) {
    *logic *= scale;
  }
  return e;
}

PowerBreakdown compute_power(const Chip& chip, const Node& node, const AreaBreakdown& area,
                             const Activity& activity) {
  const EnergyTable e = compute_energies(chip, node);
  const double macs = peak_flops(chip, NumberFormat::kBf16).value() / 2;
  const double lanes = static_cast<double>(chip.vector.count * chip.vector.lanes);
  PowerBreakdown p;
  p.matrix = Watts(macs * e.mac_pj * kPico * activity.matrix);
  p.local_buffers =
      Watts(local_bandwidth(chip).value() * e.local_byte_pj * kPico * activity.matrix);
  p.vector =
      Watts(peak_vector_flops(chip).value() / 2 * e.lane_operation_pj * kPico * activity.vector);
  p.control = Watts(lanes * chip.clock.value() * e.control_lane_pj * kPico *
                    std::max(activity.matrix, activity.vector));
  p.global_buffer =
      Watts(global_bandwidth(chip).value() * e.global_byte_pj * kPico * activity.global);
  p.hbm = Watts(hbm_bandwidth(chip).value() * e.hbm_byte_pj * kPico * activity.hbm);
  // Both directions.
  p.links = Watts(2 * link_bandwidth(chip).value() * e.link_byte_pj * kPico * activity.links);
  p.die_to_die = Watts(die_to_die_bandwidth(chip, chip.clock).value() * kBits * kDieToDieBit *
                       kPico * activity.global);
  constexpr double kGiga = 1e9;
  p.other =
      Watts(area.other.value() * kOtherPerMm2 * node.energy_scale * chip.clock.value() / kGiga);
  p.leakage = Watts(total(area).value() * kLeakagePerMm2);
  const double scale = voltage_squared(chip.clock.value() / chip.nominal_clock.value());
  for (Watts* part : {&p.matrix, &p.local_buffers, &p.vector, &p.control, &p.global_buffer,
                      &p.die_to_die, &p.other}) {
    *part = *part * scale;
  }
  return p;
}

Watts total(const PowerBreakdown& p) {
  return p.matrix + p.local_buffers + p.vector + p.control + p.global_buffer + p.hbm + p.links +
         p.die_to_die + p.other + p.leakage;
}

Watts compute_server_power(Watts device, std::int64_t devices) {
  // An 8 x H100 server drew 6.8 kW in MLPerf training, 1.2 kW more than its GPUs' limit.
  constexpr Watts kHostShare(150);
  return (device + kHostShare) * static_cast<double>(devices);
}

std::optional<Hertz> clock_under_cap(const Chip& chip, const Node& node, const AreaBreakdown& area,
                                     Watts cap) {
  const PowerBreakdown p = compute_power(chip, node, area, Activity{});
  if (total(p) <= cap) {
    return chip.clock;
  }
  // Logic draws dynamic x share x voltage^2 at a share of the nominal clock.
  const double fixed = p.hbm.value() + p.links.value() + p.leakage.value();
  const double own_share = chip.clock.value() / chip.nominal_clock.value();
  const double dynamic = (total(p).value() - fixed) / (own_share * voltage_squared(own_share));
  const double room = (cap.value() - fixed) / dynamic;
  const double at_floor = kVoltageFloor * voltage_squared(kVoltageFloor);
  const double share = room >= at_floor ? std::cbrt(room) : room / voltage_squared(0);
  constexpr double kLeastShare = 0.1;
  if (share < kLeastShare * own_share) {
    return std::nullopt;
  }
  return chip.nominal_clock * share;
}

}  // namespace phaze::hw
