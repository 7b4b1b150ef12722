// A whole training, by hand.
#include "search/training_run.h"

#include <gtest/gtest.h>

#include "hw/figures.h"
#include "presets/chips.h"

namespace phaze::search {
namespace {

// 10 s an iteration of 100 sequences of 1,000 tokens, on 8 devices of which 2 are idle.
plan::PlanRecord record() {
  plan::PlanRecord record;
  record.sequence = 1000;
  record.plan.global_batch = 100;
  record.plan.iteration = Seconds(10);
  record.plan.devices = 8;
  record.plan.strategy.data = 6;
  record.figures = plan::PlanFigures{};
  record.figures->hfu = 0.5;
  record.figures->utilisation = {0.6, 0.3, 0.4, 0.1};
  return record;
}

hw::Chip chip(const std::string& name) {
  Diagnostics diagnostics;
  return presets::load_chip(name, {}, diagnostics).value();
}

TEST(TrainingRun, TimeEnergyMoneyAndCarbonByHand) {
  plan::RunPrices prices;
  prices.pue = 1.2;
  prices.usd_per_kwh = 0.1;
  prices.kg_per_kwh = 0.5;
  prices.life_years = 5;
  prices.usd_per_device = 30'000;
  const plan::TrainingRun run = compute_training_run(record(), chip("h100"), 1e9, prices);
  EXPECT_DOUBLE_EQ(run.iterations, 1e4);
  EXPECT_DOUBLE_EQ(run.days, 1e5 / 86400);
  EXPECT_EQ(run.idle_devices, 2);
  EXPECT_EQ(run.host, Watts(150));
  const double hours = 1e5 / 3600;
  const double watts = 6 * run.device.value() + 2 * run.idle_device.value() + 8 * 150;
  EXPECT_NEAR(run.energy_kwh, watts * 1.2 * hours / 1000, 1e-9 * run.energy_kwh);
  EXPECT_DOUBLE_EQ(run.electricity.value(), run.energy_kwh * 0.1);
  EXPECT_NEAR(run.capital.value(), 8 * 30'000 * hours / (5 * 8760), 1e-6);
  EXPECT_EQ(run.rent, Dollars());
  EXPECT_DOUBLE_EQ(run.operation.value(), run.energy_kwh * 0.5);
  EXPECT_GT(run.embodied, Kilograms());
}

TEST(TrainingRun, RentReplacesDevicesAndElectricityOfIdleOnesToo) {
  plan::RunPrices prices;
  prices.usd_per_device_hour = 2;
  const plan::TrainingRun run = compute_training_run(record(), chip("h100"), 1e9, prices);
  EXPECT_NEAR(run.cost().value(), 2 * 8 * 1e5 / 3600, 1e-9);
  EXPECT_EQ(run.electricity, Dollars());
  EXPECT_EQ(run.capital, Dollars());
  EXPECT_GT(run.carbon(), Kilograms());
}

TEST(TrainingRun, PowerLiesBetweenIdleAndThePublishedOne) {
  for (const char* name : {"h100", "a100-80g", "tpuv4", "phaze-reference"}) {
    const hw::Chip of = chip(name);
    const plan::TrainingRun run = compute_training_run(record(), of, 1e9, {});
    const Watts most =
        of.published_tdp.value_or(hw::compute_figures(of, hw::Technology::kModern)->tdp);
    EXPECT_GT(run.idle_device, Watts()) << name;
    EXPECT_LT(run.idle_device, run.device) << name;
    EXPECT_LT(run.device, most) << name;
  }
}

TEST(TrainingRun, FullActivityDrawsThePublishedPower) {
  plan::PlanRecord busy = record();
  busy.figures->hfu = 1;
  busy.figures->utilisation = {1, 1, 1, 1};
  const plan::TrainingRun run = compute_training_run(busy, chip("h100"), 1e9, {});
  EXPECT_NEAR(run.device.value(), 700, 1e-6);
}

TEST(TrainingRun, LlamaOn2048Gpus) {
  // Touvron et al. 2023, tables 15 and section 6: 65B parameters, 1.4 T tokens at 380 tokens/s/GPU
  // on 2048 A100-80GB: 1,022,362 GPU hours; 449 MWh counted at 400 W a GPU and PUE 1.1 without
  // hosts; 173 t at 0.385 kg/kWh.
  plan::PlanRecord llama;
  llama.sequence = 2048;
  llama.plan.global_batch = 2048;
  llama.plan.devices = 2048;
  llama.plan.strategy.data = 2048;
  llama.plan.iteration = Seconds(2048.0 * 2048 / (380.0 * 2048));
  llama.figures = plan::PlanFigures{};
  llama.figures->hfu = 0.6;
  llama.figures->utilisation = {0.7, 0.5, 0.5, 0.3};
  plan::RunPrices prices;
  prices.kg_per_kwh = 0.385;
  const plan::TrainingRun run = compute_training_run(llama, chip("a100-80g"), 1.4e12, prices);
  EXPECT_NEAR(run.days * 24 * 2048, 1'022'362, 0.005 * 1'022'362);
  // Devices below their limit, hosts added: within a fifth of the published figure.
  EXPECT_NEAR(run.energy_kwh, 449e3, 0.2 * 449e3);
  EXPECT_NEAR(run.operation.value(), 173e3, 0.2 * 173e3);
}

}  // namespace
}  // namespace phaze::search
