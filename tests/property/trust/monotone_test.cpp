// A faster clock, more bandwidth, higher sustained shares and shorter overheads never make a whole
// iteration longer; nor do fewer layers, tokens or sequences of the same strategy.

#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "trust/predict_runs.h"

namespace phaze::trust {
namespace {

constexpr auto kIteration = static_cast<std::size_t>(plan::Measure::kIteration);
constexpr double kRounding = 1e-9;

std::int64_t pick(Rng& random, const std::vector<std::int64_t>& values) {
  return values[random.below(values.size())];
}

plan::MeasuredRun random_run(Rng& random) {
  plan::MeasuredRun run;
  run.model.family = random.below(2) == 0 ? "gpt" : "llama";
  run.model.hidden = pick(random, {512, 1024, 4096});
  run.model.heads = 8;
  run.model.kv_heads = 8;
  run.model.layers = 8 * pick(random, {1, 2, 3});
  run.model.sequence = pick(random, {256, 1024, 2048});
  run.model.vocabulary = 51200;
  run.chip = random.below(2) == 0 ? "a100-80g" : "h100";
  run.cluster = run.chip == "h100" ? "dgx-h100" : "dgx-a100";
  run.tensor = pick(random, {1, 2, 8});
  run.pipeline = pick(random, {1, 2, 4});
  run.data = pick(random, {1, 2, 4});
  run.devices = run.tensor * run.pipeline * run.data;
  run.microbatch = pick(random, {1, 2, 4});
  run.global_batch = run.data * *run.microbatch * pick(random, {4, 8});
  run.interleave = run.pipeline > 1 ? pick(random, {1, 2}) : 1;
  run.recompute = static_cast<plan::Recompute>(random.below(plan::kRecomputes));
  run.sequence_parallel = random.below(2) == 0;
  run.has_flash_attention = random.below(2) == 0;
  run.stack = static_cast<plan::RunStack>(random.below(3));
  run.overlap = random.below(2) == 0;
  run.measured[kIteration] = 1;
  return run;
}

double predict(const plan::MeasuredRun& run, const std::function<void(RunSetting&)>& change) {
  Diagnostics diagnostics;
  auto settings = make_run_settings({run}, {}, diagnostics).value();
  settings[0].run = &run;
  change(settings[0]);
  const auto runs = predict_runs(settings);
  EXPECT_TRUE(runs[0].prediction) << runs[0].reason;
  return runs[0].prediction ? *runs[0].prediction->predicted[kIteration] : 0;
}

void keep(RunSetting& /*setting*/) {}

TEST(Iterations, AreNeverLongerOnABetterMachine) {
  const std::vector<std::pair<std::string, std::function<void(RunSetting&)>>> changes = {
      // As a chip's file has it; above its nominal clock power holds a chip back (docs/models.md,
      // 12).
      {"clock",
       [](RunSetting& s) {
         s.setting.chip.clock = s.setting.chip.clock * 1.3;
         s.setting.chip.nominal_clock = s.setting.chip.nominal_clock * 1.3;
       }},
      {"HBM bandwidth",
       [](RunSetting& s) {
         s.setting.chip.hbm.stack_bandwidth = s.setting.chip.hbm.stack_bandwidth * 1.3;
       }},
      {"sustained HBM", [](RunSetting& s) { s.setting.chip.sustained.hbm = 1; }},
      {"sustained matrix", [](RunSetting& s) { s.setting.chip.sustained.matrix = 1; }},
      {"launch",
       [](RunSetting& s) {
         s.setting.chip.launch_overhead = s.setting.chip.launch_overhead * 0.5;
       }},
      {"links",
       [](RunSetting& s) {
         s.setting.chip.links.bandwidth = s.setting.chip.links.bandwidth * 1.3;
       }},
      {"network bandwidth",
       [](RunSetting& s) {
         for (hw::Level& level : s.setting.cluster.levels) {
           level.bandwidth = level.bandwidth * 1.3;
         }
       }},
      {"network latency", [](RunSetting& s) {
         for (hw::Level& level : s.setting.cluster.levels) {
           level.latency = level.latency * 0.5;
         }
       }}};
  Rng random(11);
  for (int i = 0; i < 25; ++i) {
    const plan::MeasuredRun run = random_run(random);
    const double before = predict(run, keep);
    for (const auto& [name, change] : changes) {
      EXPECT_LE(predict(run, change), before * (1 + kRounding)) << i << " " << name;
    }
  }
}

TEST(Iterations, AreNeverLongerWithLessWork) {
  Rng random(12);
  for (int i = 0; i < 25; ++i) {
    const plan::MeasuredRun run = random_run(random);
    const double before = predict(run, keep);
    plan::MeasuredRun fewer_layers = run;
    fewer_layers.model.layers = 8;
    plan::MeasuredRun smaller_batch = run;
    smaller_batch.global_batch = run.data * *run.microbatch * 4;
    plan::MeasuredRun smaller_vocabulary = run;
    smaller_vocabulary.model.vocabulary = 32000;
    for (const plan::MeasuredRun* less : {&fewer_layers, &smaller_batch, &smaller_vocabulary}) {
      EXPECT_LE(predict(*less, keep), before * (1 + kRounding)) << i;
    }
  }
}

}  // namespace
}  // namespace phaze::trust
