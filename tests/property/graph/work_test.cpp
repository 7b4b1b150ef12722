#include "graph/work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/generators.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

RC_GTEST_PROP(WorkProperty, VisiblePairsAreThoseOfTheMask, ()) {
  AttentionShape shape{1,
                       1,
                       1,
                       *rc::gen::inRange<std::int64_t>(1, 60),
                       *rc::gen::inRange<std::int64_t>(1, 60),
                       1,
                       true,
                       *rc::gen::inRange<std::int64_t>(0, 80)};
  std::int64_t pairs = 0;
  for (std::int64_t i = 0; i < shape.queries; ++i) {
    const std::int64_t seen = std::max<std::int64_t>(0, i + 1 + shape.keys - shape.queries);
    pairs += shape.window > 0 ? std::min(seen, shape.window) : seen;
  }
  RC_ASSERT(visible_pairs(shape) == static_cast<double>(pairs));
}

// A wider window shows no less, a mask no more than all.
RC_GTEST_PROP(WorkProperty, WindowsGrowToTheWholeMask, ()) {
  const auto length = *rc::gen::inRange<std::int64_t>(1, 1 << 20);
  const auto window = *rc::gen::inRange<std::int64_t>(1, 1 << 20);
  const AttentionShape all{1, 1, 1, length, length, 1, true, 0};
  AttentionShape some = all;
  some.window = window;
  AttentionShape more = all;
  more.window = window + 1;
  RC_ASSERT(visible_pairs(some) <= visible_pairs(more));
  RC_ASSERT(visible_pairs(more) <= visible_pairs(all));
  RC_ASSERT(visible_pairs(all) ==
            static_cast<double>(length) * static_cast<double>(length + 1) / 2);
}

RC_GTEST_PROP(WorkProperty, CountsAreNotNegative, ()) {
  const Layer layer = tests::with_backward(*tests::any_layer());
  for (const Operator& op : layer.operators) {
    const Traffic traffic = compute_traffic(layer, op);
    RC_ASSERT(traffic.read >= Bytes());
    RC_ASSERT(traffic.written >= Bytes());
    RC_ASSERT(collective_bytes(layer, op) >= Bytes());
    RC_ASSERT(matrix_flops(op) >= Flops());
    RC_ASSERT(op.vector_flops >= Flops());
    // What papers count is no less than what runs forward, no more than four fifths more backward.
    RC_ASSERT(op.pass == Pass::kBackward || nominal_flops(op) >= matrix_flops(op));
  }
}

}  // namespace
}  // namespace phaze::graph
