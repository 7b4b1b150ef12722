// Do area, power and cost agree with published dies? Every line says what was published, what is
// modelled and the tolerance. Constants were fitted to the GA100 breakdown, the shares of TPUv4i,
// design powers of A100 and TPUv4i, the server's power and the price sources of H100 and B200
// (docs/models.md 8): those lines show that the fit holds; the areas and powers of H100, H200, B200
// and TPU v5e are predictions.

#include <gtest/gtest.h>

#include <cstdio>

#include "hw/figures.h"
#include "presets/chips.h"

namespace phaze::hw {
namespace {

Chip chip_named(const std::string& name) {
  Diagnostics diagnostics;
  std::optional<Chip> chip = presets::load_chip(name, {}, diagnostics);
  EXPECT_TRUE(chip) << to_string(diagnostics);
  return chip.value_or(Chip{});
}

ChipFigures figures_of(const std::string& name) {
  return *compute_figures(chip_named(name), Technology::kModern);
}

void expect_within(const std::string& what, double modelled, double published, double tolerance) {
  std::printf("%-36s published %9.1f   modelled %9.1f   %+6.1f %%   (%.0f %%)\n", what.c_str(),
              published, modelled, 100 * (modelled / published - 1), 100 * tolerance);
  EXPECT_LE(std::abs(modelled / published - 1), tolerance) << what;
}

TEST(PublishedDies, Areas) {
  expect_within("A100 area mm2", figures_of("a100-80g").area.value(), 826, 0.07);
  expect_within("H100 area mm2", figures_of("h100").area.value(), 814, 0.07);
  const double tpu = figures_of("tpuv4i").area.value();
  std::printf("%-36s published below 400   modelled %9.1f\n", "TPUv4i area mm2", tpu);
  EXPECT_LE(tpu, 400);
  EXPECT_LE(figures_of("tpuv4").area.value(), 600);
}

// Die photograph of the GA100, as in LLMCompass (Zhang et al., ISCA 2024), mm2.
TEST(PublishedDies, PartsOfTheGa100) {
  const AreaBreakdown a = figures_of("a100-80g").area_breakdown;
  expect_within("GA100 cores", core_area(a).value(), 476.25, 0.20);
  expect_within("GA100 interconnect", a.interconnect.value(), 76.44, 0.20);
  expect_within("GA100 global buffer", a.global_buffer.value(), 119.31, 0.20);
  expect_within("GA100 memory PHY", a.memory_phy.value(), 58, 0.20);
  expect_within("GA100 memory control", a.memory_controller.value(), 31.77, 0.20);
  expect_within("GA100 link PHY", a.link_phy.value(), 20.95, 0.20);
  expect_within("GA100 other", a.other.value(), 40, 0.20);
}

// Jouppi et al., ISCA 2021: CMEM takes 28 % of the die, matrix units 11 %.
TEST(PublishedDies, SharesOfTpuV4i) {
  const ChipFigures f = figures_of("tpuv4i");
  expect_within("TPUv4i CMEM share %",
                100 * f.area_breakdown.global_buffer.value() / f.area.value(), 28, 0.15);
  expect_within("TPUv4i matrix share %",
                100 * f.area_breakdown.tensor_cores.value() / f.area.value(), 11, 0.15);
}

TEST(PublishedDies, DesignPower) {
  for (const std::string name :
       {"a100-40g", "a100-80g", "h100", "h200", "b200", "tpuv4i", "tpuv5e"}) {
    const Chip chip = chip_named(name);
    expect_within(name + " design power W", figures_of(name).tdp.value(),
                  chip.published_tdp->value(), 0.20);
  }
  // Of TPU v4 the highest measured power is published; a design power is no lower.
  EXPECT_GE(figures_of("tpuv4").tdp.value(), 192);
}

// An 8 x H100 server in MLPerf training: 6.8 kW with its host.
TEST(PublishedDies, ServerPower) {
  expect_within("8 x H100 server W", compute_server_power(figures_of("h100").tdp, 8).value(), 6800,
                0.20);
}

// Raymond James and siliconanalysts.com: an H100 costs 3320 USD to build, its logic die 300.
TEST(PublishedDies, BuildCost) {
  expect_within("H100 build cost USD", total(figures_of("h100").cost).value(), 3320, 0.20);
  expect_within("H200 build cost USD", total(figures_of("h200").cost).value(), 4800, 0.20);
  expect_within("B200 build cost USD", total(figures_of("b200").cost).value(), 6400, 0.20);
  const double logic = figures_of("h100").cost.logic.value();
  std::printf("%-36s published %9.1f   modelled %9.1f   (factor 1.5)\n", "H100 logic die USD",
              300.0, logic);
  EXPECT_LE(logic, 300 * 1.5);
  EXPECT_GE(logic, 300 / 1.5);
}

// Dense bf16 of the data sheets, TFLOP/s.
TEST(PublishedDies, PeakRates) {
  const struct {
    const char* name;
    double tflops;
  } rows[] = {{"tpuv4", 275.3},  {"tpuv4i", 138},    {"tpuv5e", 197},           {"tpuv5p", 459},
              {"a100-40g", 312}, {"a100-80g", 312},  {"h100", 989.4},           {"h200", 989.4},
              {"b200", 2250},    {"mi300x", 1307.4}, {"phaze-reference", 275.3}};
  for (const auto& row : rows) {
    expect_within(std::string(row.name) + " TFLOP/s",
                  peak_flops(chip_named(row.name), NumberFormat::kBf16).value() * 1e-12, row.tflops,
                  0.003);
  }
}

}  // namespace
}  // namespace phaze::hw
