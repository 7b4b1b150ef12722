// Does every field that a search may vary cost something? More of it must cost area, power or
// money, and never less of any of them: otherwise its maximum, or its minimum, would always win.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "hw/figures.h"

namespace phaze::hw {
namespace {

Chip random_chip() {
  const auto power_of_two = [](int least, int most) {
    return std::int64_t{1} << *rc::gen::inRange(least, most + 1);
  };
  Chip chip;
  chip.node_nm = *rc::gen::element(22, 16, 7, 5, 4, 3);
  chip.clock = Hertz(1e6 * *rc::gen::inRange(200, 3000));
  chip.control = *rc::gen::element(ControlStyle::kSimt, ControlStyle::kSystolic);
  chip.tensor.count = power_of_two(0, 8);
  chip.tensor.fabricated = chip.tensor.count + *rc::gen::inRange(0, 4);
  chip.tensor.rows = power_of_two(1, 8);
  chip.tensor.columns = power_of_two(1, 8);
  chip.tensor.local_buffer = Bytes(power_of_two(10, 20));
  chip.tensor.local_bytes_per_cycle = static_cast<double>(power_of_two(4, 12));
  chip.vector.count = power_of_two(0, 8);
  chip.vector.fabricated = chip.vector.count;
  chip.vector.lanes = power_of_two(1, 10);
  chip.vector.local_buffer = Bytes(power_of_two(10, 20));
  chip.global.size = Bytes(power_of_two(20, 27));
  chip.global.fabricated = chip.global.size;
  chip.global.bytes_per_cycle = static_cast<double>(power_of_two(5, 13));
  chip.hbm.stacks = *rc::gen::inRange(1, 7);
  chip.hbm.sites = chip.hbm.stacks;
  chip.hbm.stack_capacity = Bytes(power_of_two(30, 35));
  chip.hbm.stack_bandwidth = BytesPerSecond(1e9 * *rc::gen::inRange(100, 1500));
  chip.links.count = *rc::gen::inRange(1, 20);
  chip.links.bandwidth = BytesPerSecond(1e9 * *rc::gen::inRange(10, 200));
  chip.format_rates[0] = 1;
  chip.nominal_clock = chip.clock;
  return chip;
}

struct Field {
  const char* name;
  std::function<void(Chip&)> increase;
};

const std::vector<Field>& fields() {
  static const std::vector<Field> kFields = {
      {"tensor cores",
       [](Chip& c) {
         c.tensor.count *= 2;
         c.tensor.fabricated = c.tensor.count;
       }},
      {"rows", [](Chip& c) { c.tensor.rows *= 2; }},
      {"columns", [](Chip& c) { c.tensor.columns *= 2; }},
      {"local buffer", [](Chip& c) { c.tensor.local_buffer = c.tensor.local_buffer * 2; }},
      {"local bandwidth", [](Chip& c) { c.tensor.local_bytes_per_cycle *= 2; }},
      {"vector cores",
       [](Chip& c) {
         c.vector.count *= 2;
         c.vector.fabricated *= 2;
       }},
      {"lanes", [](Chip& c) { c.vector.lanes *= 2; }},
      {"operations per lane", [](Chip& c) { c.vector.operations_per_lane *= 2; }},
      {"vector buffer", [](Chip& c) { c.vector.local_buffer = c.vector.local_buffer * 2; }},
      {"global buffer", [](Chip& c) { c.global.size = c.global.fabricated = c.global.size * 2; }},
      {"global bandwidth", [](Chip& c) { c.global.bytes_per_cycle *= 2; }},
      {"HBM stacks",
       [](Chip& c) {
         c.hbm.stacks *= 2;
         c.hbm.sites = c.hbm.stacks;
       }},
      {"HBM capacity", [](Chip& c) { c.hbm.stack_capacity = c.hbm.stack_capacity * 2; }},
      {"HBM bandwidth", [](Chip& c) { c.hbm.stack_bandwidth = c.hbm.stack_bandwidth * 2; }},
      {"links", [](Chip& c) { c.links.count *= 2; }},
      {"link bandwidth", [](Chip& c) { c.links.bandwidth = c.links.bandwidth * 2; }},
      {"clock", [](Chip& c) { c.clock = c.clock * 2; }},
      {"fp8", [](Chip& c) { c.format_rates[2] += 2; }},
      {"bf16 rate", [](Chip& c) { c.format_rates[0] *= 2; }},
  };
  return kFields;
}

RC_GTEST_PROP(ChipCosts, MoreOfAFieldCostsSomething, ()) {
  const Chip chip = random_chip();
  const ChipFigures before = *compute_figures(chip, Technology::kModern);
  for (const Field& field : fields()) {
    Chip larger = chip;
    // Spare cores change yields in both directions: compare without them.
    larger.tensor.fabricated = larger.tensor.count;
    Chip same = larger;
    const ChipFigures base = *compute_figures(same, Technology::kModern);
    field.increase(larger);
    const ChipFigures after = *compute_figures(larger, Technology::kModern);
    const double area = after.area.value() - base.area.value();
    const double power = after.tdp.value() - base.tdp.value();
    const double cost = total(after.cost).value() - total(base.cost).value();
    RC_LOG() << field.name << " " << area << " mm2 " << power << " W " << cost << " USD\n";
    RC_ASSERT(area >= 0);
    RC_ASSERT(power >= 0);
    RC_ASSERT(cost >= -1e-9);
    RC_ASSERT(area > 0 || power > 0 || cost > 0);
  }
  RC_ASSERT(before.yield > 0);
  RC_ASSERT(before.yield <= 1);
}

RC_GTEST_PROP(ChipCosts, SpareCoresNeverLowerTheYield, ()) {
  Chip chip = random_chip();
  chip.tensor.fabricated = chip.tensor.count + *rc::gen::inRange(1, 8);
  const Node& node = *find_node(chip.node_nm);
  const AreaBreakdown area = compute_area(chip, node);
  const double harvested = compute_yield(chip, node, area);
  chip.tensor.count = chip.tensor.fabricated;  // the same die, all cores needed
  RC_ASSERT(harvested >= compute_yield(chip, node, area) - 1e-6);
}

RC_GTEST_PROP(ChipCosts, PowerCapIsKept, ()) {
  const Chip chip = random_chip();
  const double tdp = compute_figures(chip, Technology::kModern)->tdp.value();
  const double cap = tdp * *rc::gen::inRange(10, 120) / 100.0;
  const std::optional<ChipFigures> capped = compute_figures(chip, Technology::kModern, Watts(cap));
  if (capped) {
    RC_ASSERT(capped->tdp.value() <= cap * (1 + 1e-9));
    RC_ASSERT(capped->chip.clock <= chip.clock);
    // As fast as it may be: at the cap, or at its own clock.
    RC_ASSERT(capped->chip.clock == chip.clock || capped->tdp.value() >= cap * (1 - 1e-9));
    // One clock, one power, however the chip came to it.
    Chip described = chip;
    described.clock = capped->chip.clock;
    RC_ASSERT(compute_figures(described, Technology::kModern)->tdp == capped->tdp);
  } else {
    // Not even a tenth of its clock stays within.
    Chip slow = chip;
    slow.clock = chip.clock * 0.1;
    RC_ASSERT(compute_figures(slow, Technology::kModern)->tdp.value() > cap * (1 - 1e-9));
  }
}

}  // namespace
}  // namespace phaze::hw
