#pragma once
// Chains of layers as the original's placement sees them, made by hand or at random.

#include <vector>

#include "search/original_plan.h"
#include "support/random.h"

namespace phaze::tests {

struct HandLayer {
  std::int64_t repeat = 1;
  double forward = 1, backward = 2, network = 0;  // s
  std::int64_t parameters = 0, saved = 0, handed = 0;
};

// An embedding-like layer, layers that repeat and so on; edges of the bytes that each hands on.
inline search::OriginalChain hand_chain(std::int64_t width, std::int64_t microbatch,
                                        const std::vector<HandLayer>& layers) {
  search::OriginalChain made{width, microbatch, {}, {}, {}};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const HandLayer& from = layers[i];
    plan::ChainLayer& layer = made.chain.layers.emplace_back();
    layer.name = "layer " + std::to_string(i);
    layer.repeat = from.repeat;
    layer.parameters = from.parameters;
    plan::LayerWork work;
    work.forward = Seconds(from.forward);
    work.backward = Seconds(from.backward);
    work.forward_network = work.backward_network = Seconds(from.network);
    work.saved = Bytes(from.saved);
    layer.work[0] = work;
    work.backward += work.forward;
    work.recompute = work.forward - work.forward_network;
    work.backward_network += work.forward_network;
    layer.work[2] = work;
    made.to_itself.emplace_back(from.handed);
    made.to_next.emplace_back(i + 1 < layers.size() ? from.handed : 0);
    made.chain.boundary = std::max(made.chain.boundary, Bytes(from.handed));
  }
  return made;
}

// All widths and micro-batches of one model; wider is faster and smaller, more is slower and
// larger.
inline std::vector<search::OriginalChain> random_chains(Random& random,
                                                        const std::vector<std::int64_t>& widths,
                                                        const std::vector<std::int64_t>& sizes) {
  std::vector<HandLayer> base = {
      {1, random.real(), random.real(), 0, random.pick(0, 40), 1, 1},
      {random.pick(2, 4), 1 + random.real(), 1 + random.real(), 0, random.pick(4, 20),
       random.pick(1, 8), random.pick(0, 3)},
      {1, random.real(), 2 * random.real(), 0, random.pick(0, 40), random.pick(0, 9), 0}};
  const double waste = 0.7 + random.real();  // of micro-batches above 1
  std::vector<search::OriginalChain> chains;
  for (const std::int64_t width : widths) {
    for (const std::int64_t size : sizes) {
      std::vector<HandLayer> layers = base;
      for (HandLayer& layer : layers) {
        const double share =
            static_cast<double>(size) / static_cast<double>(width) * (size > 1 ? waste : 1.0);
        layer.network = width > 1 ? 0.1 * static_cast<double>(size) : 0;
        layer.forward = layer.forward * share * 0.9 + layer.network;
        layer.backward = layer.backward * share * 0.9 + layer.network;
        layer.parameters = (layer.parameters + width - 1) / width;
        layer.saved = layer.saved * size;
        layer.handed = layer.handed * size;
      }
      chains.push_back(hand_chain(width, size, layers));
    }
  }
  return chains;
}

}  // namespace phaze::tests
