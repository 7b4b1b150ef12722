#include "hw/figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hw/memory.h"

namespace phaze::hw {
namespace {

// 4 tensor cores of 128 x 128 and 2 vector cores of 256 lanes at 7 nm and 1 GHz.
Chip small_chip() {
  Chip chip;
  chip.clock = chip.nominal_clock = Hertz(1e9);
  chip.tensor = {4, 4, 128, 128, Bytes(262144), 1536};
  chip.vector = {2, 2, 256, 1, 0, Bytes(4096)};
  chip.global = {Bytes(32 << 20), Bytes(32 << 20), 2048};
  chip.hbm = {HbmGeneration::kHbm2e, 2, 2, Bytes(std::int64_t{16} << 30), BytesPerSecond(4e11)};
  chip.format_rates[0] = 1;
  return chip;
}

TEST(Yield, WithoutSparesIsTheNegativeBinomial) {
  const Chip chip = small_chip();
  const Node& node = *find_node(7);
  const AreaBreakdown area = compute_area(chip, node);
  EXPECT_NEAR(compute_yield(chip, node, area), std::pow(1 + total(area).value() * 0.0015 / 3, -3),
              1e-12);
}

// Spares that cover everything but the rest: the integral must give the rest's own yield when the
// redundant parts cannot fail.
TEST(Yield, SpareCoresForgiveTheirOwnKindOnly) {
  Chip chip = small_chip();
  const Node& node = *find_node(7);
  const double plain = compute_yield(chip, node, compute_area(chip, node));
  Chip spare_tensor = chip;
  spare_tensor.tensor.fabricated = 5;
  Chip spare_vector = chip;
  spare_vector.vector.fabricated = 3;
  const auto yield_of = [&](const Chip& c) {
    return compute_yield(c, node, compute_area(c, node));
  };
  // Tensor cores are most of the redundant area: their spare helps more, although it adds more.
  EXPECT_GT(yield_of(spare_tensor), plain);
  EXPECT_GT(yield_of(spare_tensor), yield_of(spare_vector));
}

// 2048 bytes a cycle at 1 GHz, half of them between two dies: 1.024 TB/s at both ends.
TEST(Dies, PayForWhatPassesBetweenThem) {
  Chip chip = small_chip();
  const Node& node = *find_node(7);
  const AreaBreakdown one = compute_area(chip, node);
  EXPECT_EQ(one.die_to_die, SquareMillimetres());
  chip.dies = 2;
  const AreaBreakdown two = compute_area(chip, node);
  EXPECT_NEAR(two.die_to_die.value(), 1024 * 2 * 2 / 1350.0, 1e-9);
  EXPECT_GT(total(two), total(one));
  EXPECT_NEAR(compute_power(chip, node, two, {}).die_to_die.value(), 1.024e12 * 8 * 0.5e-12, 1e-9);
}

TEST(Memory, FasterThanItsGenerationTakesMoreInterfaces) {
  Chip chip = small_chip();
  const Node& node = *find_node(7);
  const AreaBreakdown before = compute_area(chip, node);
  EXPECT_FALSE(is_beyond_generation(chip.hbm));
  chip.hbm.stack_bandwidth = BytesPerSecond(3 * 460.8e9);
  EXPECT_TRUE(is_beyond_generation(chip.hbm));
  const AreaBreakdown after = compute_area(chip, node);
  EXPECT_NEAR(after.memory_phy.value(), 3 * before.memory_phy.value(), 1e-9);
  EXPECT_NEAR(after.memory_controller.value(), 3 * before.memory_controller.value(), 1e-9);
}

TEST(DiesPerWafer, IsTheUsualFormula) {
  EXPECT_NEAR(dies_per_wafer(SquareMillimetres(814)), 63.5, 0.1);
  EXPECT_NEAR(dies_per_wafer(SquareMillimetres(100)), 640.2, 0.2);
}

TEST(Power, FollowsTheVoltage) {
  Chip chip = small_chip();
  const Node& node = *find_node(7);
  const AreaBreakdown area = compute_area(chip, node);
  const double nominal = compute_power(chip, node, area, {}).matrix.value();
  EXPECT_NEAR(nominal, 4.0 * 128 * 128 * 1e9 * 2.0 * 0.14 * 1.6 * 1e-12, 1e-9);
  chip.clock = Hertz(1.2e9);
  EXPECT_NEAR(compute_power(chip, node, area, {}).matrix.value(), nominal * 1.2 * 1.2 * 1.2, 1e-9);
  chip.clock = Hertz(0.8e9);
  EXPECT_NEAR(compute_power(chip, node, area, {}).matrix.value(), nominal * 0.512, 1e-9);
  chip.clock = Hertz(0.5e9);  // below the floor of the voltage
  EXPECT_NEAR(compute_power(chip, node, area, {}).matrix.value(), nominal * 0.5 * 0.49, 1e-9);
}

TEST(Figures, UnderACapAreThoseOfTheSlowerChip) {
  const Chip chip = small_chip();
  const ChipFigures free = *compute_figures(chip, Technology::kModern);
  const Watts cap = free.tdp * 0.8;
  const ChipFigures capped = *compute_figures(chip, Technology::kModern, cap);
  EXPECT_NEAR(capped.tdp.value(), cap.value(), 1e-9);
  EXPECT_LT(capped.chip.clock, chip.clock);
  EXPECT_EQ(peak_flops(capped.chip, NumberFormat::kBf16).value(),
            2.0 * 4 * 128 * 128 * capped.chip.clock.value());
}

// The original's area is one of 22 nm, without spares.
TEST(Figures, OfPhaze22AreThoseOf22Nanometres) {
  Chip chip = small_chip();
  chip.node_nm = 4;
  chip.tensor.fabricated = 6;
  const ChipFigures figures = *compute_figures(chip, Technology::kPhaze22);
  EXPECT_EQ(figures.node_nm, 22);
  EXPECT_TRUE(figures.is_node_interpolated);
  EXPECT_FALSE(compute_figures(small_chip(), Technology::kModern)->is_node_interpolated);
  EXPECT_NEAR(figures.yield, std::pow(1 + figures.area.value() * 0.0007 / 3, -3), 1e-12);
}

// 100 W for a year are 876 kWh.
TEST(OperatingCarbon, IsEnergyTimesGridTimesOverhead) {
  EXPECT_NEAR(compute_operating_carbon(Watts(100), {500, 1.2}).value(), 876 * 0.5 * 1.2, 1e-9);
}

TEST(Area, FasterFormatsCostMore) {
  Chip chip = small_chip();
  const Node& node = *find_node(7);
  const double one = compute_area(chip, node).tensor_cores.value();
  chip.format_rates[0] = 2;
  EXPECT_GT(compute_area(chip, node).tensor_cores.value(), 1.9 * one);
}

}  // namespace
}  // namespace phaze::hw
