// Do FLOPs agree with the exported graphs of the real models, operator by operator, and with the
// published formula?

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "differential/hf_cases.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "graph/work.h"
#include "models/build.h"
#include "models/zoo.h"

namespace phaze::models {
namespace {

graph::Shape shape_of(const io::Value& node) {
  graph::Shape shape;
  const io::Value& list = tests::member(node, "shape");
  if (!list.items.empty()) {
    for (const io::Value& extent : list.items[0].items) {
      shape.push_back(extent.integer);
    }
  }
  return shape;
}

// FLOPs of the products of an exported graph, in its order.
std::vector<double> exported_products(const io::Value& graph) {
  std::map<std::string, graph::Shape> shapes;
  std::vector<double> flops;
  for (const io::Value& node : tests::member(graph, "nodes").items) {
    shapes[tests::member(node, "name").text] = shape_of(node);
    const std::string target = tests::member(node, "target").text;
    const bool has_bias_first = target == "aten.addmm.default";
    if (has_bias_first || target == "aten.linear.default" || target == "aten.matmul.default") {
      const std::vector<io::Value>& inputs = tests::member(node, "inputs").items;
      const graph::Shape& left = shapes.at(inputs.at(has_bias_first ? 1 : 0).text);
      flops.push_back(2.0 * static_cast<double>(graph::element_count(shape_of(node))) *
                      static_cast<double>(left.back()));
    }
  }
  return flops;
}

TEST(Flops, OfProductsEqualTheExportedGraphsInOrder) {
  for (const auto& [file, name] : std::map<std::string, std::string>{{"bert_large", "bert-large"},
                                                                     {"gpt2_xl", "gpt2-xl"},
                                                                     {"llama2_7b", "llama2-7b"},
                                                                     {"llama3_8b", "llama3-8b"}}) {
    SCOPED_TRACE(name);
    const io::Value exported = tests::read_json("data/h200/graph_" + file + ".json");
    ModelSpec spec = find_zoo_model(name)->spec;
    spec.stacks[0].runs[0].count = tests::member(exported, "layers").integer;
    EXPECT_EQ(count_parameters(spec), tests::member(exported, "parameters").integer);
    BuildOptions options;
    options.attention = AttentionMode::kEager;
    options.execution = Execution::kEager;
    options.sequence = tests::member(exported, "seq").integer;
    Diagnostics diagnostics;
    const std::optional<graph::Model> model = build_model(spec, options, diagnostics);
    ASSERT_TRUE(model) << to_string(diagnostics);
    std::vector<double> ours;
    for (const graph::Layer& layer : model->layers) {
      for (std::int64_t i = 0; i < layer.repeat; ++i) {
        for (const graph::Operator& op : layer.operators) {
          if (op.product) {
            ours.push_back(graph::matrix_flops(op).value());
          }
        }
      }
    }
    EXPECT_EQ(ours, exported_products(exported));
  }
}

// Narayanan et al., SC21, equation 3: F = 96 B s l h^2 (1 + s/6h + V/16lh), with full activation
// recomputation and attention counted in full.
double published_flops(const ModelSpec& spec, double batch, double s) {
  const auto h = static_cast<double>(spec.hidden);
  const auto l = static_cast<double>(spec.stacks[0].runs[0].count);
  const auto v = static_cast<double>(spec.embedding.vocabulary);
  return 96 * batch * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
}

TEST(Flops, OfMegatronModelsEqualThePublishedFormula) {
  for (const std::string name : {"megatron-gpt2-xl", "megatron-gpt2-2.5b", "megatron-gpt2-8.3b",
                                 "gpt3-175b", "turing-nlg-530b", "megatron-1t"}) {
    for (const Execution execution : {Execution::kFused, Execution::kEager}) {
      SCOPED_TRACE(name + " " + std::string(to_string(execution)));
      const ModelSpec spec = find_zoo_model(name)->spec;
      BuildOptions options;
      options.microbatch = 2;
      options.attention = AttentionMode::kEager;
      options.execution = execution;
      Diagnostics diagnostics;
      const std::optional<graph::Model> forward = build_model(spec, options, diagnostics);
      ASSERT_TRUE(forward) << to_string(diagnostics);
      graph::TrainingOptions training;
      training.recompute.full = true;
      const graph::ModelSummary total = graph::summarise(graph::to_training(*forward, training));
      const double ours = total.forward_flops.value() + total.backward_flops.value();
      const double published = published_flops(spec, 2, static_cast<double>(forward->sequence));
      EXPECT_NEAR(ours / published, 1, 1e-3);
      // Without recomputation a layer costs three quarters of that.
      const graph::ModelSummary plain = graph::summarise(graph::to_training(*forward, {}));
      EXPECT_EQ(plain.model_flops, plain.forward_flops + plain.backward_flops);
      EXPECT_EQ(plain.model_flops, total.model_flops);
    }
  }
}

// Fused causal attention computes half of the scores (and the diagonal), and its backward runs
// five products where separate operators run four; as papers count it, it costs the same.
TEST(Flops, OfFusedCausalAttentionAreHalved) {
  const ModelSpec spec = find_zoo_model("gpt3-175b")->spec;
  BuildOptions options;
  Diagnostics diagnostics;
  const graph::Model flash = graph::to_training(*build_model(spec, options, diagnostics), {});
  options.attention = AttentionMode::kEager;
  const graph::Model eager = graph::to_training(*build_model(spec, options, diagnostics), {});
  const graph::LayerSummary f = graph::summarise(flash.layers.at(1));
  const graph::LayerSummary e = graph::summarise(eager.layers.at(1));
  EXPECT_EQ(f.model_flops, e.model_flops);
  const double s = 2048;
  const double h = 12288;
  const double scores = 4 * s * s * h;  // two products over all pairs
  EXPECT_DOUBLE_EQ(e.forward_flops.value() - f.forward_flops.value(),
                   scores - 4 * h * s * (s + 1) / 2);
  EXPECT_DOUBLE_EQ(e.backward_flops.value() - f.backward_flops.value(),
                   2 * scores - 2.5 * 4 * h * s * (s + 1) / 2);
}

}  // namespace
}  // namespace phaze::models
