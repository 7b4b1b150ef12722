// Regret and noise from runs whose predictions are given.
#include "trust/validate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/measured_runs.h"
#include "trust/predict_runs.h"

namespace phaze::trust {
namespace {

using plan::Measure;
constexpr auto kIteration = static_cast<std::size_t>(Measure::kIteration);

plan::ValidatedRun run_of(std::int64_t layers, std::int64_t batch, std::int64_t microbatch,
                          double measured, double predicted, bool fits = true) {
  plan::ValidatedRun one;
  one.run.group = "g";
  one.run.model.hidden = 1024;
  one.run.model.layers = layers;
  one.run.chip = "a100-80g";
  one.run.global_batch = batch;
  one.run.microbatch = microbatch;
  one.run.measured[kIteration] = measured;
  one.prediction.emplace();
  one.prediction->plan.fits = fits;
  one.prediction->predicted[kIteration] = predicted;
  return one;
}

TEST(Validate, RegretIsMeasuredTimeOfTheChosenOverTheBest) {
  // Two cases: of the first the wrong one is chosen, of the second the right one. A third has one
  // strategy and is none.
  const plan::Validation v =
      compare({run_of(12, 8, 1, 2.0, 1.0), run_of(12, 8, 2, 1.6, 1.1), run_of(24, 8, 1, 3.0, 3.0),
               run_of(24, 8, 2, 4.0, 5.0), run_of(36, 8, 1, 1.0, 1.0)});
  ASSERT_EQ(v.regrets.size(), 2U);
  EXPECT_DOUBLE_EQ(v.regrets[0].regret, 1.25);
  EXPECT_EQ(v.regrets[0].chosen, 0U);
  EXPECT_EQ(v.regrets[0].best, 1U);
  EXPECT_DOUBLE_EQ(v.regrets[1].regret, 1);
  EXPECT_DOUBLE_EQ(v.mean_regret, 1.125);
  EXPECT_DOUBLE_EQ(v.worst_regret, 1.25);
}

TEST(Validate, WhatDoesNotFitIsNotChosen) {
  const plan::Validation v =
      compare({run_of(12, 8, 1, 2.0, 1.0, false), run_of(12, 8, 2, 1.6, 1.1)});
  EXPECT_EQ(v.regrets.at(0).chosen, 1U);
  EXPECT_EQ(v.unfit, 1U);
}

TEST(Validate, NoiseOfRepeatsAndNeighbours) {
  // 1.0 and 1.2 about a mean of 1.1, each off by 1/11, times sqrt(2).
  const plan::NoiseFloor repeats =
      compare({run_of(12, 8, 1, 1.0, 1), run_of(12, 8, 1, 1.2, 1)}).noise;
  EXPECT_EQ(repeats.repeats, 2U);
  EXPECT_NEAR(repeats.mean, std::sqrt(2.0) / 11, 1e-12);
  // On a line over layers: no noise. A tenth above the line between two: 0.1 / sqrt(1.5).
  EXPECT_NEAR(
      compare({run_of(12, 8, 1, 1, 1), run_of(16, 8, 1, 2, 1), run_of(20, 8, 1, 3, 1)}).noise.mean,
      0, 1e-12);
  const plan::NoiseFloor off =
      compare({run_of(12, 8, 1, 1, 1), run_of(16, 8, 1, 2.2, 1), run_of(20, 8, 1, 3, 1)}).noise;
  EXPECT_EQ(off.neighbours, 1U);
  EXPECT_NEAR(off.mean, 0.1 / std::sqrt(1.5), 1e-12);
  // Over micro-batches only what lies above the line counts.
  const auto bump = [](double middle) {
    return compare({run_of(12, 8, 1, 1, 1), run_of(12, 8, 2, middle, 1), run_of(12, 8, 3, 3, 1)})
        .noise.least_mean;
  };
  EXPECT_NEAR(bump(2.2), 0.1 / std::sqrt(1.5), 1e-12);
  EXPECT_DOUBLE_EQ(bump(1.8), 0);
}

std::vector<plan::ValidatedRun> predict(const std::string& text) {
  Diagnostics diagnostics;
  const auto runs = io::read_measured_runs(text, "runs.csv", "runs", diagnostics);
  EXPECT_TRUE(runs) << to_string(diagnostics);
  const auto settings = make_run_settings(*runs, {}, diagnostics);
  EXPECT_TRUE(settings) << to_string(diagnostics);
  return predict_runs(*settings);
}

const std::string kHeader =
    "hidden,heads,layers,sequence,chip,cluster,devices,global_batch,microbatch,tensor,pipeline,"
    "recompute,attention,iteration_s\n";

// Rows share costs; none of them may depend on which others there are.
TEST(Validate, ARowIsPricedTheSameAloneAndAmongOthers) {
  const std::vector<std::string> rows = {
      "1024,16,12,1024,a100-80g,a100-800g,8,32,2,2,2,full,eager,1\n",
      "1024,16,12,1024,a100-80g,a100-800g,8,64,2,2,1,full,eager,1\n",
      "1024,16,24,1024,a100-80g,a100-800g,8,32,2,2,2,none,eager,1\n",
      "1024,16,12,1024,a100-80g,a100-800g,8,32,1,2,2,full,flash,1\n",
      "1024,16,12,1024,a100-80g,a100-800g,8,32,4,2,2,selective,eager,1\n"};
  std::string all = kHeader;
  for (const std::string& row : rows) {
    all += row;
  }
  const std::vector<plan::ValidatedRun> together = predict(all);
  ASSERT_EQ(together.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<plan::ValidatedRun> alone = predict(kHeader + rows[i]);
    ASSERT_TRUE(alone.at(0).prediction) << alone.at(0).reason;
    EXPECT_EQ(alone[0].prediction->plan, together[i].prediction->plan);
  }
}

TEST(Validate, ARowThatDoesNotFitIsPricedAllTheSame) {
  const auto runs =
      predict(kHeader + "12288,96,96,2048,a100-80g,dgx-a100,8,8,1,8,1,none,flash,1\n");
  ASSERT_TRUE(runs.at(0).prediction);
  EXPECT_FALSE(runs[0].prediction->plan.fits);
  EXPECT_GT(*runs[0].prediction->predicted[kIteration], 0);
}

TEST(Validate, ARowThatCannotBeCutSaysWhy) {
  const auto runs = predict(kHeader + "1024,16,12,1024,a100-80g,dgx-a100,3,3,1,3,1,none,flash,1\n");
  EXPECT_FALSE(runs.at(0).prediction);
  EXPECT_FALSE(runs[0].reason.empty());
}

// What is left open is the planner's choice: never slower than any choice that could be made.
TEST(Validate, OpenChoicesAreTheFastestThatFit) {
  const std::string row = "1024,16,12,1024,a100-80g,dgx-a100,8,32,";
  const double open =
      *predict(kHeader + row + "any,2,1,none,eager,1\n").at(0).prediction->predicted[kIteration];
  double best = 1e300;
  for (const char* microbatch : {"1", "2", "4", "8"}) {
    const auto one = predict(kHeader + row + microbatch + ",2,1,none,eager,1\n");
    if (one.at(0).prediction && one[0].prediction->plan.fits) {
      best = std::min(best, *one[0].prediction->predicted[kIteration]);
    }
  }
  EXPECT_DOUBLE_EQ(open, best);
}

}  // namespace
}  // namespace phaze::trust
