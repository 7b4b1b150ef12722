#include "graph/training.h"

#include <gtest/gtest.h>

#include "graph/summary.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

Model two_layers() {
  Model model;
  model.name = "two";
  model.layers = {tests::attention_layer(), tests::mlp_layer()};
  model.layers[1].can_recompute = false;
  model.settings["family"] = "mine";
  return model;
}

TEST(Training, RunsThePassesInTheirOrder) {
  const Model model = to_training(two_layers(), {});
  for (const Layer& layer : model.layers) {
    EXPECT_EQ(tests::faults_of(layer), "");
    EXPECT_EQ(tests::op_names(layer, Pass::kOptimizer), (Names{"adam"}));
    EXPECT_EQ(layer.operators[OpId(layer.operators.size() - 1)].name, "adam");
  }
}

TEST(Training, RecomputesOnlyLayersThatMayBe) {
  TrainingOptions options;
  options.recompute.full = true;
  const Model model = to_training(two_layers(), options);
  EXPECT_GT(summarise(model.layers[0]).recompute_flops, Flops());
  EXPECT_EQ(tests::op_names(model.layers[1], Pass::kRecompute), Names{});
}

TEST(Training, SaysHowItWasMade) {
  TrainingOptions options;
  options.optimizer = OptimizerKind::kSgd;
  options.recompute.norms = true;
  options.fusion = Fusion::kElementwise;
  const Model model = to_training(two_layers(), options);
  EXPECT_EQ(model.settings.at("family"), "mine");
  EXPECT_EQ(model.settings.at("optimizer"), "sgd");
  EXPECT_EQ(model.settings.at("recompute"), "norms");
  EXPECT_EQ(model.settings.at("fusion"), "elementwise");
}

TEST(Training, PrecisionChoosesTheGradientsType) {
  TrainingOptions options;
  options.fusion = Fusion::kNone;
  options.precision = Precision::kBf16;
  const Model model = to_training(two_layers(), options);
  EXPECT_EQ(tests::tensor_of(model.layers[1], "d(w1)").type, ElementType::kBf16);
  EXPECT_FALSE(tests::has_tensor(model.layers[1], "master_weights"));
}

TEST(Training, IsMoreThanForwardOperators) {
  EXPECT_FALSE(is_training(two_layers()));
  EXPECT_FALSE(is_training(Model{}));
  EXPECT_TRUE(is_training(to_training(two_layers(), {})));
}

}  // namespace
}  // namespace phaze::graph
