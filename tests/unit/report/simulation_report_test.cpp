#include "report/simulation_report.h"

#include <gtest/gtest.h>

#include "report/simulation_chart.h"
#include "simulate/simulate.h"
#include "support/pipeline_plans.h"

namespace phaze::report {
namespace {

plan::PlanRecord record_of(const tests::PipelineShape& shape, double closed_form) {
  plan::PlanRecord record;
  record.plan = tests::plan_of(shape);
  record.layers = {"decoder"};
  record.plan.iteration = Seconds(closed_form);
  record.plan.capacity = Bytes(1000);
  for (plan::PlanStage& stage : record.plan.stages) {
    stage.saved = Bytes(300);
    stage.memory.weights = Bytes(150);
    stage.memory.transient = Bytes(50);
  }
  return record;
}

std::string text_of(const plan::PlanRecord& record,
                    const std::vector<plan::PlanVariation>& variations = {}) {
  return simulation_text(record, simulate::simulate(record.plan), variations, 60);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// 12 time units: as drawn in unit/simulate/simulate_test.cpp.
TEST(SimulationChart, WhatRunsWhen) {
  const plan::PlanRecord record = record_of({{1, 1}, {2, 2}, 0, 3}, 12);
  const auto simulated = simulate::simulate(record.plan);
  EXPECT_EQ(activity_chart(simulated, 24),
            "  stage  0                 12.0 s\n"
            "      0  FFFF....BBBBFFBBBB..BBBB\n"
            "      1  ..FFBBBBFFBBBBFFBBBB....\n");
  EXPECT_EQ(memory_chart(record.plan, simulated, 12),
            "  stage  0     12.0 s\n"
            "      0  587788888455\n"
            "      1  155555555511\n");
}

TEST(SimulationChart, ReductionAndOptimizer) {
  plan::PlanRecord record = record_of({{1}, {2}, 0, 1}, 12);
  record.plan.stages[0].exposed = Seconds(1);
  record.plan.stages[0].gradients = Seconds(2);
  record.plan.stages[0].optimizer = Seconds(2);
  EXPECT_EQ(activity_chart(simulate::simulate(record.plan), 12),
            "  stage  0     6.00 s\n"
            "      0  FFBBBBrroooo\n");
}

TEST(SimulationChart, OfManyStagesTheFirstAndTheLast) {
  tests::PipelineShape shape;
  shape.forward.assign(20, 1);
  shape.backward.assign(20, 1);
  const std::string text = activity_chart(simulate::simulate(tests::plan_of(shape)), 40);
  EXPECT_TRUE(has(text, "\n      7  ")) << text;
  EXPECT_TRUE(has(text, "\n    ...  4 more\n     12  ")) << text;
  EXPECT_TRUE(has(text, "\n     19  ")) << text;
}

TEST(SimulationReport, CloseEnough) {
  const plan::PlanRecord record = record_of({{1, 1}, {2, 2}, 0, 3}, 11.9);
  const std::string text = text_of(record);
  EXPECT_TRUE(has(text, "1f1b, 2 stages, 3 micro-batches, tensor 1, data 1\n")) << text;
  EXPECT_TRUE(has(text,
                  "Iteration  12.0 s simulated, 11.9 s by the closed form, which is 0.8 % "
                  "too short\n"))
      << text;
  EXPECT_FALSE(has(text, "WARNING"));
  EXPECT_FALSE(has(text, "Most of the difference"));
  EXPECT_TRUE(has(text_of(record_of({{1, 1}, {2, 2}, 0, 3}, 12)), "closed form: the same\n"));
}

TEST(SimulationReport, ExplainsALargeDifference) {
  plan::PlanRecord record = record_of({{1, 1}, {2, 2}, 0.5, 3}, 12);
  record.plan.parts.compute = Seconds(9);
  record.plan.parts.bubble = Seconds(3);
  const std::string text = text_of(record, {{"transfers that take no time", Seconds(12)}});
  EXPECT_TRUE(has(text, "which is 16.7 % too short\n")) << text;
  EXPECT_TRUE(has(text, "Most of the difference: transfers waited for, 1.00 s more than")) << text;
  EXPECT_TRUE(has(text, "transfers that take no time  12.0 s  -14.3 %\n")) << text;
  record.plan.parts.bubble = Seconds(8);
  record.plan.iteration = Seconds(17);
  EXPECT_TRUE(has(text_of(record), "Most of the difference: bubble, 4.00 s less than"));
}

TEST(SimulationReport, SaysLoudlyWhatDoesNotFit) {
  plan::PlanRecord record = record_of({{1, 1, 1}, {2, 2, 2}, 0, 8}, 30);
  EXPECT_EQ(overflow_text(record, simulate::simulate(record.plan)),
            "does not fit: stage 0 needs 1.07 KiB of 1000 B at its peak, 100 B too much");
  EXPECT_TRUE(has(text_of(record), "\nWARNING    does not fit: stage 0 needs 1.07 KiB"));
  EXPECT_TRUE(has(memory_chart(record.plan, simulate::simulate(record.plan), 30), "!"));
  record.plan.capacity = Bytes(500);
  EXPECT_EQ(overflow_text(record, simulate::simulate(record.plan)),
            "does not fit: stage 0 needs 1.07 KiB of 500 B at its peak, 600 B too much; 2 stages "
            "of 3 do not fit");
  record.plan.capacity = Bytes(1100);
  EXPECT_EQ(overflow_text(record, simulate::simulate(record.plan)), "");
}

}  // namespace
}  // namespace phaze::report
