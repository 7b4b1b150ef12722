// Sharded states by hand: what ZeRO saves, and what it needs besides.
#include "place/stage_table.h"

#include <gtest/gtest.h>

#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

// An embedding of 100 parameters, four layers of 30, a head of 50; weights of 2, gradients of 4
// bytes; a byte takes 1 s on the network, and layers 1000 s each way.
class Sharded : public testing::Test {
 protected:
  Sharded() {
    MadeUpLayer layer;
    layer.forward_s = layer.backward_s = 1000;
    layer.ways[0] = {0, 0};
    layer.parameters = 100;
    model_.layers.push_back(layer);
    layer.parameters = 30;
    layer.repeat = 4;
    model_.layers.push_back(layer);
    layer.parameters = 50;
    layer.repeat = 1;
    model_.layers.push_back(layer);
    problem_.states = {Bytes(2), Bytes(4), Bytes(12)};
    problem_.capacity = Bytes(1 << 20);
    problem_.slowed = 0;
  }

  place::StageTable make(int zero, std::int64_t data, std::int64_t microbatches) {
    plan::Strategy strategy;
    strategy.zero = zero;
    strategy.data = data;
    problem_.global_batch = data * microbatches;
    costs_.emplace(model_, MadeUpNetwork());
    return {problem_, *costs_, strategy, *costs_->chain(strategy)};
  }

  plan::StageMemory memory(int zero, std::int64_t data, std::size_t begin, std::size_t end) {
    return make(zero, data, 2).memory(begin, end, plan::Recompute::kNone, 1);
  }

  MadeUpModel model_;
  place::PlanProblem problem_;
  std::optional<MadeUpCosts> costs_;
};

TEST_F(Sharded, StatesAreSharedAndWholePartsComeBesides) {
  EXPECT_EQ(memory(1, 2, 0, 6).gradients, Bytes(4 * 270));
  EXPECT_EQ(memory(1, 2, 0, 6).optimizer, Bytes(6 * 270));
  EXPECT_EQ(memory(1, 2, 0, 6).transient, Bytes(0));
  // The largest layer's gradient before its parts go to their owners.
  EXPECT_EQ(memory(2, 2, 0, 6).gradients, Bytes(2 * 270));
  EXPECT_EQ(memory(2, 2, 0, 6).transient, Bytes(4 * 100));
  // And the weights of neighbours: embedding and a layer, two layers, a layer and the head.
  EXPECT_EQ(memory(3, 2, 0, 6).weights, Bytes(270));
  EXPECT_EQ(memory(3, 2, 0, 6).transient, Bytes(4 * 100 + 2 * 130));
  EXPECT_EQ(memory(3, 2, 1, 5).transient, Bytes(4 * 30 + 2 * 60));
  EXPECT_EQ(memory(3, 2, 4, 6).transient, Bytes(4 * 50 + 2 * 80));
  EXPECT_EQ(memory(3, 2, 5, 6).transient, Bytes(4 * 50 + 2 * 50));  // no neighbour
  // One device keeps all, and nothing besides.
  EXPECT_EQ(memory(3, 1, 0, 6).transient, Bytes(0));
  EXPECT_EQ(memory(3, 1, 0, 6).total(), memory(0, 1, 0, 6).total());
}

// With parts of gradients only there is no place to add up those of several micro-batches.
TEST_F(Sharded, GradientsInPartsAreReducedWithEveryMicrobatch) {
  problem_.overlap = false;
  const auto backward_s = [&](int zero, std::int64_t microbatches) {
    return make(zero, 2, microbatches).times(1, 2, plan::Recompute::kNone).backward_s;
  };
  const double scatter_s = 4 * 30 / 2.0;  // half of the bytes to the other one
  EXPECT_EQ(backward_s(1, 8), 1000);
  EXPECT_EQ(backward_s(2, 1), 1000);
  EXPECT_EQ(backward_s(2, 8), 1000 + scatter_s);
  const auto exposed_s = [&](int zero, std::int64_t microbatches) {
    const place::StageTable table = make(zero, 2, microbatches);
    return table.sync(30, 0, 1, table.times(1, 2, plan::Recompute::kNone)).exposed_s;
  };
  const double gather_s = 2 * 30 / 2.0;
  EXPECT_EQ(exposed_s(1, 8), scatter_s + gather_s);
  EXPECT_EQ(exposed_s(2, 1), scatter_s + gather_s);
  EXPECT_EQ(exposed_s(2, 8), gather_s);
  // Beside backward, which takes longer: no less than with whole gradients.
  problem_.overlap = true;
  EXPECT_EQ(backward_s(2, 8), 1000);
  EXPECT_EQ(exposed_s(2, 8), exposed_s(1, 8));
}

}  // namespace
}  // namespace phaze::tests
