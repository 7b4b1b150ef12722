// Every fault of a graph file with its place.
#include <gtest/gtest.h>

#include "io/graph_json.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using Lines = std::vector<std::string>;

// A good file; each test replaces one line. Lines are numbered from 1:
const char* const kGood = R"(schema: 1
name: mine
layers:
  - name: only
    repeat: 2
    tensors:
      - {name: x, shape: [2, 4], role: input}
      - {name: w, shape: [3, 4], role: parameter}
      - {name: y, shape: [2, 3]}
    operators:
      - name: fc
        kind: product
        inputs: [x, w]
        outputs: [y]
        product: {m: 2, n: 3, k: 4}
    outputs: [y]
)";

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  const bool is_read = read_graph(tests::parse(text), "file", diagnostics).has_value();
  EXPECT_NE(is_read, diagnostics.has_errors());
  return tests::lines_of(diagnostics);
}

// The good file with one line in place of another (or after it, with \n in it).
Lines faults_with(int line, const std::string& text) {
  std::string changed;
  int at = 1;
  for (std::size_t start = 0; kGood[start] != '\0'; ++at) {
    const std::string whole = kGood + start;
    const std::size_t end = whole.find('\n') + 1;
    changed += at == line ? text + "\n" : whole.substr(0, end);
    start += end;
  }
  return faults_of(changed);
}

TEST(GraphFaults, AGoodFileHasNone) { EXPECT_EQ(faults_of(kGood), Lines{}); }

TEST(GraphFaults, Schema) {
  EXPECT_EQ(faults_with(1, "schema: 2"),
            (Lines{"test.yaml:1:9: error: schema: expected 1, found 2"}));
  const Lines missing = faults_with(1, "");
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_TRUE(missing[0].starts_with("test.yaml:2:1: error: schema: this key is required: "))
      << missing[0];
  EXPECT_EQ(faults_with(1, "schema: one").size(), 1u);
}

TEST(GraphFaults, UnknownKeysAndTheNearest) {
  EXPECT_EQ(faults_with(2, "nmae: mine"),
            (Lines{"test.yaml:2:7: error: nmae: unknown key; did you mean name?"}));
  EXPECT_EQ(faults_with(5, "    repeats: 2"),
            (Lines{"test.yaml:5:14: error: layers[0].repeats: unknown key; did you mean repeat?"}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 3], colour: red}"),
            (Lines{"test.yaml:9:42: error: layers[0].tensors[2].colour: unknown key"}));
  EXPECT_EQ(faults_with(11, "      - name: fc\n        knid: product").size(), 1u);
  EXPECT_EQ(faults_with(15, "        product: {m: 2, n: 3, k: 4, l: 5}"),
            (Lines{"test.yaml:15:40: error: layers[0].operators[0].product.l: unknown key"}));
}

TEST(GraphFaults, CountsOfTheModel) {
  for (const char* key : {"sequence", "microbatch", "tensor"}) {
    const Lines faults = faults_with(2, std::string(key) + ": 0");
    ASSERT_EQ(faults.size(), 1u) << key;
    EXPECT_TRUE(faults[0].starts_with("test.yaml:2:" + std::to_string(std::string(key).size() + 3) +
                                      ": error: " + key + ": expected a whole number from 1 to "))
        << faults[0];
  }
  EXPECT_EQ(faults_with(5, "    repeat: 100001"),
            (Lines{"test.yaml:5:13: error: layers[0].repeat: expected a whole number from 1 to "
                   "100000, found 100001"}));
}

TEST(GraphFaults, Settings) {
  EXPECT_EQ(faults_with(2, "settings: 3"),
            (Lines{"test.yaml:2:11: error: settings: expected a map, found 3"}));
  EXPECT_EQ(faults_with(2, "settings: {a: [1]}"),
            (Lines{"test.yaml:2:15: error: settings.a: expected text, found a list of 1"}));
  EXPECT_EQ(faults_with(2, "settings: {a: 1, b: true, c: x}"), Lines{});
}

TEST(GraphFaults, Layers) {
  EXPECT_EQ(faults_of("schema: 1\nlayers: 3\n"),
            (Lines{"test.yaml:2:9: error: layers: expected a list of layers, found 3"}));
  EXPECT_EQ(faults_of("schema: 1\nlayers: []\n"),
            (Lines{"test.yaml:2:9: error: layers: expected a list of at least one layer"}));
  EXPECT_EQ(faults_of("schema: 1\n"),
            (Lines{"test.yaml:1:1: error: layers: expected a list of at least one layer"}));
  EXPECT_EQ(faults_of("schema: 1\nlayers: [3]\n"),
            (Lines{"test.yaml:2:10: error: layers[0]: expected a layer (a map), found 3"}));
}

