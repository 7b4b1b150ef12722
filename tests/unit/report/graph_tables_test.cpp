#include <gtest/gtest.h>

#include <sstream>

#include "graph/training.h"
#include "report/graph_report.h"
#include "support/layers.h"

namespace phaze::report {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The line that begins with these words, spaces taken as one.
std::string line_of(const std::string& text, const std::string& words) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string squeezed;
    for (std::string cell; cells >> cell;) {
      squeezed += (squeezed.empty() ? "" : " ") + cell;
    }
    if (squeezed.starts_with(words)) {
      return squeezed;
    }
  }
  return "";
}

graph::Model small_model() {
  graph::Model model;
  model.name = "small";
  model.sequence = 2048;
  model.parameters = 123456;
  model.settings = {{"architecture", "SmallModel"}, {"expanded_kv", "off"}, {"fusion", "none"}};
  model.layers = {tests::with_backward(tests::mlp_layer()),
                  tests::with_backward(tests::attention_layer(2))};
  model.layers[0].repeat = 3;
  return model;
}

TEST(GraphTables, BeginWithTheModel) {
  const std::string text = graph_tables(small_model());
  EXPECT_TRUE(
      text.starts_with("small (SmallModel)   123,456 parameters\n"
                       "sequence 2,048, micro-batch 1, tensor width 1, fusion none\n"))
      << text.substr(0, 200);
}

// fc1 and fc2 are 128 FLOP each, forward; twice that backward; 80 bytes saved.
TEST(GraphTables, ListTheLayersAndTheirSum) {
  const std::string text = graph_tables(small_model());
  EXPECT_EQ(line_of(text, "mlp 3"), "mlp 3 72 256 512 80 B");
  EXPECT_EQ(line_of(text, "all"), line_of(text, "all 480"));  // 3 x 72 + 8 + 4 x 64 parameters
  graph::Model shard = small_model();
  shard.tensor_width = 2;
  EXPECT_NE(line_of(graph_tables(shard), "one device"), "");
}

TEST(GraphTables, ListTheOperatorsOfEachLayer) {
  const std::string text = graph_tables(small_model());
  EXPECT_TRUE(has(text, "\nmlp x 3\n"));
  EXPECT_EQ(line_of(text, "forward fc1"), "forward fc1 product 2 x 8 x 4 128 16.0 96 B 32 B");
  EXPECT_EQ(line_of(text, "forward scores"), "forward scores product 2 * 4 x 4 x 4 256 128 B 64 B");
  EXPECT_EQ(line_of(text, "backward gelu.gradient"),
            "backward gelu.gradient gelu 2 x 8 160 64 B 32 B");
  EXPECT_EQ(line_of(text, "forward gather"), "forward gather all_gather 1 x 4 x 8 64 B network");
}

TEST(GraphTables, LeaveOutWhatOnlyChangesShapes) {
  graph::LayerBuilder build("views");
  const graph::TensorId x = build.input("x", {2, 4}, graph::ElementType::kBf16);
  build.hand_over(build.view("flat", x, {8}));
  graph::Model model;
  model.layers = {std::move(build).finish()};
  EXPECT_FALSE(has(graph_tables(model), "flat"));
}

TEST(GraphTables, ALongChainOfFusedOperatorsIsCounted) {
  graph::Model model = small_model();
  graph::Operator& op = model.layers[0].operators[graph::OpId(0)];
  op.fused = {{"gelu", graph::OpKind::kGelu}, {"dropout", graph::OpKind::kDropout}};
  EXPECT_TRUE(has(graph_tables(model), "fc1 + gelu + dropout"));
  op.fused.push_back({std::string(40, 'x'), graph::OpKind::kAdd});
  EXPECT_TRUE(has(graph_tables(model), "fc1 + 3 fused"));
}

TEST(GraphTables, AttentionShowsItsHeads) {
  graph::LayerBuilder build("flash");
  const graph::TensorId q = build.input("q", {3, 4, 6}, graph::ElementType::kBf16);
  build.attention("core", {q, q, q}, {3, 2, 2, 4, 4, 3, true, 0}, {3, 4, 6});
  graph::Model model;
  model.layers = {std::move(build).finish()};
  EXPECT_TRUE(has(graph_tables(model), "6 * 4 x 4 x 3 causal"));
}

}  // namespace
}  // namespace phaze::report
