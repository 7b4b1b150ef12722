#include "support/original_generators.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace phaze::tests {
namespace {

using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalLayer;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15U + 1) {}
  // The distributions of the standard library differ between its makers.
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool toss(std::int64_t of = 2) { return pick(1, of) == 1; }
  double real() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }  // from 0 to 1

 private:
  std::mt19937_64 engine_;
};

enum class Numbers { kWhole, kAlike, kSpread };

double draw(Random& random, Numbers numbers) {
  switch (numbers) {
    case Numbers::kWhole:
      return static_cast<double>(random.pick(0, 4));
    case Numbers::kAlike:
      return 1 + random.real() / 10;
    case Numbers::kSpread:
      return std::pow(10, 6 * random.real() - 3);
  }
  return 0;
}

std::vector<OriginalLayer> draw_layers(Random& random, std::size_t count, std::int64_t width,
                                       const std::vector<bool>& parallel) {
  const auto numbers = static_cast<Numbers>(random.pick(0, 2));
  const bool equal = random.toss(3);
  std::vector<OriginalLayer> layers;
  for (std::size_t i = 0; i < count; ++i) {
    OriginalLayer layer = equal && i > 1 ? layers.back() : OriginalLayer{};
    if (!equal || i < 2) {
      layer.parameters = plan::RealBytes(draw(random, numbers));
      layer.activations = plan::RealBytes(draw(random, numbers));
      layer.forward = Seconds(draw(random, numbers));
      layer.backward = Seconds(draw(random, numbers));
    }
    layer.id = static_cast<std::int64_t>(i) - 1;
    layer.is_tensor_parallel = width > 1 && parallel[i];
    layers.push_back(layer);
  }
  return layers;
}

double total_memory(const OriginalGraph& graph) {
  double bytes = 0;
  for (const OriginalLayer& layer : graph.layers) {
    bytes += 2 * layer.parameters.value() + layer.activations.value();
  }
  return bytes;
}

}  // namespace

OriginalInstance random_original_instance(std::uint64_t seed,
                                          const OriginalInstanceOptions& options) {
  Random random(seed);
  OriginalInstance instance;
  const auto layers =
      static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(options.least_layers),
                                           static_cast<std::int64_t>(options.most_layers)));
  instance.devices = random.pick(1, options.most_devices);
  instance.microbatches = random.pick(1, options.most_microbatches);
  instance.bandwidth = BytesPerSecond(std::pow(10, 3 * random.real() - 1));
  instance.recompute = random.toss();
  instance.optimizer = static_cast<plan::OriginalOptimizer>(random.pick(0, 1));
  const bool mixed = options.mixed.value_or(random.toss());
  const std::int64_t narrow_of = random.pick(2, 5);
  std::vector<bool> parallel;
  for (std::size_t i = 0; i < layers; ++i) {
    parallel.push_back(!mixed || !random.toss(narrow_of));
  }
  std::set<std::pair<std::size_t, std::size_t>> ends;
  for (std::size_t i = 0; i + 1 < layers; ++i) {
    ends.emplace(i + 1, i);
    if (options.skips && random.toss(8) && i + 2 < layers) {
      ends.emplace(static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(i) + 2,
                                                        static_cast<std::int64_t>(layers) - 1)),
                   i);
    }
  }
  std::set<std::int64_t> widths;
  while (widths.empty() || random.toss()) {
    widths.insert(random.pick(mixed ? 2 : 1, 4));
  }
  const auto numbers = static_cast<Numbers>(random.pick(0, 2));
  for (const std::int64_t width : widths) {
    OriginalGraph graph;
    graph.width = width;
    graph.layers = draw_layers(random, layers, width, parallel);
    for (const auto& [to, from] : ends) {
      graph.edges.push_back(
          {from, to, plan::RealBytes(random.toss(5) ? 0 : draw(random, numbers))});
    }
    instance.graphs.push_back(std::move(graph));
  }
  const double share = random.toss(4) ? 20 : 0.1 + 1.5 * random.real();
  instance.memory =
      plan::RealBytes(std::max(0.5, std::floor(share * total_memory(instance.graphs.front()))));
  if (random.toss()) {
    instance.fixed = plan::FixedStrategy{random.pick(1, 4), *widths.begin(), random.pick(1, 3),
                                         random.pick(0, static_cast<std::int64_t>(layers))};
  }
  return instance;
}

}  // namespace phaze::tests
