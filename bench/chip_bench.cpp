// How long do area, power and cost of all of the original's chips take?

#include <benchmark/benchmark.h>

#include "hw/figures.h"
#include "hw/phaze_space.h"

namespace phaze::hw {
namespace {

Chip base_chip() {
  Chip chip;
  chip.node_nm = 22;
  chip.clock = chip.nominal_clock = Hertz(1.05e9);
  chip.hbm.stacks = chip.hbm.sites = 4;
  chip.hbm.stack_capacity = Bytes(std::int64_t{20} << 30);
  chip.hbm.stack_bandwidth = BytesPerSecond(300e9);
  chip.format_rates[0] = 1;
  return chip;
}

void figures_of_all_phaze_chips(benchmark::State& state) {
  const std::vector<Chip> chips = enumerate_phaze_chips(base_chip());
  const auto technology = static_cast<Technology>(state.range(0));
  double area = 0;
  for (auto _ : state) {
    area = 0;
    for (const Chip& chip : chips) {
      area += compute_figures(chip, technology)->area.value();
    }
    benchmark::DoNotOptimize(area);
  }
  // In the original's model no chip of its space passes the limit.
  double largest = 0;
  for (const Chip& chip : chips) {
    largest = std::max(largest, total(compute_area_phaze22(chip)).value());
  }
  if (chips.size() != 29360 || std::abs(largest - kPhazeAreaLimit.value()) > 1e-8) {
    state.SkipWithError("not the original's chips");
  }
  state.counters["mean_mm2"] = area / static_cast<double>(chips.size());
  state.counters["chips"] = static_cast<double>(chips.size());
  state.SetLabel(std::string(to_string(technology)) + ", target 50 ms");
}
BENCHMARK(figures_of_all_phaze_chips)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void enumerate_phaze_space(benchmark::State& state) {
  std::size_t count = 0;
  for (auto _ : state) {
    count = enumerate_phaze_chips(base_chip()).size();
  }
  if (count != 29360) {
    state.SkipWithError("expected 29,360 chips");
  }
}
BENCHMARK(enumerate_phaze_space)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace phaze::hw
