#include "io/measured_runs.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

std::string faults_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_measured_runs(text, "runs.csv", "runs", diagnostics)) << text;
  return to_string(diagnostics);
}

plan::MeasuredRun run_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto runs = read_measured_runs(text, "runs.csv", "runs", diagnostics);
  EXPECT_TRUE(runs && runs->size() == 1) << to_string(diagnostics);
  return runs->at(0);
}

TEST(MeasuredRuns, EmptyCellsTakeDefaults) {
  const plan::MeasuredRun run = run_of(
      "layers,hidden,heads,kv_heads,ffn,chip,cluster,devices,tensor,pipeline,attention,iteration_"
      "s\n"
      "12,1024,16,,,a100-80g,,8,2,2,eager,0.5\n");
  EXPECT_EQ(run.model.kv_heads, 16);
  EXPECT_EQ(run.model.ffn, 4096);
  EXPECT_EQ(run.model.sequence, 2048);
  EXPECT_EQ(run.model.vocabulary, 51200);
  EXPECT_EQ(run.data, 2);
  EXPECT_EQ(run.global_batch, 2);
  EXPECT_EQ(run.microbatch, 1);
  EXPECT_EQ(run.recompute, plan::Recompute::kNone);
  EXPECT_FALSE(run.overlap);  // as stacks with unfused attention
  EXPECT_EQ(run.group, "runs");
  EXPECT_EQ(run.where.line, 2);
  EXPECT_EQ(run.measured[static_cast<std::size_t>(plan::Measure::kIteration)], 0.5);
}

TEST(MeasuredRuns, AModelByNameAndChoicesLeftOpen) {
  const plan::MeasuredRun run = run_of(
      "model,chip,data,microbatch,interleave,recompute,peak_memory_bytes\n"
      "gpt3-175b,h100,4,any,any,any,8e10\n");
  EXPECT_EQ(run.model.name, "gpt3-175b");
  EXPECT_EQ(run.devices, 4);
  EXPECT_FALSE(run.microbatch || run.interleave || run.recompute);
  EXPECT_TRUE(run.overlap);
  EXPECT_FALSE(run.measured[static_cast<std::size_t>(plan::Measure::kIteration)]);
}

TEST(MeasuredRuns, FaultsHaveTheirPlace) {
  EXPECT_EQ(faults_of(""),
            "runs.csv:1:1: error: expected a header such as "
            "model,chip,cluster,devices,iteration_s, found nothing\n");
  EXPECT_EQ(faults_of("model,chip,tenser,iteration_s\n"),
            "runs.csv:1:12: error: unknown column \"tenser\"; did you mean tensor?\n");
  EXPECT_EQ(faults_of("model,chip,iteration_s\n"),
            "runs.csv:1:1: error: expected rows of measured runs after the header, found none\n");
  EXPECT_EQ(faults_of("model,chip,iteration_s\nx,y,-1\n"),
            "runs.csv:2:5: error: iteration_s: expected a number above 0, found \"-1\"\n");
  EXPECT_EQ(faults_of("model,chip,iteration_s\nx,y\n"),
            "runs.csv:2:4: error: expected 3 cells as in the header, found 2\n");
  EXPECT_EQ(faults_of("model,chip,recompute,iteration_s\nx,y,some,1\n"),
            "runs.csv:2:5: error: recompute: expected one of none, selective, full, found "
            "\"some\"\n");
  EXPECT_EQ(faults_of("chip,model,chip,iteration_s\n"),
            "runs.csv:1:12: error: chip: this column is there twice\n");
}

TEST(MeasuredRuns, StrategiesMustGoWithDevicesAndBatch) {
  const std::string header =
      "model,chip,devices,tensor,pipeline,data,global_batch,microbatch,"
      "iteration_s\n";
  EXPECT_EQ(faults_of(header + "m,c,8,8,2,1,8,1,1\n"),
            "runs.csv:2:5: error: devices: tensor x pipeline x data is 16, and there are 8 "
            "devices\n");
  EXPECT_EQ(faults_of(header + "m,c,8,1,1,8,9,1,1\n"),
            "runs.csv:2:13: error: global_batch: data x microbatch is 8, which does not divide "
            "9\n");
  EXPECT_EQ(faults_of("hidden,heads,layers,chip,iteration_s\n1000,16,2,c,1\n"),
            "runs.csv:2:6: error: heads: 16 does not divide the hidden width of 1000\n");
}

}  // namespace
}  // namespace phaze::io
