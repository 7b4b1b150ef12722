#include "io/plan_json.h"

#include <gtest/gtest.h>

#include "support/documents.h"

namespace phaze::io {
namespace {

using plan::PlanRecord;
using Lines = std::vector<std::string>;

PlanRecord read(const std::string& text) {
  Diagnostics diagnostics;
  const auto record = read_plan(tests::parse(text), diagnostics);
  EXPECT_TRUE(record) << to_string(diagnostics);
  return record.value();
}

Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_plan(tests::parse(text), diagnostics));
  return tests::lines_of(diagnostics);
}

// The least that a plan says, stages on line 2, further keys on line 3.
std::string file(const std::string& stages = "{forward_s: 1, backward_s: 2}",
                 const std::string& more = "", const std::string& microbatches = "4") {
  return "{schema: 1, iteration_s: 12, transfer_s: 0.5, capacity_bytes: 1000, microbatches: " +
         microbatches + ",\nstages: [" + stages + "],\n" + more + "}\n";
}
const std::string kTwo = "{forward_s: 1, backward_s: 2}, {forward_s: 3, backward_s: 4}";

TEST(PlanReader, TheLeastThatAPlanSays) {
  const PlanRecord record = read(file(kTwo));
  const plan::TrainingPlan& plan = record.plan;
  EXPECT_EQ(record.model, "");
  EXPECT_FALSE(record.figures);
  EXPECT_EQ(plan.strategy.pipeline, 2);
  EXPECT_EQ(plan.strategy.schedule, plan::PipelineSchedule::k1F1B);
  EXPECT_EQ(plan.devices, 2);
  EXPECT_EQ(plan.microbatches, 4);
  EXPECT_EQ(plan.global_batch, 4);
  EXPECT_EQ(plan.transfer, Seconds(0.5));
  EXPECT_EQ(plan.iteration, Seconds(12));
  EXPECT_EQ(plan.capacity, Bytes(1000));
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[1].forward, Seconds(3));
  EXPECT_EQ(plan.stages[1].backward, Seconds(4));
  EXPECT_EQ(plan.stages[1].memory, plan::StageMemory());
}

TEST(PlanReader, WhatFollowsFromOtherKeysIsNotRead) {
  EXPECT_EQ(
      read(file(kTwo, "throughput_sequences_per_s: x, tokens_per_s: [], peak_memory_bytes: -1")),
      read(file(kTwo)));
}

TEST(PlanReader, RecomputationIsThatOfTheStages) {
  EXPECT_EQ(read(file(kTwo, "recompute: none")), read(file(kTwo)));
  EXPECT_EQ(faults_of(file(kTwo, "recompute: bogus")),
            (Lines{"test.yaml:3:12: error: recompute: expected none, as the stages have it, found "
                   "the text \"bogus\""}));
  EXPECT_EQ(
      faults_of(file(kTwo, "recompute: [full]")),
      (Lines{"test.yaml:3:12: error: recompute: expected none, as the stages have it, found a "
             "list of 1"}));
  EXPECT_EQ(faults_of(file("{forward_s: 1, backward_s: 2, recompute: bogus}", "recompute: bogus")),
            (Lines{"test.yaml:2:51: error: stages[0].recompute: expected one of none, selective, "
                   "full, found the text \"bogus\""}));
}

TEST(PlanReader, WhatFollowsFromAFaultIsNone) {
  const auto count = [](const std::string& more, const std::string& microbatches = "4") {
    return faults_of(file(kTwo, more, microbatches)).size();
  };
  EXPECT_EQ(count("pipeline: bogus"), 1U);
  EXPECT_EQ(count("global_batch: bogus"), 1U);
  EXPECT_EQ(count("global_batch: 8, data: bogus"), 1U);
  EXPECT_EQ(count("global_batch: 8, microbatch: bogus"), 1U);
  EXPECT_EQ(count("global_batch: 8", "bogus"), 1U);
  EXPECT_EQ(count("devices: bogus"), 1U);
  EXPECT_EQ(count("interleave: 2, schedule: bogus"), 1U);
  EXPECT_EQ(count("breakdown: {compute_s: bogus, bubble_s: 1}"), 1U);
}

