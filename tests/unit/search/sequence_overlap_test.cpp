// Collectives along the sequence beside products, by hand.
#include "search/sequence_overlap.h"

#include <gtest/gtest.h>

#include "cost/layer.h"
#include "graph/builder.h"
#include "search/layer_work.h"
#include "support/chips.h"
#include "support/clusters.h"

namespace phaze::search {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::TensorId;

// x -- gather -- first -- second -- scatter, on four devices.
graph::Layer forward_layer() {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {16, 64}, ElementType::kBf16);
  const TensorId all = build.collective(OpKind::kAllGather, "gather", x, {64, 64}, 4);
  const TensorId w = build.parameter("w", {64, 64}, ElementType::kBf16);
  const TensorId v = build.parameter("v", {64, 64}, ElementType::kBf16);
  const TensorId y = build.linear("second", build.linear("first", all, w), v);
  build.hand_over(build.collective(OpKind::kReduceScatter, "scatter", y, {16, 64}, 4));
  return std::move(build).finish();
}

plan::LayerCost cost_of(const std::vector<double>& times_s) {
  plan::LayerCost cost;
  for (const double time_s : times_s) {
    plan::OperatorCost one;
    one.time = Seconds(time_s);
    cost.operators.push_back(one);
  }
  return cost;
}

// Of the shorter of both all but the part that comes first, and but for the cores that are busy.
constexpr double kHidden = 1 - 0.25 - 0.12;

TEST(SequenceOverlap, EachCollectiveHasTheProductNextToIt) {
  const auto hidden = compute_hidden(forward_layer(), cost_of({1, 2, 3, 10}));
  EXPECT_DOUBLE_EQ(hidden[graph::OpId(0)].value(), 1 * kHidden);
  EXPECT_DOUBLE_EQ(hidden[graph::OpId(3)].value(), 3 * kHidden);
  EXPECT_EQ(hidden[graph::OpId(1)], Seconds());
  EXPECT_EQ(hidden[graph::OpId(2)], Seconds());
}

TEST(SequenceOverlap, AProductHasOneBesideIt) {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {16, 64}, ElementType::kBf16);
  const TensorId all = build.collective(OpKind::kAllGather, "gather", x, {64, 64}, 4);
  const TensorId w = build.parameter("w", {64, 64}, ElementType::kBf16);
  const TensorId y = build.linear("only", all, w);
  build.hand_over(build.collective(OpKind::kReduceScatter, "scatter", y, {16, 64}, 4));
  const auto hidden = compute_hidden(std::move(build).finish(), cost_of({1, 2, 1}));
  EXPECT_DOUBLE_EQ(hidden[graph::OpId(0)].value(), kHidden);
  EXPECT_EQ(hidden[graph::OpId(2)], Seconds());
}

TEST(SequenceOverlap, TakesTimeFromALayerWhereAskedFor) {
  hw::Chip chip = tests::round_chip();
  chip.concurrent_operators = false;
  const hw::Cluster cluster = tests::cluster_of({tests::switch_of(4, 1e9, 1e-6)});
  cost::CostContext context = cost::make_context(chip);
  context.network = cost::Network{&cluster, tests::group_of({4})};
  const graph::Layer layer = forward_layer();
  const auto hidden = compute_hidden(layer, cost::compute_layer_cost(context, layer));
  const Seconds both = hidden[graph::OpId(0)] + hidden[graph::OpId(3)];
  EXPECT_GT(both, Seconds());
  Scheduling scheduling;
  const plan::LayerWork apart = price_layer(context, layer, scheduling).work;
  scheduling.overlaps_sequence = true;
  const plan::LayerWork beside = price_layer(context, layer, scheduling).work;
  EXPECT_DOUBLE_EQ(beside.forward.value(), (apart.forward - both).value());
  EXPECT_DOUBLE_EQ(beside.forward_network.value(), (apart.forward_network - both).value());
}

}  // namespace
}  // namespace phaze::search
