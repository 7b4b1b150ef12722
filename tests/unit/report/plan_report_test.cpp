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