TEST(PlanReader, WhatGoesWithAPlanIsNotRead) {
  EXPECT_EQ(read(file(kTwo, "notes: [a], training: {tokens: 1}, why: {binds: []}")),
            read(file(kTwo)));
  EXPECT_EQ(read(file(kTwo, "assumptions: phaze2024")).assumptions, "phaze2024");
}

TEST(PlanWriter, NoPlanSaysWhatWouldDo) {
  EXPECT_EQ(write_no_plan("nothing fits").find("needed"), std::string::npos);
  const std::string text = write_no_plan("nothing fits", Bytes(7), 12);
  EXPECT_NE(text.find("\"needed_memory_bytes\": 7"), std::string::npos);
  EXPECT_NE(text.find("\"needed_devices\": 12"), std::string::npos);
}

TEST(PlanReader, WhatIsMissing) {
  EXPECT_EQ(faults_of("{}"),
            (Lines{"test.yaml:1:1: error: schema: this key is required: expected a whole number "
                   "from 1 to 1",
                   "test.yaml:1:1: error: stages: expected a list of at least one stage",
                   "test.yaml:1:1: error: microbatches: this key is required: expected a whole "
                   "number from 1 to 1000000000",
                   "test.yaml:1:1: error: transfer_s: this key is required: expected a number at "
                   "least 0 and at most 1e+09",
                   "test.yaml:1:1: error: iteration_s: this key is required: expected a number at "
                   "least 0 and at most 1e+09",
                   "test.yaml:1:1: error: capacity_bytes: this key is required: expected a whole "
                   "number from 0 to 1000000000000000"}));
  EXPECT_EQ(faults_of("[]"), Lines{"test.yaml:1:1: error: expected a map, found a list of 0"});
}

TEST(PlanReader, WhatIsWrong) {
  EXPECT_EQ(faults_of(file("{forward_s: -1, backwards_s: 2}, 3")),
            (Lines{"test.yaml:2:22: error: stages[0].forward_s: expected a number at least 0 and "
                   "at most 1e+09, found -1",
                   "test.yaml:2:39: error: stages[0].backwards_s: unknown key; did you mean "
                   "backward_s?",
                   "test.yaml:2:43: error: stages[1]: expected a map, found 3"}));
  EXPECT_EQ(faults_of(file(kTwo, "pipeline: 3, devices: 2, chip_s: 1")),
            (Lines{"test.yaml:2:9: error: stages: expected as many as pipeline says, 3, found 2",
                   "test.yaml:3:23: error: devices: expected at least tensor x pipeline x data, 3, "
                   "found 2",
                   "test.yaml:3:34: error: chip_s: unknown key; did you mean chip?"}));
  EXPECT_EQ(faults_of(file(kTwo, "tensor: 1000000, data: 1000000")),
            Lines{"test.yaml:1:1: error: devices: expected at most 1000000000, found tensor x "
                  "pipeline x data, 2000000000000"});
  EXPECT_EQ(faults_of(file(kTwo, "schedule: interleafed, order: tpp, zero: 4")),
            (Lines{"test.yaml:3:42: error: zero: expected a whole number from 0 to 3, found 4",
                   "test.yaml:3:11: error: schedule: expected one of 1f1b, gpipe, interleaved, "
                   "found the text \"interleafed\"; did you mean interleaved?",
                   "test.yaml:3:31: error: order: expected one of tdp, tpd, dtp, dpt, ptd, pdt, "
                   "found the text \"tpp\"; did you mean tdp?"}));
}

