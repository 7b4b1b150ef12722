// One layer on a device: sums, schedules, the host.
#include "search/layer_work.h"

#include <gtest/gtest.h>

#include "cost/layer.h"
#include "graph/builder.h"
#include "graph/training.h"
#include "schedule/exact.h"
#include "support/chips.h"
#include "support/clusters.h"

namespace phaze::search {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::TensorId;

// Two products side by side whose results are added up over two devices and multiplied:
//   x -+- a -- reduce_a -+- product
//      +- b -- reduce_b -+
graph::Layer training_layer(const char* recompute = "none") {
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {64, 64}, ElementType::kBf16);
  const auto branch = [&](const std::string& name) {
    const TensorId w = build.parameter("w_" + name, {64, 64}, ElementType::kBf16);
    return build.collective(OpKind::kAllReduce, "reduce_" + name, build.linear(name, x, w),
                            {64, 64}, 2);
  };
  const TensorId a = branch("a");
  build.hand_over(build.binary(OpKind::kMultiply, "product", a, branch("b")));
  graph::Model model;
  model.layers = {std::move(build).finish()};
  graph::TrainingOptions options;
  options.recompute = *graph::parse_recompute_policy(recompute);
  options.fusion = graph::Fusion::kNone;
  return graph::to_training(std::move(model), options).layers[0];
}

struct Device {
  explicit Device(bool is_concurrent) {
    chip.concurrent_operators = is_concurrent;
    cluster = tests::cluster_of({tests::switch_of(2, 1e9, 1e-6)});
    context = cost::make_context(chip);
    context.network = cost::Network{&cluster, tests::group_of({2})};
  }
  hw::Chip chip = tests::round_chip();
  hw::Cluster cluster;
  cost::CostContext context;
};

TEST(LayerWork, IsASumWhereOperatorsFollowOneAnother) {
  const Device device(false);
  const graph::Layer layer = training_layer();
  const plan::LayerCost cost = cost::compute_layer_cost(device.context, layer);
  const PricedLayer priced = price_layer(device.context, layer, {});
  const plan::LayerWork& work = priced.work;
  EXPECT_EQ(work.forward, cost.forward.time);
  EXPECT_EQ(work.backward, cost.backward.time);
  EXPECT_EQ(work.recompute, Seconds());
  EXPECT_EQ(priced.optimizer, cost.optimizer.time);
  double tensor = 0, vector = 0, network = 0, hbm = 0;
  for (const graph::OpId id : ids_of(layer.operators)) {
    if (layer.operators[id].pass == graph::Pass::kOptimizer) {
      continue;
    }
    const double time = cost.operators[id].time.value();
    const graph::Unit unit = graph::traits(layer.operators[id].kind).unit;
    (unit == graph::Unit::kTensor   ? tensor
     : unit == graph::Unit::kVector ? vector
                                    : network) += time;
    hbm += static_cast<double>(cost.operators[id].hbm_bytes.value());
  }
  EXPECT_GT(network, 0);
  EXPECT_DOUBLE_EQ(work.tensor_busy_s, tensor);
  EXPECT_DOUBLE_EQ(work.vector_busy_s, vector);
  EXPECT_DOUBLE_EQ((work.forward_network + work.backward_network).value(), network);
  EXPECT_DOUBLE_EQ(work.hbm_bytes, hbm);
  EXPECT_DOUBLE_EQ((work.forward + work.backward).value(), tensor + vector + network);
}

TEST(LayerWork, IsAScheduleWhereTheyRunSideBySide) {
  const Device device(true);
  const graph::Layer layer = training_layer("full");
  const plan::LayerCost cost = cost::compute_layer_cost(device.context, layer);
  const plan::LayerWork work = price_layer(device.context, layer, {}).work;
  const auto solve = [](const plan::ScheduleProblem& problem, const Wanted&) {
    return schedule::solve_exact(problem);
  };
  const auto scheduled = [&](plan::LayerPass pass) {
    return to_seconds(schedule_layer(device.context, layer, pass, false, solve).time());
  };
  EXPECT_EQ(work.forward, scheduled(plan::LayerPass::kForward));
  EXPECT_EQ(work.backward, scheduled(plan::LayerPass::kBackward));
  EXPECT_LE(work.forward, cost.forward.time);
  EXPECT_LT(work.recompute, work.backward);
  EXPECT_GT(work.recompute, Seconds());
  // One of the products runs beside the other's reduction; the rest of the network's time shows.
  Seconds network;
  for (const graph::OpId id : ids_of(layer.operators)) {
    const graph::Operator& op = layer.operators[id];
    const bool is_network = graph::traits(op.kind).unit == graph::Unit::kNetwork;
    network += is_network && op.pass == graph::Pass::kForward ? cost.operators[id].time : Seconds();
  }
  EXPECT_LT(work.forward_network, network);
  EXPECT_GT(work.forward_network, Seconds());
  EXPECT_LE(work.tensor_busy_s, (work.forward + work.backward).value());
}

TEST(LayerWork, TakesTheSolverThatIsGiven) {
  const Device device(true);
  int calls = 0;
  Scheduling scheduling;
  scheduling.solve = [&calls](const plan::ScheduleProblem& problem, const Wanted&) {
    ++calls;
    return schedule::solve_list(problem);
  };
  price_layer(device.context, training_layer(), scheduling);
  EXPECT_GT(calls, 0);
}

// Five operators forward: two products, two reductions, one multiplication.
TEST(LayerWork, IsNoFasterThanTheHost) {
  Device device(false);
  device.chip.host_launch = Seconds(1);
  device.chip.host_recompute = Seconds(100);
  const plan::LayerWork none = price_layer(device.context, training_layer(), {}).work;
  EXPECT_DOUBLE_EQ(none.forward.value(), 5);
  EXPECT_LT(none.backward.value(), 100);
  EXPECT_GT(none.backward.value(), 5);
  const plan::LayerWork full = price_layer(device.context, training_layer("full"), {}).work;
  EXPECT_DOUBLE_EQ(full.forward.value(), 5);
  EXPECT_DOUBLE_EQ(full.backward.value(), none.backward.value() + 5 + 100);
}

}  // namespace
}  // namespace phaze::search
