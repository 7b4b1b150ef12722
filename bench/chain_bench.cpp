// How long does it take until placement sees a model on a chip, for one tensor width and
// micro-batch, with all ways to recompute?

#include <benchmark/benchmark.h>

#include "models/zoo.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "search/chain_profile.h"

namespace phaze {
namespace {

struct Scenario {
  const char* model;
  const char* chip;
  std::int64_t tensor;
  models::AttentionMode attention;
  std::int64_t microbatch = 1;
};

// Items are layers of the chain.
void profile_chain(benchmark::State& state, const Scenario& scenario) {
  Diagnostics diagnostics;
  const models::LoadedModel model = models::find_zoo_model(scenario.model)->spec;
  const hw::Chip chip = presets::load_chip(scenario.chip, {}, diagnostics).value();
  const hw::Cluster cluster = presets::load_cluster("dgx-h100", {}, diagnostics).value();
  search::ProfileRequest request;
  request.model = &model;
  request.build.attention = scenario.attention;
  request.context = cost::make_context(chip);
  request.cluster = &cluster;
  const search::ChainShape shape{
      scenario.tensor, scenario.tensor > 1, scenario.microbatch,
      cost::place_group(cluster, scenario.tensor, 1, cost::Company::kAll).value()};
  search::ChainOrReason answer;
  for (auto _ : state) {
    answer = search::compute_chain(request, shape);
    benchmark::DoNotOptimize(answer);
  }
  if (!answer.chain) {
    state.SkipWithError(answer.reason.c_str());
    return;
  }
  std::int64_t parameters = 0;
  for (const plan::ChainLayer& layer : answer.chain->layers) {
    parameters += layer.parameters * layer.repeat;
  }
  const std::int64_t whole = models::count_parameters(std::get<models::ModelSpec>(model));
  if (parameters * scenario.tensor < whole) {
    state.SkipWithError("parameters are missing");
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(answer.chain->layers.size()));
}

constexpr auto kFlash = models::AttentionMode::kFlash;
constexpr auto kEager = models::AttentionMode::kEager;
BENCHMARK_CAPTURE(profile_chain, gpt3_h100, Scenario{"gpt3-175b", "h100", 8, kFlash})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_chain, gpt3_a100, Scenario{"gpt3-175b", "a100-80g", 8, kFlash})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_chain, gpt3_h100_eager, Scenario{"gpt3-175b", "h100", 8, kEager})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_chain, llama3_8b_h100, Scenario{"llama3-8b", "h100", 1, kFlash})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_chain, t5_h100, Scenario{"t5-large", "h100", 2, kFlash})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(profile_chain, gpt3_tpuv4, Scenario{"gpt3-175b", "tpuv4", 8, kFlash})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace phaze