TEST(PlanReader, NumbersGoTogether) {
  EXPECT_EQ(
      faults_of(file(kTwo, "global_batch: 7, data: 2, microbatch: 2")),
      (Lines{"test.yaml:1:83: error: microbatches: expected 2, global_batch over data x microbatch "
             "rounded up, found 4"}));
  EXPECT_EQ(
      faults_of(file(kTwo, "breakdown: {compute_s: 10, bubble_s: 1}")),
      (Lines{
          "test.yaml:1:26: error: iteration_s: expected the sum of breakdown, 11 s, found 12 s"}));
  EXPECT_EQ(
      faults_of(file("{forward_s: 1, backward_s: 2, network_s: 4}")),
      (Lines{
          "test.yaml:2:51: error: stages[0].network_s: expected at most forward_s and backward_s "
          "together, found 4 s"}));
  EXPECT_EQ(read(file(kTwo, "global_batch: 13, data: 2, microbatch: 2")).plan.global_batch, 13);
  EXPECT_EQ(read(file(kTwo, "workload: {execution: megatron}")).workload->execution, "megatron");
}

TEST(PlanReader, ChunksNeedTheirSchedule) {
  EXPECT_EQ(faults_of(file(kTwo, "interleave: 2")),
            Lines{"test.yaml:3:13: error: interleave: expected 1 with schedule 1f1b, found 2"});
  EXPECT_EQ(faults_of(file(kTwo, "interleave: 2, schedule: interleaved", "5")),
            Lines{"test.yaml:1:83: error: microbatches: expected a multiple of pipeline, 2, "
                  "because stages are interleaved, found 5"});
  EXPECT_EQ(read(file(kTwo, "interleave: 2, schedule: interleaved")).plan.strategy.interleave, 2);
  // A single chunk is plain 1F1B.
  EXPECT_EQ(read(file(kTwo, "schedule: interleaved", "5")).plan.microbatches, 5);
}

TEST(PlanReader, ChunksAddUpToTheirStage) {
  const auto faults = [](const std::string& chunks) {
    return faults_of(
        file("{forward_s: 3, backward_s: 6, saved_bytes: 10,\n chunks: [" + chunks + "]}",
             "interleave: 2, schedule: interleaved"));
  };
  EXPECT_EQ(faults("{forward_s: 1, backward_s: 2}"),
            Lines{"test.yaml:3:10: error: stages[0].chunks: expected as many as interleave says, "
                  "2, found 1"});
  EXPECT_EQ(faults("{forward_s: 1, backward_s: 2, saved_bytes: 10}, {forward_s: 2, backward_s: 3}"),
            Lines{"test.yaml:3:10: error: stages[0].chunks: expected as much in all as "
                  "backward_s, 6, found 5"});
  EXPECT_EQ(faults("{forward_s: 1, backward_s: 2, saved_bytes: 9}, {forward_s: 2, backward_s: 4}"),
            Lines{"test.yaml:3:10: error: stages[0].chunks: expected as much in all as "
                  "saved_bytes, 10, found 9"});
  EXPECT_EQ(faults("{forward_s: 1, backward_s: 2, saved: 9}, 3"),
            (Lines{"test.yaml:3:48: error: stages[0].chunks[0].saved: unknown key",
                   "test.yaml:3:52: error: stages[0].chunks[1]: expected a map, found 3"}));
  const PlanRecord record = read(
      file("{forward_s: 3, backward_s: 6, saved_bytes: 10, chunks: [{forward_s: 1, backward_s: 2, "
           "saved_bytes: 4}, {forward_s: 2, backward_s: 4, saved_bytes: 6}]}",
           "interleave: 2, schedule: interleaved"));
  EXPECT_EQ(record.plan.stages[0].chunks[1], (plan::PlanChunk{Seconds(2), Seconds(4), Bytes(6)}));
}

TEST(PlanReader, BytesStayWithinSixtyFourBits) {
  EXPECT_EQ(
      faults_of(file("{forward_s: 1, backward_s: 1, saved_bytes: 1000000000000}", "", "1000001")),
      Lines{"test.yaml:2:53: error: stages[0].saved_bytes: expected at most "
            "1000000000000000000 bytes for all micro-batches together"});
}

