// 1F1B: PipeDream-flush (Narayanan et al. 2021, "Memory-Efficient Pipeline-Parallel DNN Training").
// Interleaved: Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU
// Clusters", section 2.2, in the order of Megatron-LM: micro-batches go in groups of as many as
// there are stages; a group passes through the first chunk, then through the second, and so on.
// GPipe: Huang et al. 2019.
#include "simulate/pass_order.h"

#include <algorithm>

namespace phaze::simulate {
namespace {

using plan::PassKind;
using plan::PipelineSchedule;

// The pass of a kind that comes as the `index`-th of its kind.
Pass pass_of(const PassOrder& order, PassKind kind, std::int64_t index) {
  if (order.chunks == 1) {
    return {kind, 0, index};
  }
  const std::int64_t group = index / (order.stages * order.chunks);
  const std::int64_t first = group * order.stages;
  const std::int64_t size = std::min(order.stages, order.microbatches - first);
  const std::int64_t within = index - first * order.chunks;
  const std::int64_t chunk = within / size;
  return {kind, kind == PassKind::kForward ? chunk : order.chunks - 1 - chunk,
          first + within % size};
}

}  // namespace

PassOrder order_of(PipelineSchedule schedule, std::int64_t stages, std::int64_t chunks,
                   std::int64_t microbatches, std::int64_t stage) {
  PassOrder order{stages, chunks, microbatches, 0};
  const std::int64_t after = stages - 1 - stage;
  if (schedule == PipelineSchedule::kGpipe) {
    order.warm_up = order.passes();
  } else if (chunks == 1) {
    order.warm_up = after;
  } else {
    order.warm_up = 2 * after + (chunks - 1) * stages;
  }
  order.warm_up = std::min(order.warm_up, order.passes());
  return order;
}

Pass pass_at(const PassOrder& order, std::int64_t place) {
  const std::int64_t passes = order.passes();
  const std::int64_t turns = passes - order.warm_up;  // of a forward and a backward
  if (place < order.warm_up) {
    return pass_of(order, PassKind::kForward, place);
  }
  const std::int64_t after = place - order.warm_up;
  if (after < 2 * turns) {
    return after % 2 == 0 ? pass_of(order, PassKind::kForward, order.warm_up + after / 2)
                          : pass_of(order, PassKind::kBackward, after / 2);
  }
  return pass_of(order, PassKind::kBackward, place - passes);
}

}  // namespace phaze::simulate
