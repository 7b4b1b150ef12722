#include "io/original_reader.h"

#include <gtest/gtest.h>

#include "io/original_order.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using plan::OriginalInstance;
using Lines = std::vector<std::string>;

// Scalars on line 1, nodes from line 2 on, edges after them.
const std::string kScalars =
    R"({"maxMemoryPerDevice": 100, "maxDevices": 8, "bandwidth": 4, "mbsInBatch": 6,
"activationRecomputation": false, "optimizerAlgorithm": "SGD",)";

std::string node(int id, const std::string& more = "") {
  return R"({"id": )" + std::to_string(id) +
         R"(, "parameterSize": 1, "activationSize": 2.5, "optimalLatencyFw": 3, "optimalLatencyBw": 4, "isTensorParallelized": false)" +
         more + "}";
}
std::string edge(int from, int to) {
  return R"({"sourceId": )" + std::to_string(from) + R"(, "destId": )" + std::to_string(to) +
         R"(, "communicationCost": 7})";
}
std::string joined(const Lines& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ",\n") + item;
  }
  return text;
}
std::string file(const std::string& nodes, const std::string& edges, const std::string& more = "",
                 const std::string& scalars = kScalars) {
  return scalars + "\n\"nodes\": {" + nodes + "},\n\"edges\": {" + edges + "}" + more + "}";
}
std::string width(int t, const Lines& items) {
  return "\"" + std::to_string(t) + "\": [" + joined(items) + "]";
}
const std::string kNodes = width(1, {node(0), node(1)});
const std::string kEdges = width(1, {edge(0, 1)});

OriginalInstance read(const std::string& text) {
  Diagnostics diagnostics;
  const auto instance = read_original_instance(tests::parse(text), diagnostics);
  EXPECT_TRUE(instance) << to_string(diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  return instance.value();
}

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_original_instance(tests::parse(text, "in.json"), diagnostics));
  return tests::lines_of(diagnostics);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(OriginalReader, ReadsEveryKey) {
  const OriginalInstance instance = read(R"({
"maxMemoryPerDevice": 1.5e9, "maxDevices": 1024.0, "bandwidth": 0.5, "mbsInBatch": 1365.33,
"activationRecomputation": true, "optimizerAlgorithm": "Adam",
"nodes": {"2": [
  {"id": 5, "parameterSize": 1, "activationSize": 2, "optimalLatencyFw": 3, "optimalLatencyBw": 4,
   "isTensorParallelized": true, "energy": {"anything": null}},
  {"id": -1, "parameterSize": 0, "activationSize": 0.5, "optimalLatencyFw": 0,
   "optimalLatencyBw": 1e-3, "isTensorParallelized": false}]},
"edges": {"2": [{"sourceId": -1, "destId": 5, "communicationCost": 7.5}]},
"fixedPP": 3, "fixedTMPC": 2, "fixedDP": 4, "numTransformerLayers": 6})");
  EXPECT_EQ(instance.memory, plan::RealBytes(1.5e9));
  EXPECT_EQ(instance.devices, 1024);
  EXPECT_EQ(instance.bandwidth, BytesPerSecond(0.5));
  EXPECT_EQ(instance.microbatches, 1365);
  EXPECT_TRUE(instance.recompute);
  EXPECT_EQ(instance.optimizer, plan::OriginalOptimizer::kAdam);
  EXPECT_EQ(instance.fixed, (plan::FixedStrategy{3, 2, 4, 6}));
  ASSERT_EQ(instance.graphs.size(), 1U);
  const plan::OriginalGraph& graph = instance.graphs[0];
  EXPECT_EQ(graph.width, 2);
  ASSERT_EQ(graph.layers.size(), 2U);  // in the order of the chain
  EXPECT_EQ(graph.layers[0], (plan::OriginalLayer{-1, plan::RealBytes(0), plan::RealBytes(0.5),
                                                  Seconds(0), Seconds(1e-3), false}));
  EXPECT_EQ(graph.layers[1], (plan::OriginalLayer{5, plan::RealBytes(1), plan::RealBytes(2),
                                                  Seconds(3), Seconds(4), true}));
  EXPECT_EQ(graph.edges, (std::vector<plan::OriginalEdge>{{0, 1, plan::RealBytes(7.5)}}));
}

