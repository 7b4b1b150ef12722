#include "hw/technology.h"

#include <algorithm>
#include <array>

namespace phaze::hw {
namespace {

// Sources: docs/models.md 8.2.
constexpr std::array kNodes = {
    //   nm  Mtr/mm2  cell   phy   link  pJ   energy        wafer  defects  kWh    gas
    Node{22, 19.8, 0.092, 1.15, 0.100, 8.0, 3.6, Dollars(3415), 0.00070, 1.12, 145, true},
    Node{16, 28.9, 0.074, 1.10, 0.090, 7.0, 2.5, Dollars(3984), 0.00100, 1.20, 162.5, false},
    Node{7, 96.3, 0.027, 1.00, 0.070, 6.0, 1.0, Dollars(9346), 0.00150, 2.15, 275, false},
    Node{5, 138.2, 0.021, 0.95, 0.039, 5.0, 0.70, Dollars(16988), 0.00200, 2.75, 327.5, false},
    Node{4, 147.0, 0.021, 0.95, 0.039, 5.0, 0.66, Dollars(16988), 0.00200, 2.75, 327.5, true},
    Node{3, 197.0, 0.021, 0.95, 0.036, 4.5, 0.48, Dollars(19865), 0.00200, 3.25, 372.5, true},
};

// Of peak density, what wiring, clock trees and gaps leave: assumed, and borne out by A100 and
// H100, whose transistor counts are 0.68 and 0.67 of peak over the whole die, SRAM included.
constexpr double kUtilisation = 0.6;

// Horowitz, ISSCC 2014: um2 at 45 nm; at 6.1 M transistors per mm2 there.
constexpr double kMtransistors45 = 6.1;
constexpr double kF32Adder = 4184;
constexpr double kShared = 0.15;  // of a further format's multiplier that cannot be shared: assumed

double multiplier_um2(NumberFormat format) {
  switch (format) {
    case NumberFormat::kFp16:
    case NumberFormat::kTf32:  // as many bits of mantissa
      return 1640;
    case NumberFormat::kBf16:
      return 1640.0 * (8.0 * 8.0) / (11.0 * 11.0);  // 8 bits of mantissa, not 11
    case NumberFormat::kFp8:
      return 1640.0 * (4.0 * 4.0) / (11.0 * 11.0);
    case NumberFormat::kFp32:
      return 7700;
    case NumberFormat::kInt8:
      return 282;
  }
  return 0;
}

constexpr double kRegisterTransistors = 32 * 8 * 24;  // 32 bytes of flip-flops

// LLMCompass cost model: transistors of fp32, int32 and fp64 units.
constexpr double kF32Unit = 134'000;
constexpr double kInt32Unit = 177'690;
constexpr double kF64Unit = 685'300;

// Fitted to the core of a GA100 (3.72 mm2); checked on the H100.
constexpr double kSimtControl = 101e6;

}  // namespace

const Node* find_node(int nm) {
  const auto* found =
      std::ranges::find_if(kNodes, [nm](const Node& node) { return node.nm == nm; });
  return found == kNodes.end() ? nullptr : found;
}

LogicCounts count_logic(const Chip& chip) {
  // Multipliers and adders grow with the rate; formats share what they can.
  double largest = 0;
  double all = 0;
  double fastest = 0;
  for (std::size_t i = 0; i < kNumberFormats; ++i) {
    const auto format = static_cast<NumberFormat>(i);
    const double rate = chip.format_rates[i];
    const double area = multiplier_um2(format) * rate;
    largest = std::max(largest, area);
    all += area;
    // Narrow formats add up in a tree of narrow adders that the wide one is made of.
    const bool is_narrow = format == NumberFormat::kFp8 || format == NumberFormat::kInt8;
    fastest = std::max(fastest, is_narrow ? rate / 2 : rate);
  }
  const double multiplier = largest + kShared * (all - largest);
  LogicCounts counts;
  counts.pe = std::max(1.0, fastest) * (kF32Adder * kMtransistors45 + kRegisterTransistors) +
              multiplier * kMtransistors45;
  counts.lane = static_cast<double>(chip.vector.operations_per_lane) *
                (kF32Unit + kInt32Unit + kF64Unit * chip.vector.fp64_share);
  counts.control_per_core = chip.control == ControlStyle::kSimt ? kSimtControl : 0;
  return counts;
}

SquareMillimetres logic_area(double transistors, const Node& node) {
  return SquareMillimetres(transistors * 1e-6 / (node.mtransistors_per_mm2 * kUtilisation));
}

}  // namespace phaze::hw
