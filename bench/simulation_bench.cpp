// Event simulation of plans: how fast, with the time checked against what it must be.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "simulate/simulate.h"
#include "support/pipeline_plans.h"

namespace phaze {
namespace {

// Even stages, transfers of a thirtieth of forward and backward.
plan::TrainingPlan even_plan(std::size_t stages, std::int64_t microbatches, std::int64_t chunks) {
  tests::PipelineShape shape;
  shape.forward.assign(stages, 1);
  shape.backward.assign(stages, 2);
  shape.transfer = 0.1 / static_cast<double>(chunks);
  shape.microbatches = microbatches;
  shape.chunks = chunks;
  return tests::plan_of(shape);
}

void simulate_plan(benchmark::State& state) {
  const auto stages = static_cast<std::size_t>(state.range(0));
  const std::int64_t chunks = state.range(2);
  const plan::TrainingPlan plan = even_plan(stages, state.range(1), chunks);
  double events = 0;
  for (auto _ : state) {
    const plan::SimulatedIteration simulated = simulate::simulate(plan);
    const double all = static_cast<double>(stages) * static_cast<double>(chunks);
    // Interleaved to the bit; 1F1B within the rounding of micro-batches to rounds.
    const double expected =
        chunks > 1
            ? 3 * (static_cast<double>(plan.microbatches) +
                   static_cast<double>(stages - 1) / static_cast<double>(chunks)) +
                  2 * (all - 1) * plan.transfer.value()
            : (3 + 0.2 * (all - 1) / all) * (static_cast<double>(plan.microbatches) + all - 1);
    if (std::abs(simulated.iteration.value() / expected - 1) > 0.01) {
      std::fputs("a wrong time\n", stderr);
      std::abort();
    }
    events += static_cast<double>(simulated.events);
  }
  state.counters["events"] = benchmark::Counter(events, benchmark::Counter::kIsRate);
}
BENCHMARK(simulate_plan)
    ->ArgNames({"stages", "microbatches", "chunks"})
    ->Args({8, 64, 1})
    ->Args({64, 512, 1})
    ->Args({16, 512, 4})
    ->Args({64, 16384, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace phaze
