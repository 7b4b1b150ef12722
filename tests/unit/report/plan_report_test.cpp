#include "report/plan_report.h"

#include <gtest/gtest.h>

namespace phaze::report {
namespace {

TEST(PlanReport, WhatWouldFit) {
  const Bytes gibibyte(1 << 30);
  EXPECT_EQ(
      no_plan_text(8, gibibyte * 80, gibibyte * 100, 1024),
      "no plan fits 8 devices of 80 GiB; it would with 100 GiB a device, or on 1,024 devices");
  EXPECT_EQ(no_plan_text(8, gibibyte * 80, std::nullopt, 16),
            "no plan fits 8 devices of 80 GiB; it would on 16 devices");
  EXPECT_EQ(no_plan_text(8, gibibyte * 80, std::nullopt, std::nullopt),
            "no plan fits 8 devices of 80 GiB");
}

TEST(PlanReport, MissingMemory) {
  plan::TrainingPlan plan;
  plan.capacity = Bytes(std::int64_t{8} << 30);
  plan.stages.resize(2);
  plan.stages[1].memory.weights = Bytes((std::int64_t{10} << 30) + 5);
  EXPECT_EQ(missing_memory_text(plan),
            "a device needs 10 GiB, 2 GiB (2,147,483,653 bytes) more than it has");
}

TEST(PlanReport, OneDeviceIsOne) {
  const Bytes gibibyte(1 << 30);
  EXPECT_EQ(no_plan_text(1, gibibyte, std::nullopt, std::nullopt),
            "no plan fits 1 device of 1 GiB");
}

TEST(PlanReport, TheFullestStageInParts) {
  plan::TrainingPlan plan;
  plan.stages.resize(2);
  const std::int64_t gibibyte = 1 << 30;
  plan.stages[0].memory.weights = Bytes(3 * gibibyte);
  plan.stages[1].memory.weights = Bytes(2 * gibibyte);
  plan.stages[1].memory.activations = Bytes(5 * gibibyte);
  plan.stages[1].memory.other = Bytes(gibibyte / 2);
  EXPECT_EQ(
      fullest_text(plan),
      "  fullest, stage 1: weights 2 GiB, activations 5 GiB, workspace and reserved 0.5 GiB\n");
}

TEST(PlanReport, SaysWhatIsNotProvedAndWhatTheSimulationSays) {
  plan::PlanRecord record;
  record.plan.iteration = Seconds(2);
  record.figures.emplace().bound = Seconds(1.9);
  record.proof = plan::LayerProof{};
  record.simulated = Seconds(2.02);
  EXPECT_EQ(doubts_text(record), "");
  record.proof = plan::LayerProof{0.05, 0.02};
  EXPECT_EQ(
      doubts_text(record),
      "  layer times: not all schedules of operators are proved, the largest gap is 5 % (2 % in "
      "this plan); however layers are scheduled, no plan is below 1.90 s\n");
  EXPECT_TRUE(is_conditional(record));
  // Another plan's layers are not proved, and could not make it the best.
  record.proof = plan::LayerProof{0.0001, 0};
  record.figures->bound = Seconds(2);
  EXPECT_FALSE(is_conditional(record));
  EXPECT_EQ(
      doubts_text(record),
      "  layer times: not all schedules of operators are proved, the largest gap is under 0.1 % "
      "(0 % in this plan); however layers are scheduled, no other plan is faster\n");
  record.proof.reset();
  record.simulated = Seconds(2.2);
  EXPECT_EQ(
      doubts_text(record),
      "  simulated event by event the iteration takes 2.20 s, 10 % more: `phaze simulate` shows "
      "why\n");
  record.assumptions = "phaze2024";
  record.simulated = Seconds(1.8);
  EXPECT_EQ(doubts_text(record),
            "  simulated event by event the iteration takes 1.80 s, 10 % less: the original's cost "
            "function, not 1F1B's time\n");
}

TEST(PlanReport, ATrainingSaysWhatIsIncluded) {
  plan::TrainingRun run;
  run.tokens = 300e9;
  run.days = 12.34;
  run.iterations = 1000;
  run.devices = 16;
  run.idle_devices = 4;
  run.device = Watts(400);
  run.idle_device = Watts(90);
  run.host = Watts(150);
  run.energy_kwh = 2000;
  run.device_price = Dollars(3000);
  run.electricity = Dollars(160);
  run.capital = Dollars(100);
  run.operation = Kilograms(700);
  run.embodied = Kilograms(30);
  EXPECT_EQ(run_text(run),
            "  300 Gtokens take 12.3 days, 1.00 kiterations\n"
            "  energy   2.00 MWh: 400 W a device (4 idle ones 90.0 W) and 150 W of host each, PUE "
            "1.1\n"
            "  cost     260 USD: 160 USD electricity at 0.08 USD/kWh, 100 USD of devices at 3.00 "
            "kUSD (what a chip costs to build) over 4 years; without hosts, network, building and "
            "staff\n"
            "  carbon   730 kg CO2e: 700 kg CO2e electricity at 0.369 kg/kWh, 30.0 kg CO2e of "
            "making the chips over their life; without hosts and building\n");
  run.prices.usd_per_device_hour = 2;
  run.electricity = run.capital = Dollars();
  run.rent = Dollars(50);
  EXPECT_NE(run_text(run).find("  cost     50.0 USD: rent of all devices at 2 USD/h; nothing else"),
            std::string::npos);
}

}  // namespace
}  // namespace phaze::report
