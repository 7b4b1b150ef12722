// What is written reads back. What is refused: graph_faults_test.cpp.
#include "io/graph_json.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/summary.h"
#include "graph/training.h"
#include "graph/work.h"
#include "models/zoo.h"
#include "support/configs.h"
#include "support/documents.h"
#include "support/layers.h"

namespace phaze::io {
namespace {

graph::Model read(const std::string& text) {
  Diagnostics diagnostics;
  std::optional<graph::Model> model = read_graph(tests::parse(text), "file", diagnostics);
  if (!model) {
    throw std::runtime_error(to_string(diagnostics));
  }
  return std::move(*model);
}

void expect_reads_back(const graph::Model& model) {
  const std::string text = write_graph(model);
  const graph::Model again = read(text);
  ASSERT_EQ(again.layers.size(), model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    EXPECT_EQ(again.layers[i], model.layers[i]) << model.layers[i].name;
  }
  EXPECT_EQ(again, model);
  EXPECT_EQ(write_graph(again), text);
}

class GraphJsonOfZoo : public ::testing::TestWithParam<std::string> {};

TEST_P(GraphJsonOfZoo, ReadsBackToTheByte) {
  const models::ModelSpec spec = models::find_zoo_model(GetParam())->spec;
  const std::int64_t widest = models::tensor_widths(spec).back();
  models::BuildOptions options;
  options.sequence = spec.embedding.channels > 0 ? 0 : 64;
  expect_reads_back(tests::build(spec, options));
  expect_reads_back(graph::to_training(tests::build(spec, options), {}));
  options.tensor_width = widest;
  options.attention = models::AttentionMode::kEager;
  options.execution = models::Execution::kEager;
  graph::TrainingOptions training;
  training.fusion = graph::Fusion::kNone;
  training.recompute.full = true;
  expect_reads_back(graph::to_training(tests::build(spec, options), training));
}

INSTANTIATE_TEST_SUITE_P(Models, GraphJsonOfZoo,
                         ::testing::Values("bert-large", "gpt2-xl", "llama3-8b", "mistral-7b",
                                           "mixtral-8x7b", "phi-2", "gpt-neox-20b", "t5-large",
                                           "vit-l", "opt-350m"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

graph::Model small_model() {
  graph::Model model;
  model.name = "small";
  model.sequence = 4;
  model.settings = {{"made", "by hand"}};
  model.layers = {tests::with_backward(tests::mlp_layer())};
  model.parameters = graph::summarise(model).parameters;
  return model;
}

TEST(GraphJson, NamesOfAllSortsReadBack) {
  graph::Model model = small_model();
  model.name = "a \"quoted\" \\ name\twith\nlines \xC3\xA4";
  model.settings["<<"] = "merge";
  model.layers[0].name = "{braces: [and, brackets]} # no comment";
  model.layers[0].tensors[graph::TensorId(0)].name = "true";
  model.layers[0].tensors[graph::TensorId(1)].name = "5";
  model.layers[0].operators[graph::OpId(0)].name = "\x01 & <b>";
  expect_reads_back(model);
}

TEST(GraphJson, CarriesWhatFollowsFromTheGraph) {
  const Value json = tests::parse(write_graph(small_model()));
  const Value& layer = json.find("layers")->items[0];
  EXPECT_EQ(json.find("schema")->integer, 1);
  EXPECT_EQ(layer.find("forward_flops")->integer, 2 * (2 * 2 * 8 * 4));
  EXPECT_EQ(layer.find("backward_flops")->integer, 4 * (2 * 2 * 8 * 4));
  EXPECT_EQ(layer.find("saved_activation_bytes")->integer, 80);
  EXPECT_EQ(layer.find("saved")->items.size(), 3u);
  const Value& fc1 = layer.find("operators")->items[0];
  EXPECT_EQ(fc1.find("unit")->text, "tensor");
  EXPECT_EQ(fc1.find("flops")->integer, 128);
  EXPECT_EQ(fc1.find("read_bytes")->integer, 2 * (8 + 32 + 8));
  EXPECT_EQ(fc1.find("written_bytes")->integer, 32);
  EXPECT_EQ(fc1.find("collective_bytes"), nullptr);
}

TEST(GraphJson, LargeCountsStayNumbers) {
  graph::Model model = small_model();
  model.layers[0].operators[graph::OpId(1)].vector_flops = Flops(1.5e20);
  model.layers[0].operators[graph::OpId(3)].vector_flops = Flops(9007199254740993.0 * 2);
  expect_reads_back(model);
}

// The least that a graph may say; types, roles, passes and vector work have defaults.
TEST(GraphJson, DefaultsFillWhatAFileLeavesOut) {
  const graph::Model model = read(R"(
schema: 1
layers:
  - name: only
    tensors:
      - {name: x, shape: [2, 4], role: input}
      - {name: w, shape: [3, 4], role: parameter}
      - {name: y, shape: [2, 3]}
      - {name: z, shape: [2, 3]}
    operators:
      - {name: fc, kind: product, inputs: [x, w], outputs: [y], product: {m: 2, n: 3, k: 4}}
      - {name: gelu, kind: gelu, inputs: [y], outputs: [z]}
    outputs: [z]
)");
  EXPECT_EQ(model.name, "file");
  EXPECT_EQ(model.sequence, 1);
  EXPECT_EQ(model.microbatch, 1);
  EXPECT_EQ(model.tensor_width, 1);
  EXPECT_EQ(model.parameters, 12);
  const graph::Layer& layer = model.layers[0];
  EXPECT_EQ(layer.repeat, 1);
  EXPECT_TRUE(layer.can_recompute);
  EXPECT_EQ(tests::tensor_of(layer, "y").type, graph::ElementType::kBf16);
  EXPECT_EQ(tests::tensor_of(layer, "y").role, graph::Role::kActivation);
  EXPECT_EQ(tests::op_of(layer, "gelu").pass, graph::Pass::kForward);
  EXPECT_EQ(tests::op_of(layer, "gelu").vector_flops, Flops(5 * 6));
  EXPECT_EQ(tests::op_of(layer, "fc").product->batch, 1);
  EXPECT_EQ(tests::op_of(layer, "fc").group, 1);
}

TEST(GraphJson, AttentionHasItsDefaults) {
  const graph::Model model = read(R"(
schema: 1
layers:
  - name: only
    tensors:
      - {name: q, shape: [1, 4, 6], role: input}
      - {name: y, shape: [1, 4, 6]}
      - {name: s, shape: [1, 2, 4], type: f32}
    operators:
      - name: attention
        kind: attention
        inputs: [q, q, q]
        outputs: [y, s]
        attention: {heads: 2, queries: 4, keys: 4, head_dim: 3}
)");
  EXPECT_EQ(model.layers[0].operators[graph::OpId(0)].attention,
            (graph::AttentionShape{1, 2, 2, 4, 4, 3, false, 0}));
}

TEST(GraphJson, AGraphIsToldFromAConfiguration) {
  EXPECT_TRUE(is_graph(tests::parse("{schema: 1, layers: []}")));
  EXPECT_TRUE(is_graph(tests::parse("{layers: 3}")));
  EXPECT_FALSE(is_graph(tests::parse("{model_type: llama, layers: 3}")));
  EXPECT_FALSE(is_graph(tests::parse("{model_type: llama}")));
  EXPECT_FALSE(is_graph(tests::parse("[1]")));
}

TEST(GraphJson, AShardSaysHowLargeTheWholeIs) {
  graph::Model model = small_model();
  model.tensor_width = 2;
  model.parameters = 1000;
  expect_reads_back(model);
}

}  // namespace
}  // namespace phaze::io
