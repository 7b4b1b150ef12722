// How long do area, power and cost of all of the original's chips take, and how long does it take
// to find the chips of a space that are within its budgets?

#include <benchmark/benchmark.h>

#include <cmath>

#include "hw/figures.h"
#include "presets/spaces.h"
#include "space/chips.h"
#include "space/enumerate.h"

namespace phaze {
namespace {

space::Space load(const std::string& name) {
  Diagnostics diagnostics;
  return presets::load_space(name, diagnostics).value();
}

void figures_of_all_phaze_chips(benchmark::State& state) {
  const space::Space space = load("phaze2024");
  std::vector<hw::Chip> chips;
  double largest = 0;
  space::visit_chips(space, 0, space::combinations(space),
                     [&](std::int64_t, const hw::Chip& chip, SquareMillimetres area) {
                       chips.push_back(chip);
                       largest = std::max(largest, area.value());
                     });
  const auto technology = static_cast<hw::Technology>(state.range(0));
  double area = 0;
  for (auto _ : state) {
    area = 0;
    for (const hw::Chip& chip : chips) {
      area += hw::compute_figures(chip, technology)->area.value();
    }
    benchmark::DoNotOptimize(area);
  }
  // In the original's model no chip of its space passes the limit.
  if (chips.size() != 29360 || std::abs(largest - space.budgets.area->value()) > 1e-8) {
    state.SkipWithError("not the original's chips");
  }
  state.counters["mean_mm2"] = area / static_cast<double>(chips.size());
  state.counters["chips"] = static_cast<double>(chips.size());
  state.SetLabel(std::string(to_string(technology)) + ", target 50 ms");
}
BENCHMARK(figures_of_all_phaze_chips)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// One thread.
void list_space(benchmark::State& state, const std::string& name, std::size_t least,
                std::size_t most) {
  const space::Space space = load(name);
  std::size_t chips = 0;
  for (auto _ : state) {
    chips = space::list_chips(space).size();
  }
  if (chips < least || chips > most) {
    state.SkipWithError("not as many chips as it should have");
  }
  state.counters["combinations"] = static_cast<double>(space::combinations(space));
  state.counters["chips"] = static_cast<double>(chips);
}
BENCHMARK_CAPTURE(list_space, phaze2024, "phaze2024", 29360, 29360)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(list_space, phaze_slides, "phaze-slides", 1'000'000, 100'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(list_space, modern, "modern", 10'000'000, 100'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace phaze