TEST(GraphFaults, NamesThatAreMissingOrNoText) {
  EXPECT_EQ(faults_with(4, "  -"),
            (Lines{"test.yaml:5:5: error: layers[0].name: this key is required: expected text"}));
  EXPECT_EQ(faults_with(4, "  - name: [a]"),
            (Lines{"test.yaml:4:11: error: layers[0].name: expected text, found a list of 1"}));
  EXPECT_EQ(faults_with(11, "      - name: null"),
            (Lines{"test.yaml:11:15: error: layers[0].operators[0].name: expected text, found "
                   "null"}));
  EXPECT_EQ(faults_with(2, "name: {a: 1}"),
            (Lines{"test.yaml:2:7: error: name: expected text, found a map of 1"}));
}

TEST(GraphFaults, Tensors) {
  EXPECT_EQ(faults_with(9, "      - y"),
            (Lines{"test.yaml:9:9: error: layers[0].tensors[2]: expected a tensor (a map), found "
                   "the text \"y\"",
                   "test.yaml:14:19: error: layers[0].operators[0].outputs[0]: no tensor of this "
                   "layer is called \"y\"",
                   "test.yaml:16:15: error: layers[0].outputs[0]: no tensor of this layer is "
                   "called \"y\""}));
  EXPECT_EQ(faults_with(9, "      - {name: y}"),
            (Lines{"test.yaml:9:9: error: layers[0].tensors[2].shape: expected a list of extents "
                   "such as [2, 1024]"}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: 6}"),
            (Lines{"test.yaml:9:26: error: layers[0].tensors[2].shape: expected a list of extents, "
                   "found 6"}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, three]}"),
            (Lines{"test.yaml:9:30: error: layers[0].tensors[2].shape[1]: expected a whole number, "
                   "found the text \"three\""}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 3], tied: 1}"),
            (Lines{"test.yaml:9:40: error: layers[0].tensors[2].tied: expected true or false, "
                   "found 1"}));
}

TEST(GraphFaults, ChoicesNameWhatIsKnownAndTheNearest) {
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 3], type: bf61}"),
            (Lines{"test.yaml:9:40: error: layers[0].tensors[2].type: expected one of f32, f16, "
                   "bf16, f8, i64, i32, i8, bool, found the text \"bf61\"; did you mean bf16?"}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 3], role: [weight]}").size(), 1u);
  const Lines kind = faults_with(12, "        kind: produkt");
  ASSERT_EQ(kind.size(), 1u);
  EXPECT_TRUE(
      kind[0].starts_with("test.yaml:12:15: error: layers[0].operators[0].kind: expected "
                          "one of product, convolution, "))
      << kind[0];
  EXPECT_TRUE(kind[0].ends_with("found the text \"produkt\"; did you mean product?")) << kind[0];
  EXPECT_EQ(faults_with(12, "        pass: forward"),
            (Lines{"test.yaml:11:9: error: layers[0].operators[0].kind: this key is required"}));
  EXPECT_EQ(faults_with(12, "        kind: product\n        pass: sideways").size(), 1u);
  EXPECT_EQ(faults_with(12, "        kind: product\n        region: middle").size(), 1u);
}

TEST(GraphFaults, TensorsOfOneName) {
  EXPECT_EQ(faults_with(8, "      - {name: x, shape: [3, 4], role: parameter}")[0],
            "test.yaml:8:16: error: layers[0].tensors[1].name: another tensor of this layer has "
            "this name");
}

TEST(GraphFaults, NamesOfTensorsThatAreNotThere) {
  EXPECT_EQ(faults_with(13, "        inputs: [x, weights]"),
            (Lines{"test.yaml:13:21: error: layers[0].operators[0].inputs[1]: no tensor of this "
                   "layer is called \"weights\""}));
  EXPECT_EQ(faults_with(13, "        inputs: x"),
            (Lines{"test.yaml:13:17: error: layers[0].operators[0].inputs: expected a list of "
                   "tensor names, found the text \"x\""}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 3], view_of: z}"),
            (Lines{"test.yaml:9:43: error: layers[0].tensors[2].view_of: no tensor of this layer "
                   "is called \"z\""}));
}