TEST(OriginalReader, WidthsAscendAndAgreeOnTheOrder) {
  const OriginalInstance instance = read(
      file(width(10, {node(2), node(0), node(1)}) + "," + width(2, {node(1), node(2), node(0)}),
           width(2, {edge(0, 2), edge(0, 1), edge(1, 2)}) + "," +
               width(10, {edge(1, 2), edge(0, 1), edge(0, 2)})));
  ASSERT_EQ(instance.graphs.size(), 2U);
  EXPECT_EQ(instance.graphs[0].width, 2);
  EXPECT_EQ(instance.graphs[1].width, 10);
  EXPECT_FALSE(instance.fixed);
  for (const plan::OriginalGraph& graph : instance.graphs) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(graph.layers[i].id, static_cast<std::int64_t>(i));
    }
    const plan::RealBytes seven(7);
    EXPECT_EQ(graph.edges,
              (std::vector<plan::OriginalEdge>{{0, 1, seven}, {0, 2, seven}, {1, 2, seven}}));
  }
}

TEST(OriginalReader, Scalars) {
  const auto with = [](const std::string& from, const std::string& to) {
    return faults_of(file(kNodes, kEdges, "", replaced(kScalars, from, to)));
  };
  EXPECT_EQ(with("100", "0"), Lines{"in.json:1:24: error: maxMemoryPerDevice: expected a number at "
                                    "least 1e-09, found 0"});
  EXPECT_EQ(with(": 8", ": 2.5"),
            Lines{"in.json:1:43: error: maxDevices: expected a whole number, found 2.5"});
  EXPECT_EQ(with(": 8", ": 0").size(), 1U);
  EXPECT_EQ(with(": 6", ": 0.5"), Lines{"in.json:1:76: error: mbsInBatch: expected a number at "
                                        "least 1 and at most 1e+09, found 0.5"});
  EXPECT_EQ(with("\"SGD\"", "\"sgd\""),
            Lines{"in.json:2:57: error: optimizerAlgorithm: expected one of SGD, Adam, found the "
                  "text \"sgd\"; did you mean SGD?"});
  EXPECT_EQ(with("false", "0"), Lines{"in.json:2:28: error: activationRecomputation: expected true "
                                      "or false, found 0"});
  EXPECT_EQ(with("\"bandwidth\": 4, ", ""),
            Lines{"in.json:1:1: error: bandwidth: this key is required: expected a number at least "
                  "1e-09"});
  EXPECT_EQ(with("maxDevices", "maxDevicse").size(), 1U);  // unknown, and not missing too
}

TEST(OriginalReader, AFixedStrategyIsWholeOrNotThere) {
  EXPECT_EQ(read(file(kNodes, kEdges, R"(, "numTransformerLayers": 2)")).fixed, std::nullopt);
  EXPECT_EQ(faults_of(file(kNodes, kEdges, R"(, "fixedPP": 2, "fixedDP": 0)")).size(), 3U);
}

TEST(OriginalReader, Layers) {
  EXPECT_EQ(faults_of(file(width(1, {}), width(1, {}))),
            Lines{"in.json:3:16: error: nodes.1: expected 1 to 4000 layers, found 0"});
  EXPECT_EQ(faults_of(file(width(1, {node(0), node(0)}), kEdges)),
            Lines{"in.json:4:1: error: nodes.1[1]: the id 0 is that of [0] too"});
  EXPECT_EQ(faults_of(file(width(1, {replaced(node(0), "false", "true"), node(1)}), kEdges)),
            Lines{"in.json:3:140: error: nodes.1[0].isTensorParallelized: expected false at width "
                  "1, found true"});
  EXPECT_EQ(faults_of(file(width(1, {replaced(node(0), ": 3", ": -3"), node(1)}), kEdges)),
            Lines{"in.json:3:90: error: nodes.1[0].optimalLatencyFw: expected a number at least 0, "
                  "found -3"});
  EXPECT_EQ(faults_of(file(width(1, {replaced(node(0), ": 3", ": Infinity"), node(1)}), kEdges)),
            Lines{"in.json:3:90: error: nodes.1[0].optimalLatencyFw: expected a number at least 0, "
                  "found the text \"Infinity\""});
  EXPECT_EQ(faults_of(file(width(1, {node(0, R"(, "parameterSiz": 1)"), node(1)}), kEdges)),
            Lines{"in.json:3:163: error: nodes.1[0].parameterSiz: unknown key; did you mean "
                  "parameterSize?"});
  EXPECT_EQ(faults_of(file(width(1, {"7", node(1)}), kEdges))[0],
            "in.json:3:17: error: nodes.1[0]: expected a map, found 7");
}

