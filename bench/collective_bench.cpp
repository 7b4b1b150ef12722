// How long one collective takes to price. Each result is checked against what a test of the model
// holds it to.
#include <benchmark/benchmark.h>

#include <cmath>

#include "cost/collective.h"
#include "presets/clusters.h"

namespace phaze {
namespace {

using cost::Collective;

hw::Cluster preset(const std::string& name) {
  Diagnostics diagnostics;
  return presets::load_cluster(name, {}, diagnostics).value();
}

void price(benchmark::State& state, const std::string& name, Collective collective,
           std::int64_t size, std::int64_t stride, double least_s, double most_s) {
  const hw::Cluster cluster = preset(name);
  const cost::Group group = cost::place_group(cluster, size, stride, cost::Company::kAll).value();
  std::int64_t bytes = std::int64_t{1} << 28;
  cost::CollectiveCost cost;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);
    cost = cost::compute_collective(cluster, collective, Bytes(bytes), group);
    benchmark::DoNotOptimize(cost);
  }
  if (cost.time < Seconds(least_s) || cost.time > Seconds(most_s)) {
    state.SkipWithError("a time that is wrong");
  }
  state.SetLabel(std::string(cost::to_string(cost.algorithm)) + ", " +
                 std::to_string(cost.time.value() * 1e3) + " ms");
}

void place(benchmark::State& state) {
  const hw::Cluster cluster = preset("dgx-h100");
  std::int64_t size = 64;
  std::optional<cost::Group> group;
  for (auto _ : state) {
    benchmark::DoNotOptimize(size);
    group = cost::place_group(cluster, size, 8, cost::Company::kAll);
    benchmark::DoNotOptimize(group);
  }
  if (!group || group->spans[1].members != 64) {
    state.SkipWithError("a group that is wrong");
  }
}

BENCHMARK_CAPTURE(price, tensor_group_a100, "dgx-a100", Collective::kAllReduce, 8, 1, 1.9e-3,
                  2.4e-3);
BENCHMARK_CAPTURE(price, data_group_a100, "a100-800g", Collective::kAllReduce, 64, 8, 40e-3, 50e-3);
BENCHMARK_CAPTURE(price, whole_job_h100, "dgx-h100", Collective::kAllReduce, 1024, 1, 1.4e-3, 6e-3);
BENCHMARK_CAPTURE(price, gather_h100, "dgx-h100", Collective::kAllGather, 1024, 1, 0.6e-3, 6e-3);
BENCHMARK_CAPTURE(price, experts_h100, "dgx-h100", Collective::kAllToAll, 64, 1, 4e-3, 8e-3);
BENCHMARK_CAPTURE(price, pipeline_h100, "dgx-h100", Collective::kPointToPoint, 2, 8, 5e-3, 7e-3);
BENCHMARK_CAPTURE(price, pod_tpuv4, "tpuv4-pod", Collective::kAllReduce, 4096, 1, 2.6e-3, 3e-3);
BENCHMARK(place);

}  // namespace
}  // namespace phaze
