// Weights that every device holds whole but of whose gradient it sees only a part: their gradients
// are added up over the group.

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/training.h"
#include "models/build.h"
#include "models/config.h"
#include "models/zoo.h"

namespace phaze::models {
namespace {

bool has_all_reduce_of(const graph::Model& model, const std::string& weight) {
  for (const graph::Layer& layer : model.layers) {
    for (const graph::Operator& op : layer.operators) {
      if (op.kind == graph::OpKind::kAllReduce && op.pass == graph::Pass::kBackward &&
          layer.tensors[op.outputs[0]].name == "d(" + weight + ")") {
        return true;
      }
    }
  }
  return false;
}

graph::Model trained(const ModelSpec& spec, std::int64_t width, bool sequence_parallel) {
  BuildOptions options;
  options.sequence = 128;
  options.tensor_width = width;
  options.sequence_parallel = sequence_parallel;
  Diagnostics diagnostics;
  const std::optional<graph::Model> model = build_model(spec, options, diagnostics);
  EXPECT_TRUE(model) << to_string(diagnostics);
  graph::TrainingOptions training;
  training.fusion = graph::Fusion::kNone;
  return graph::to_training(*model, training);
}

TEST(ReplicatedWeights, ARouterSeesPartsOfTheExpertsOnly) {
  const ModelSpec spec = find_zoo_model("mixtral-8x7b")->spec;
  EXPECT_FALSE(has_all_reduce_of(trained(spec, 1, false), "router.weight"));
  EXPECT_TRUE(has_all_reduce_of(trained(spec, 2, false), "router.weight"));
  EXPECT_TRUE(has_all_reduce_of(trained(spec, 2, true), "router.weight"));
}

TEST(ReplicatedWeights, NormsOfQAndKSeeSomeOfTheHeadsOnly) {
  Diagnostics diagnostics;
  const std::optional<io::Value> config = io::parse_document(
      R"({"model_type": "phi", "hidden_size": 64, "num_attention_heads": 4,
          "intermediate_size": 128, "vocab_size": 512, "qk_layernorm": true})",
      "phi.json", diagnostics);
  const std::optional<ModelSpec> spec = read_config(*config, diagnostics);
  ASSERT_TRUE(spec) << to_string(diagnostics);
  EXPECT_TRUE(has_all_reduce_of(trained(*spec, 2, false), "q_norm.weight"));
  EXPECT_FALSE(has_all_reduce_of(trained(*spec, 2, false), "norm1.weight"));
  EXPECT_TRUE(has_all_reduce_of(trained(*spec, 2, true), "norm1.weight"));
}

TEST(LayerTypes, NameTheLayersWithAWindow) {
  const auto read = [](const std::string& types, Diagnostics& diagnostics) {
    const std::optional<io::Value> config = io::parse_document(
        R"({"model_type": "qwen2", "hidden_size": 64, "num_attention_heads": 4,
            "num_key_value_heads": 2, "num_hidden_layers": 3, "use_sliding_window": true,
            "sliding_window": 16, "max_window_layers": 2, "layer_types": )" +
            types + "}",
        "qwen2.json", diagnostics);
    return read_config(*config, diagnostics);
  };
  Diagnostics diagnostics;
  const std::optional<ModelSpec> spec =
      read(R"(["full_attention", "sliding_attention", "full_attention"])", diagnostics);
  ASSERT_TRUE(spec) << to_string(diagnostics);
  ASSERT_EQ(spec->stacks[0].runs.size(), 3U);
  EXPECT_EQ(spec->stacks[0].runs[1].block.attention.window, 16);
  EXPECT_EQ(read("null", diagnostics)->stacks[0].runs.size(), 2U);

  Diagnostics faults;
  EXPECT_FALSE(read(R"(["foo", "full_attention", "full_attention"])", faults));
  EXPECT_FALSE(read(R"(["full_attention"])", faults));
  EXPECT_EQ(faults.error_count(), 2U);
}

}  // namespace
}  // namespace phaze::models