TEST(OriginalReader, Edges) {
  EXPECT_EQ(faults_of(file(kNodes, width(1, {edge(0, 2)}))),
            Lines{"in.json:5:43: error: edges.1[0].destId: expected the id of a layer, found 2"});
  EXPECT_EQ(faults_of(file(kNodes, width(1, {edge(0, 1), edge(0, 1)}))),
            Lines{"in.json:6:1: error: edges.1[1]: an edge from layer 0 to 1 is there twice"});
  EXPECT_EQ(faults_of(file(kNodes, width(1, {edge(0, 1), edge(1, 1)}))),
            Lines{"in.json:6:1: error: edges.1[1]: an edge from layer 1 to itself"});
}

TEST(OriginalReader, OnlyChains) {
  const std::string four = width(1, {node(0), node(1), node(2), node(3)});
  EXPECT_EQ(
      faults_of(file(four, width(1, {edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)}))),
      Lines{"in.json:7:16: error: edges.1: the graph branches: layers 1 and 2 do not wait for "
            "one another; expected a chain"});
  EXPECT_EQ(
      faults_of(file(kNodes, width(1, {}))),
      Lines{"in.json:5:16: error: edges.1: the graph branches: layers 0 and 1 do not wait for "
            "one another; expected a chain"});
  EXPECT_EQ(
      faults_of(file(four, width(1, {edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 1)}))),
      Lines{"in.json:7:16: error: edges.1: the edges close a cycle: layers 1 -> 2 -> 3 -> 1"});
}

TEST(OriginalReader, WidthsHaveTheSameLayersAndEdges) {
  const std::string two = width(2, {node(0), node(1)});
  EXPECT_EQ(faults_of(file(kNodes + "," + two, kEdges)),
            Lines{"in.json:4:137: error: nodes.2: edges have no width 2"});
  EXPECT_EQ(faults_of(file(kNodes, kEdges + "," + width(2, {edge(0, 1)}))),
            Lines{"in.json:5:76: error: edges.2: nodes have no width 2"});
  EXPECT_EQ(faults_of(file(kNodes + ",\n" + width(2, {node(0), node(2)}),
                           kEdges + ",\n" + width(2, {edge(0, 1)}))),
            (Lines{"in.json:6:1: error: nodes.2[1]: width 1 has no layer 2",
                   "in.json:5:6: error: nodes.2: lacks layer 1, which width 1 has"}));
  EXPECT_EQ(faults_of(file(kNodes + ",\n" + two, kEdges + ",\n" + width(2, {}))),
            Lines{"in.json:8:6: error: edges.2: lacks an edge from layer 0 to 1, which width 1 "
                  "has"});
  EXPECT_EQ(faults_of(file(kNodes + ",\n" + two, kEdges + ",\n" + width(2, {edge(1, 0)})))[0],
            "in.json:8:7: error: edges.2[0]: width 1 has no such edge");
  EXPECT_EQ(faults_of(file(R"("x": [], "01": [], "0": [])", kEdges)).size(), 3U);
  EXPECT_EQ(faults_of(file(R"("1": 7)", kEdges)),
            Lines{"in.json:3:16: error: nodes.1: expected a list, found 7"});
  EXPECT_EQ(faults_of(file("", kEdges)),
            Lines{"in.json:3:10: error: nodes: expected a map from widths to lists such as {\"1\": "
                  "[{\"id\": 0, ...}]}"});
}

TEST(LayerOrder, FindsTheOneOrderOrSaysWhyNot) {
  EXPECT_EQ(order_layers(3, {{2, 0}, {0, 1}}).order, (std::vector<std::size_t>{2, 0, 1}));
  EXPECT_TRUE(order_layers(1, {}).cycle.empty());
  EXPECT_FALSE(order_layers(1, {}).branches);
  EXPECT_TRUE(order_layers(3, {{0, 1}, {0, 2}}).branches);
  EXPECT_EQ(order_layers(4, {{0, 1}, {1, 2}, {2, 1}, {2, 3}}).cycle,
            (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(order_layers(2, {{0, 1}, {1, 0}}).cycle, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace phaze::io
