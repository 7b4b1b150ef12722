#include "io/schedule_reader.h"

#include <gtest/gtest.h>

#include "support/documents.h"

namespace phaze::io {
namespace {

using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;
using Lines = std::vector<std::string>;

ScheduleProblem read(const std::string& text) {
  Diagnostics diagnostics;
  const auto problem = read_schedule_problem(tests::parse(text), diagnostics);
  EXPECT_TRUE(problem) << to_string(diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  return problem.value();
}

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_schedule_problem(tests::parse(text), diagnostics));
  return tests::lines_of(diagnostics);
}

// Operators on line 2, edges on line 3, further keys from line 4 on.
std::string file(const std::string& operators, const std::string& edges = "[]",
                 const std::string& more = "cores: {tensor: 4, vector: 8}") {
  return "\noperators: [" + operators + "]\nedges: " + edges + "\n" + more + "\n";
}
std::string task(const std::string& keys) { return "{id: a, unit: tensor, " + keys + "}"; }
const std::string kThree =
    "{id: a, unit: tensor, one_core_s: 1}, {id: b, unit: tensor, one_core_s: 1}, "
    "{id: c, unit: tensor, one_core_s: 1}";

TEST(ScheduleReader, ReadsEveryKey) {
  const ScheduleProblem p = read(R"({
"cores": {"tensor": 4, "vector": 8}, "exclusive_wide": false,
"operators": [
  {"id": "q", "unit": "tensor", "one_core_s": 1e-3, "all_cores_s": 3e-4},
  {"id": "k", "unit": "vector", "one_core_s": 0, "all_cores_s": null},
  {"id": "f", "unit": "both", "one_core_s": 2, "all_cores_s": 0},
  {"id": "n", "unit": "network", "one_core_s": 1.4e-12, "all_cores_s": null},
  {"id": 7, "unit": "none", "one_core_s": 1.5e-12}],
"edges": [["q", "k"], ["k", 7], ["q", "k"]]})");
  EXPECT_EQ(p.tensor_cores, 4);
  EXPECT_EQ(p.vector_cores, 8);
  EXPECT_FALSE(p.exclusive_wide);
  ASSERT_EQ(p.tasks.size(), 5U);
  EXPECT_EQ(p.tasks[TaskId(0)], (plan::Task{"q", TaskUnit::kTensor, Picoseconds(1'000'000'000),
                                            Picoseconds(300'000'000)}));
  EXPECT_EQ(p.tasks[TaskId(1)], (plan::Task{"k", TaskUnit::kVector, Picoseconds(0), {}}));
  EXPECT_EQ(p.tasks[TaskId(2)],
            (plan::Task{"f", TaskUnit::kBoth, Picoseconds(2'000'000'000'000), Picoseconds(0)}));
  EXPECT_EQ(p.tasks[TaskId(3)], (plan::Task{"n", TaskUnit::kNetwork, Picoseconds(1), {}}));
  EXPECT_EQ(p.tasks[TaskId(4)], (plan::Task{"7", TaskUnit::kNone, Picoseconds(2), {}}));
  const std::vector<std::pair<TaskId, TaskId>> edges = {{TaskId(0), TaskId(1)},
                                                        {TaskId(1), TaskId(4)}};
  EXPECT_EQ(p.edges, edges);  // the one that is there twice counts once
}

TEST(ScheduleReader, Defaults) {
  const ScheduleProblem p =
      read("cores: {tensor: 1}\noperators: [{id: a, unit: tensor, one_core_s: 1}]\n");
  EXPECT_TRUE(p.exclusive_wide);
  EXPECT_EQ(p.vector_cores, 0);  // nobody needs one
  EXPECT_TRUE(p.edges.empty());
  EXPECT_EQ(p.tasks[TaskId(0)].all_cores, std::nullopt);
}

TEST(ScheduleReader, UnknownKeys) {
  EXPECT_EQ(faults_of(file(task("one_core_s: 1, all_core_s: 1"), "[]",
                           "cores: {tensor: 1, vectors: 2}\nexclusive_wid: true")),
            (Lines{"test.yaml:4:29: error: cores.vectors: unknown key; did you mean vector?",
                   "test.yaml:2:62: error: operators[0].all_core_s: unknown key; did you mean "
                   "all_cores_s?",
                   "test.yaml:5:16: error: exclusive_wid: unknown key; did you mean "
                   "exclusive_wide?"}));
}

TEST(ScheduleReader, Units) {
  EXPECT_EQ(
      faults_of(file("{id: a, unit: tensr, one_core_s: 1, all_cores_s: 1}, "
                     "{id: b, one_core_s: 1}")),
      (Lines{"test.yaml:2:27: error: operators[0].unit: expected one of tensor, vector, both, "
             "network, none, found the text \"tensr\"; did you mean tensor?",
             "test.yaml:2:66: error: operators[1].unit: this key is required"}));
  EXPECT_EQ(faults_of(file("{id: a, unit: network, one_core_s: 1, all_cores_s: 1}, "
                           "{id: b, unit: none, one_core_s: 1, all_cores_s: -1}")),
            (Lines{"test.yaml:2:64: error: operators[0].all_cores_s: means nothing for an operator "
                   "of unit network, which runs on no core",
                   "test.yaml:2:116: error: operators[1].all_cores_s: means nothing for an "
                   "operator of unit none, which runs on no core"}));
}

TEST(ScheduleReader, Times) {
  const std::string expected = "expected a number at least 0 and at most 1e+06";
  EXPECT_EQ(
      faults_of(file(task("all_cores_s: 1"))),
      (Lines{"test.yaml:2:13: error: operators[0].one_core_s: this key is required: " + expected}));
  for (const std::string bad : {"-1e-9", "-0.5", "1000000.1", "1e300", "7777777", "null", "1 ms"}) {
    const Lines one = faults_of(file(task("one_core_s: " + bad)));
    ASSERT_EQ(one.size(), 1U) << bad;
    EXPECT_EQ(
        one[0].find("test.yaml:2:47: error: operators[0].one_core_s: " + expected + ", found"), 0U)
        << one[0];
  }
  // Numbers that are none are text to the parser.
  EXPECT_EQ(faults_of(file(task("one_core_s: .inf, all_cores_s: .nan"))),
            (Lines{"test.yaml:2:47: error: operators[0].one_core_s: " + expected +
                       ", found the text \".inf\"",
                   "test.yaml:2:66: error: operators[0].all_cores_s: " + expected +
                       ", found the text \".nan\""}));
  EXPECT_EQ(faults_of(file(task("one_core_s: 1, all_cores_s: -1"))),
            (Lines{"test.yaml:2:63: error: operators[0].all_cores_s: " + expected + ", found -1"}));
  EXPECT_EQ(faults_of(file("{id: a, unit: tensor, one_core_s: 600000}, "
                           "{id: b, unit: tensor, one_core_s: 1, all_cores_s: 600000}")),
            (Lines{"test.yaml:2:12: error: operators: take more than 1e+06 s together"}));
  read(file(task("one_core_s: 1e+6, all_cores_s: 1e6")));
}

TEST(ScheduleReader, Ids) {
  EXPECT_EQ(faults_of(file("{id: a, unit: tensor, one_core_s: 1}, {id: \"\", unit: tensor, "
                           "one_core_s: 1}, {id: a, unit: tensor, one_core_s: 1}, "
                           "{unit: tensor, one_core_s: 1}, {id: [], unit: none, one_core_s: 1}")),
            (Lines{"test.yaml:2:56: error: operators[1].id: expected text, found none",
                   "test.yaml:2:95: error: operators[2].id: \"a\" is the id of operators[0] too",
                   "test.yaml:2:128: error: operators[3].id: this key is required: expected text",
                   "test.yaml:2:164: error: operators[4].id: expected text, found a list of 0"}));
}

TEST(ScheduleReader, Cores) {
  const std::string both = "{id: a, unit: both, one_core_s: 1}";
  EXPECT_EQ(faults_of(file(both, "[]", "cores: {tensor: 0, vector: 0}")),
            (Lines{"test.yaml:2:27: error: operators[0].unit: needs a tensor core, and "
                   "cores.tensor is 0, and a vector core, and cores.vector is 0"}));
  EXPECT_EQ(faults_of(file(both, "[]", "cores: {tensor: -1, vector: 1.5}")),
            (Lines{"test.yaml:4:17: error: cores.tensor: expected a whole number from 0 to 10000, "
                   "found -1",
                   "test.yaml:4:29: error: cores.vector: expected a whole number from 0 to 10000, "
                   "found 1.5"}));
  EXPECT_EQ(faults_of(file(both, "[]", "exclusive_wide: 1")),
            (Lines{"test.yaml:2:1: error: cores: this key is required: expected a map such as "
                   "{tensor: 4, vector: 8}",
                   "test.yaml:4:17: error: exclusive_wide: expected true or false, found 1"}));
  EXPECT_EQ(faults_of(file(both, "[]", "cores: 4")),
            (Lines{"test.yaml:4:8: error: cores: expected a map, found 4"}));
  // Nobody needs any.
  read(file("{id: a, unit: network, one_core_s: 1}", "[]", "cores: {tensor: 0, vector: 0}"));
}

TEST(ScheduleReader, Edges) {
  EXPECT_EQ(
      faults_of(file("{id: query, unit: tensor, one_core_s: 1}",
                     "[[qery, query], [query, query], [query], query, [query, [1]], [null, zzz]]")),
      (Lines{
          "test.yaml:3:10: error: edges[0][0]: no operator has the id \"qery\"; did you mean "
          "query?",
          "test.yaml:3:24: error: edges[1]: an edge from \"query\" to itself",
          "test.yaml:3:40: error: edges[2]: expected two ids of operators, [before, after], "
          "found a list of 1",
          "test.yaml:3:49: error: edges[3]: expected two ids of operators, [before, after], "
          "found the text \"query\"",
          "test.yaml:3:64: error: edges[4][1]: expected the id of an operator, found a list of 1",
          "test.yaml:3:71: error: edges[5][0]: expected the id of an operator, found null",
          "test.yaml:3:77: error: edges[5][1]: no operator has the id \"zzz\""}));
}

TEST(ScheduleReader, Cycles) {
  EXPECT_EQ(faults_of(file(kThree, "[[c, a], [a, b], [b, c]]")),
            (Lines{"test.yaml:3:9: error: edges[0]: closes a cycle: a -> b -> c -> a"}));
  // Each of two; the operators on the way to one are none of it.
  EXPECT_EQ(faults_of(file(kThree, "[[a, b], [b, c], [c, b], [b, a]]")),
            (Lines{"test.yaml:3:25: error: edges[2]: closes a cycle: b -> c -> b",
                   "test.yaml:3:33: error: edges[3]: closes a cycle: a -> b -> a"}));
  read(file(kThree, "[[a, b], [b, c], [a, c], [a, c]]"));
}

// `count` operators of these keys, one a line from line 2 on, in a ring when asked for.
std::string many(std::size_t count, const std::string& keys, bool is_ring) {
  std::string text = "operators:\n";
  std::string edges = "edges:\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += " - {id: o" + std::to_string(i) + ", unit: tensor, " + keys + "}\n";
    edges += " - [o" + std::to_string(i) + ", o" + std::to_string((i + 1) % count) + "]\n";
  }
  return text + (is_ring ? edges : "");
}