TEST(GraphFaults, Operators) {
  EXPECT_EQ(faults_of("schema: 1\nlayers: [{name: a, operators: 3}]\n"),
            (Lines{"test.yaml:2:31: error: layers[0].operators: expected a list of operators, "
                   "found 3"}));
  EXPECT_EQ(faults_of("schema: 1\nlayers: [{name: a, operators: []}]\n"),
            (Lines{"test.yaml:2:31: error: layers[0].operators: expected a list of at least one "
                   "operator"}));
  EXPECT_EQ(faults_of("schema: 1\nlayers: [{name: a, operators: [x]}]\n"),
            (Lines{"test.yaml:2:32: error: layers[0].operators[0]: expected an operator (a map), "
                   "found the text \"x\""}));
  EXPECT_EQ(faults_with(15, "        product: {m: 2, n: 3}"),
            (Lines{"test.yaml:15:18: error: layers[0].operators[0].product.k: this key is "
                   "required: expected a whole number from 1 to 1125899906842624"}));
  EXPECT_EQ(faults_with(15, "        product: {m: 2, n: 3, k: 4}\n        vector_flops: many"),
            (Lines{"test.yaml:16:23: error: layers[0].operators[0].vector_flops: expected a "
                   "number at least 0, found the text \"many\""}));
  EXPECT_EQ(faults_with(15, "        product: {m: 2, n: 3, k: 4}\n        fused: [{name: a}]"),
            (Lines{"test.yaml:16:17: error: layers[0].operators[0].fused[0].kind: this key is "
                   "required"}));
  EXPECT_EQ(faults_with(15, "        attention: {heads: 2}").size(), 3u);  // queries, keys, width
}

TEST(GraphFaults, WhatVerifyFindsIsReportedAtItsOperatorOrTensor) {
  EXPECT_EQ(faults_with(15, "        product: {m: 2, n: 3, k: 5}"),
            (Lines{"test.yaml:11:9: error: layers[0].operators[0]: the left operand, x: expected "
                   "10 elements, found 8",
                   "test.yaml:11:9: error: layers[0].operators[0]: the right operand, w: expected "
                   "15 elements, found 12"}));
  EXPECT_EQ(faults_with(9, "      - {name: y, shape: [2, 0]}"),
            (Lines{"test.yaml:9:9: error: layers[0].tensors[2]: shape: expected extents of at "
                   "least 1, found 0"}));
}

// Fusion comes last: a file that is still to be differentiated has single operators.
TEST(GraphFaults, FusedOperatorsWithoutABackwardPass) {
  EXPECT_EQ(
      faults_with(11, "      - name: fc\n        fused: [{name: a, kind: gelu}]"),
      (Lines{"test.yaml:4:3: error: layers: \"fc\" of layer \"only\" has operators fused into it, "
             "but there is no backward pass"}));
}

TEST(GraphFaults, EveryLayerIsVerified) {
  const std::string bad =
      "  - name: L\n    tensors: [{name: x, shape: [0], role: input}, {name: y, shape: [1]}]\n"
      "    operators: [{name: r, kind: relu, inputs: [x], outputs: [y]}]\n";
  EXPECT_EQ(faults_of("schema: 1\nlayers:\n" + bad + bad),
            (Lines{"test.yaml:4:15: error: layers[0].tensors[0]: shape: expected extents of at "
                   "least 1, found 0",
                   "test.yaml:7:15: error: layers[1].tensors[0]: shape: expected extents of at "
                   "least 1, found 0"}));
}

TEST(GraphFaults, ParametersThatDoNotAddUp) {
  EXPECT_EQ(faults_with(2, "parameters: 25"),
            (Lines{"test.yaml:2:13: error: parameters: the layers add up to 24"}));
  EXPECT_EQ(faults_with(2, "parameters: 24"), Lines{});
  EXPECT_EQ(faults_with(2, "parameters: -1").size(), 1u);
}

// One tensor is within bounds; a hundred thousand copies of it are not, and nothing overflows.
TEST(GraphFaults, SumsThatCannotBeMeant) {
  const Lines faults = faults_of(R"(
schema: 1
layers:
  - name: large
    repeat: 100000
    tensors:
      - {name: x, shape: [1125899906842624], role: input, type: f32}
      - {name: y, shape: [1125899906842624], type: f32}
      - {name: dy, shape: [1125899906842624], type: f32, role: gradient}
      - {name: dx, shape: [1125899906842624], type: f32, role: gradient}
    operators:
      - {name: forward, kind: gelu, inputs: [x], outputs: [y]}
      - {name: backward, kind: gelu, pass: backward, inputs: [dy, x], outputs: [dx]}
)");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults[0].starts_with("test.yaml:4:3: error: layers: ")) << faults[0];
}

TEST(GraphFaults, AllAreReportedAtOnce) {
  const Lines faults = faults_of(R"(
schema: 2
nmae: x
sequence: -1
layers:
  - name: a
    repeat: none
    tensors: [{name: x, shape: [1], type: f33}]
    operators: [{name: r, kind: rleu, inputs: [z], outputs: [x]}]
)");
  EXPECT_EQ(faults.size(), 7u) << tests::joined(faults);
}

}  // namespace
}  // namespace phaze::io
