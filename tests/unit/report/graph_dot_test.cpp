#include <gtest/gtest.h>

#include "graph/fuse.h"
#include "report/graph_report.h"
#include "support/layers.h"

namespace phaze::report {
namespace {

graph::Model one(graph::Layer layer, const std::string& name = "model") {
  graph::Model model;
  model.name = name;
  model.layers = {std::move(layer)};
  return model;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

// Outside of its quoted strings a DOT file of ours has balanced brackets and no markup.
void expect_well_formed(const std::string& dot) {
  std::string bare;
  bool is_quoted = false;
  for (std::size_t i = 0; i < dot.size(); ++i) {
    if (is_quoted && dot[i] == '\\') {
      ++i;
    } else if (dot[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      bare += dot[i];
    } else {
      EXPECT_GE(static_cast<unsigned char>(dot[i]), 0x20U) << "a control character in a name";
    }
  }
  EXPECT_FALSE(is_quoted) << dot;
  EXPECT_EQ(count(bare, "{"), count(bare, "}"));
  EXPECT_EQ(count(bare, "["), count(bare, "]"));
  EXPECT_EQ(count(bare, "<"), 0u) << dot;
}

//   x[2,4] -- fc1 -- gelu -- fc2 --+-- residual
TEST(GraphDot, HasANodePerOperatorAndAnEdgePerTensor) {
  const std::string dot = graph_dot(one(tests::mlp_layer()));
  expect_well_formed(dot);
  EXPECT_TRUE(dot.starts_with("digraph \"model\" {\n"));
  EXPECT_TRUE(has(dot, "label=\"mlp x 1\""));
  EXPECT_TRUE(has(dot, "l0_o0 [label=\"fc1\\n128 FLOP\", fillcolor=lightblue]"));
  EXPECT_TRUE(has(dot, "l0_o1 [label=\"gelu\", fillcolor=palegreen]"));
  EXPECT_TRUE(has(dot, "l0_o0 -> l0_o1 [label=\"32 B\"]"));
  EXPECT_EQ(count(dot, " -> "), 3u);  // fc1 - gelu - fc2 - residual; x comes from outside
}

TEST(GraphDot, BackwardIsDashedAndFusedPartsAreNamed) {
  const graph::Layer layer =
      graph::fuse_elementwise(tests::with_backward(tests::mlp_layer()), graph::Fusion::kFull);
  const std::string dot = graph_dot(one(layer));
  expect_well_formed(dot);
  EXPECT_TRUE(has(dot, "label=\"fc1\\n+ gelu\\n"));
  EXPECT_EQ(count(dot, "filled,dashed"), tests::op_names(layer, graph::Pass::kBackward).size());
}

TEST(GraphDot, NamesCannotBreakOut) {
  graph::Layer layer = tests::mlp_layer();
  layer.name = "quote \" and }";
  layer.operators[graph::OpId(0)].name = "back\\slash";
  layer.operators[graph::OpId(1)].name = "<b>markup</b> & \"quotes\"";
  layer.operators[graph::OpId(2)].name = "ends in \\";
  layer.operators[graph::OpId(3)].name = "new\nline\x01";
  layer.operators[graph::OpId(0)].fused = {{"fused \" part\\", graph::OpKind::kGelu}};
  const std::string dot = graph_dot(one(layer, "model \"x\" \\"));
  expect_well_formed(dot);
  EXPECT_TRUE(has(dot, "digraph \"model \\\"x\\\" \\\\\" {"));
  EXPECT_TRUE(has(dot, "label=\"back\\\\slash\\n+ fused \\\" part\\\\\\n128 FLOP\""));
  EXPECT_TRUE(has(dot, "label=\"ends in \\\\\\n128 FLOP\""));
  EXPECT_TRUE(has(dot, "label=\"new line \""));
}

// Graphviz reads entities in a quoted label: &lt; in a name would show as <.
TEST(GraphDot, EntitiesInNamesShowAsTheyAre) {
  graph::Layer layer = tests::mlp_layer();
  layer.operators[graph::OpId(1)].name = "a &lt; b";
  EXPECT_TRUE(has(graph_dot(one(layer)), "label=\"a &amp;lt; b\""));
}

TEST(GraphDot, EachUnitHasItsColour) {
  graph::LayerBuilder build("layer");
  const graph::TensorId x = build.input("x", {4}, graph::ElementType::kBf16);
  build.view("view", x, {2, 2});
  build.collective(graph::OpKind::kAllReduce, "reduce", x, {4}, 2);
  const std::string dot = graph_dot(one(std::move(build).finish()));
  EXPECT_TRUE(has(dot, "[label=\"view\", fillcolor=white]"));
  EXPECT_TRUE(has(dot, "[label=\"reduce\", fillcolor=orange]"));
}

TEST(GraphDot, LayersAreClusters) {
  graph::Model model = one(tests::mlp_layer());
  model.layers.push_back(tests::attention_layer());
  model.layers[1].repeat = 12;
  const std::string dot = graph_dot(model);
  expect_well_formed(dot);
  EXPECT_TRUE(has(dot, "subgraph \"cluster_1\""));
  EXPECT_TRUE(has(dot, "label=\"attention x 12\""));
  EXPECT_TRUE(has(dot, "l1_o0 "));
}

}  // namespace
}  // namespace phaze::report
