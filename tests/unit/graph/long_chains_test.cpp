// Layers far longer than real ones: work must stay near linear and the stack shallow. Quadratic or
// cubic passes would not end here.

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "graph/verify.h"

namespace phaze::graph {
namespace {

constexpr int kLong = 6'000;

Layer chain(OpKind kind, Region region) {
  LayerBuilder build("layer");
  TensorId x = build.input("x", {4, 8}, ElementType::kBf16);
  build.set_region(region);
  for (int i = 0; i < kLong; ++i) {
    x = kind == OpKind::kView ? build.view("v", x, {8, 4}) : build.unary(kind, "op", x);
  }
  build.set_region(Region::kNone);
  const TensorId weight = build.parameter("w", {3, build.shape(x).back()}, ElementType::kBf16);
  build.hand_over(build.linear("last", x, weight));
  return std::move(build).finish();
}

Layer trained(const Layer& layer, const std::string& recompute, Fusion fusion) {
  Model model;
  model.layers = {layer};
  TrainingOptions options;
  options.recompute = *parse_recompute_policy(recompute);
  options.fusion = fusion;
  return to_training(model, options).layers[0];
}

TEST(LongChains, ElementwiseOperatorsFuseIntoOne) {
  const Layer layer = trained(chain(OpKind::kRelu, Region::kNone), "none", Fusion::kFull);
  int forward = 0;
  for (const Operator& op : layer.operators) {
    forward += op.pass == Pass::kForward ? 1 : 0;
  }
  EXPECT_EQ(forward, 2);  // the chain, and the product
  EXPECT_TRUE(verify(layer).empty());
}

TEST(LongChains, RunAgainWithoutDeepRecursion) {
  const Layer layer =
      trained(chain(OpKind::kGelu, Region::kActivation), "activations", Fusion::kNone);
  EXPECT_TRUE(verify(layer).empty());
  // Only the input is kept: everything else is made again.
  EXPECT_EQ(compute_saved(layer).size(), 1U);
}

TEST(LongChains, ViewsAreFollowedOnce) {
  const Layer layer = trained(chain(OpKind::kView, Region::kNone), "selective", Fusion::kFull);
  EXPECT_TRUE(verify(layer).empty());
  EXPECT_EQ(compute_saved(layer).size(), 1U);  // all are views of the input
}

TEST(LongChains, LayersBeyondTheLimitAreRefused) {
  Layer layer = chain(OpKind::kRelu, Region::kNone);
  while (layer.operators.size() <= kMaxOperators) {
    layer.operators.push_back(layer.operators[OpId(0)]);
  }
  const std::vector<Fault> faults = verify(layer);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].message, "holds more than 20000 operators or 100000 tensors");
}

}  // namespace
}  // namespace phaze::graph