TEST(ScheduleReader, LongCycleIsCutShort) {
  EXPECT_EQ(
      faults_of(many(5000, "one_core_s: 1e-6", true) + "cores: {tensor: 1}\n"),
      (Lines{"test.yaml:10002:4: error: edges[4999]: closes a cycle: o0 -> o1 -> o2 -> o3 -> o4 -> "
             "o5 -> o6 -> o7 -> o8 -> o9 -> ... (4980 more) -> o4990 -> o4991 -> o4992 -> o4993 -> "
             "o4994 -> o4995 -> o4996 -> o4997 -> o4998 -> o4999 -> o0"}));
}

TEST(ScheduleReader, TooMuch) {
  EXPECT_EQ(faults_of(many(kMostTasks + 1, "one_core_s: 0", false) + "cores: {tensor: 1}\n"),
            (Lines{"test.yaml:2:2: error: operators: expected at most 10000 operators, found "
                   "10001"}));
  EXPECT_EQ(
      faults_of(many(401, "one_core_s: 0, all_cores_s: 0", false) + "cores: {tensor: 10000}\n"),
      (Lines{"test.yaml:2:2: error: operators: run wide on 4010000 cores, summed over the "
             "operators that can; expected at most 4000000"}));
  std::string edges = "edges: [";
  for (std::size_t i = 0; i <= kMostTaskEdges; ++i) {
    edges += "[a, b],";
  }
  EXPECT_EQ(faults_of("cores: {tensor: 1}\noperators: [" + kThree + "]\n" + edges + "]\n"),
            (Lines{"test.yaml:3:8: error: edges: expected at most 200000 edges, found 200001"}));
}

TEST(ScheduleReader, NoOperators) {
  EXPECT_EQ(faults_of("cores: {tensor: 1}\noperators: []\n"),
            (Lines{"test.yaml:2:12: error: operators: expected a list of at least one operator"}));
  EXPECT_EQ(faults_of("cores: {tensor: 1}\n"),
            (Lines{"test.yaml:1:1: error: operators: expected a list of at least one operator"}));
  EXPECT_EQ(
      faults_of("cores: {tensor: 1}\noperators: {}\nedges: 1\n"),
      (Lines{"test.yaml:2:12: error: operators: expected a list of operators, found a map of 0",
             "test.yaml:3:8: error: edges: expected a list of edges such as [[q, k], [k, v]], "
             "found 1"}));
  EXPECT_EQ(faults_of("[1]")[0], "test.yaml:1:1: error: expected a map, found a list of 1");
}

}  // namespace
}  // namespace phaze::io