TEST(PlanReader, LayersHaveOneNameEach) {
  const auto stage = [](const std::string& layers) {
    return "{forward_s: 1, backward_s: 1, layers: [" + layers + "]}";
  };
  const PlanRecord record = read(file(stage("{layer: 1, name: b, count: 2}") + ", " +
                                      stage("{layer: 0, name: a, count: 1}, "
                                            "{layer: 1, name: b, count: 3}")));
  EXPECT_EQ(record.layers, (Lines{"a", "b"}));
  EXPECT_EQ(record.plan.stages[1].layers[1], (plan::StageLayers{1, 3}));
  EXPECT_EQ(faults_of(file(stage("{layer: 0, name: a, count: 1}, {layer: 0, name: b, count: 1}"))),
            Lines{"test.yaml:2:97: error: stages[0].layers[1].name: layer 0 is \"a\" before, found "
                  "\"b\""});
  EXPECT_EQ(faults_of(file(stage("{layer: 2, name: a, count: 1}"))),
            Lines{"test.yaml:2:9: error: stages: no stage has layer 0"});
  EXPECT_EQ(faults_of(file(stage("{layer: 1, name: '', count: 0}"))),
            (Lines{"test.yaml:2:77: error: stages[0].layers[0].count: expected a whole number from "
                   "1 to 100000, found 0",
                   "test.yaml:2:66: error: stages[0].layers[0].name: expected the name of a "
                   "layer"}));
}

TEST(PlanReader, FiguresAreThereTogether) {
  EXPECT_EQ(faults_of(file(kTwo, "mfu: 0.5, hfu: 0.6, status: proved, bound_s: 1")),
            (Lines{"test.yaml:3:29: error: status: expected one of optimal, feasible, found the "
                   "text \"proved\"",
                   "test.yaml:1:1: error: utilisation: this key is required beside mfu, hfu, "
                   "status and bound_s"}));
}

TEST(PlanWriter, KeysThatOthersRelyOn) {
  PlanRecord record;
  record.model = "llama3-8b";
  record.chip = "h100";
  record.cluster = "dgx-h100";
  record.sequence = 8192;
  record.layers = {"decoder"};
  record.plan.strategy.tensor = 4;
  record.plan.strategy.data = 2;
  record.plan.devices = 8;
  record.plan.global_batch = 16;
  record.plan.iteration = Seconds(4);
  plan::PlanStage stage;
  stage.layers = {{0, 32}};
  stage.recompute = plan::Recompute::kFull;
  stage.memory.weights = Bytes(5);
  stage.memory.other = Bytes(2);
  record.plan.stages = {stage};
  record.figures = plan::PlanFigures{0.5, 0.6, {0.1, 0.2, 0.3, 0.4}, {}, Seconds(3)};
  const Value json = tests::parse(write_plan(record));
  const auto number = [&json](const char* key) { return json.find(key)->number; };
  EXPECT_EQ(number("schema"), 1);
  EXPECT_EQ(number("iteration_s"), 4);
  EXPECT_EQ(number("throughput_sequences_per_s"), 4);
  EXPECT_EQ(number("tokens_per_s"), 4 * 8192);
  EXPECT_EQ(number("mfu"), 0.5);
  EXPECT_EQ(number("hfu"), 0.6);
  EXPECT_EQ(json.find("utilisation")->find("link")->number, 0.4);
  EXPECT_EQ(number("tensor"), 4);
  EXPECT_EQ(number("pipeline"), 1);
  EXPECT_EQ(number("data"), 2);
  EXPECT_EQ(number("microbatch"), 1);
  EXPECT_EQ(json.find("recompute")->text, "full");
  EXPECT_EQ(number("zero"), 0);
  EXPECT_EQ(number("peak_memory_bytes"), 7);
  EXPECT_EQ(json.find("status")->text, "optimal");
  EXPECT_EQ(number("bound_s"), 3);
  EXPECT_EQ(json.find("breakdown")->members.size(), 7U);
  const Value& first = json.find("stages")->items[0];
  EXPECT_EQ(first.find("devices")->number, 8);
  EXPECT_EQ(first.find("layers")->items[0].find("name")->text, "decoder");
  EXPECT_EQ(first.find("memory")->find("total_bytes")->number, 7);
}

}  // namespace
}  // namespace phaze::io
