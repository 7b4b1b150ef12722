// The original Phaze's placement problem: chains of equal layers as large as one likes, and the
// cases that the original was timed on, where the files are at hand (PHAZE_PLACEMENT names their
// folder; tests/support/recorded_placements.h). Each optimum is checked.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

#include "place/original.h"
#include "support/recorded_placements.h"
#include "verify/original_placement.h"

namespace phaze {
namespace {

using plan::OriginalInstance;
using tests::RecordedPlacement;

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct Shape {
  std::size_t layers = 98;
  std::int64_t devices = 1024;
  std::vector<std::int64_t> widths = {8};
  double memory = 80 * kGiB;
  std::size_t narrow_every = 0;  // every so many layers one is not tensor-parallel
};

// Layers of GPT-3's size that vary a little, 4096 micro-batches, recomputation, 4 GiB/s.
OriginalInstance make_instance(const Shape& shape) {
  OriginalInstance instance;
  instance.memory = plan::RealBytes(shape.memory);
  instance.devices = shape.devices;
  instance.bandwidth = BytesPerSecond(4 * kGiB);
  instance.microbatches = 4096;
  instance.recompute = true;
  for (const std::int64_t width : shape.widths) {
    plan::OriginalGraph graph;
    graph.width = width;
    const double share = 8.0 / static_cast<double>(width);
    for (std::size_t i = 0; i < shape.layers; ++i) {
      const double size = 0.9 + 0.02 * static_cast<double>(i * i % 11);
      const bool is_narrow = shape.narrow_every > 0 && i % shape.narrow_every == 0;
      graph.layers.push_back({static_cast<std::int64_t>(i), plan::RealBytes(4.5e8 * share * size),
                              plan::RealBytes(9.8e8 * share * size), Seconds(8.2e-3 * share * size),
                              Seconds(15.8e-3 * share * size), width > 1 && !is_narrow});
      if (i > 0) {
        graph.edges.push_back({i - 1, i, plan::RealBytes(5e7)});
      }
    }
    instance.graphs.push_back(std::move(graph));
  }
  return instance;
}

// The answer with every rule off has to be the same, where that is not too slow to ask.
bool is_right(const OriginalInstance& instance, plan::OriginalAnswer answer, bool ask_all) {
  if (!verify::find_faults(instance, answer).empty()) {
    return false;
  }
  if (!ask_all) {
    return true;
  }
  const plan::OriginalAnswer all = place::solve_original(instance, {false, false});
  answer.work = all.work;
  return answer == all;
}

void chain(benchmark::State& state, const Shape& shape, bool ask_all) {
  const OriginalInstance instance = make_instance(shape);
  plan::OriginalAnswer answer;
  for (auto _ : state) {
    answer = place::solve_original(instance);
    benchmark::DoNotOptimize(answer);
  }
  if (!answer.best || !is_right(instance, answer, ask_all)) {
    state.SkipWithError("a placement that is wrong");
    return;
  }
  state.counters["stages"] = static_cast<double>(answer.best->stages.size());
  state.counters["work"] = static_cast<double>(answer.work);
}

// Cases of one family, solved one after another; the time is that of all.
void recorded(benchmark::State& state, const std::vector<RecordedPlacement>& cases) {
  std::vector<plan::OriginalAnswer> answers(cases.size());
  for (auto _ : state) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      answers[i] = place::solve_original(cases[i].instance);
    }
    benchmark::DoNotOptimize(answers);
  }
  double original = 0, worst = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& best = answers[i].best;
    if (best.has_value() != cases[i].time.has_value()) {
      state.SkipWithError((cases[i].id + ": feasible for one only").c_str());
      return;
    }
    if (best) {
      worst = std::max(worst, std::abs(best->time.value() / *cases[i].time - 1));
    }
    original += cases[i].cpu_s.value_or(0);
  }
  if (worst > 1e-9) {
    state.SkipWithError("another optimum than the original's");
    return;
  }
  char label[100];
  std::snprintf(label, sizeof label, "%zu cases, the original %.3g s, largest difference %.1g",
                cases.size(), original, worst);
  state.SetLabel(label);
}

std::string group_of(const RecordedPlacement& recorded) {
  const std::size_t end = recorded.family == "scaling" ? std::string::npos : recorded.id.rfind('/');
  return recorded.id.substr(0, end);
}

int register_recorded() {
  const auto folder = tests::recorded_placements_folder();
  std::map<std::string, std::vector<RecordedPlacement>> groups;
  try {
    for (RecordedPlacement& recorded :
         folder ? tests::read_recorded_placements(*folder) : std::vector<RecordedPlacement>()) {
      groups[group_of(recorded)].push_back(std::move(recorded));
    }
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "PHAZE_PLACEMENT: %s\n", problem.what());
  }
  for (auto& [name, cases] : groups) {
    benchmark::RegisterBenchmark(name.c_str(), [cases = std::move(cases)](benchmark::State& s) {
      recorded(s, cases);
    })->Unit(benchmark::kMillisecond);
  }
  return static_cast<int>(groups.size());
}

const double kPlenty = 1e6 * kGiB;

BENCHMARK_CAPTURE(chain, 98_layers_1024_devices_4_widths, Shape{98, 1024, {1, 2, 4, 8}}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 98_layers_1024_devices_4_widths_much_memory,
                  Shape{98, 1024, {1, 2, 4, 8}, kPlenty}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 384_layers_8192_devices, Shape{384, 8192, {8}}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 384_layers_8192_devices_much_memory, Shape{384, 8192, {8}, kPlenty}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 1000_layers_100000_devices, Shape{1000, 100'000, {8}}, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 1000_layers_100000_devices_much_memory, Shape{1000, 100'000, {8}, kPlenty},
                  true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 98_layers_1024_devices_mixed, Shape{98, 1024, {2, 4, 8}, 80 * kGiB, 5},
                  true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(chain, 1000_layers_100000_devices_mixed, Shape{1000, 100'000, {8}, 80 * kGiB, 5},
                  false)
    ->Unit(benchmark::kMillisecond);
const int kRecordedGroups = register_recorded();

}  // namespace
}  // namespace phaze
