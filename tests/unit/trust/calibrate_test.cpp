// Constants that measurements were made with are found again, whatever the fit starts from.
#include "trust/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "io/calibration_json.h"
#include "io/cluster_reader.h"
#include "io/document.h"
#include "io/measured_runs.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "trust/minimise.h"
#include "trust/predict_runs.h"

namespace phaze::trust {
namespace {

hw::Chip a100() {
  Diagnostics diagnostics;
  return presets::load_chip("a100-80g", {}, diagnostics).value();
}

std::vector<plan::MeasuredOperator> operators() {
  std::vector<plan::MeasuredOperator> all;
  for (const std::int64_t m : {64, 512, 4096}) {
    for (const std::int64_t n : {256, 1024, 4096, 12288}) {
      plan::MeasuredOperator one;
      one.product = {1, m, n, 2048};
      all.push_back(one);
      one = {};
      one.kind = graph::OpKind::kGelu;
      one.rows = m;
      one.columns = n;
      all.push_back(one);
    }
  }
  return all;
}

// Measured on `chip`, with a share of scatter.
std::vector<plan::MeasuredOperator> measured_on(const hw::Chip& chip, double scatter) {
  Rng random(3);
  std::vector<plan::MeasuredOperator> all = operators();
  for (plan::MeasuredOperator& one : all) {
    one.time =
        Seconds(*predict_operator(chip, one) * std::exp(scatter * 2 * (random.uniform() - 0.5)));
  }
  return all;
}

const plan::FittedConstant& constant(const plan::Calibration& calibration,
                                     const std::string& field) {
  for (const plan::FittedConstant& one : calibration.constants) {
    if (one.field == field) {
      return one;
    }
  }
  throw std::logic_error(field);
}

TEST(Calibrate, FindsTheConstantsAgain) {
  hw::Chip truth = a100();
  truth.sustained.matrix = 0.6;
  truth.sustained.hbm = 0.65;
  truth.launch_overhead = Seconds(4e-6);
  CalibrationRequest request;
  request.chip = a100();
  request.operators = measured_on(truth, 0);
  const CalibrationAnswer answer = calibrate(request);
  const plan::CalibrationErrors& errors = answer.calibration.errors.at(0);
  EXPECT_GT(errors.before.mean, 0.05);
  EXPECT_LT(errors.after.mean, 0.01);
  EXPECT_LT(errors.crossed.mean, 0.02);
  EXPECT_NEAR(constant(answer.calibration, "sustained.hbm").after, 0.65, 0.02);
  EXPECT_NEAR(constant(answer.calibration, "launch_overhead").after, 4e-6, 2e-7);
  EXPECT_EQ(answer.chip.sustained.hbm, constant(answer.calibration, "sustained.hbm").after);
}

TEST(Calibrate, CrossValidatedErrorsAreThoseOfTheScatter) {
  CalibrationRequest request;
  request.chip = a100();
  request.chip.sustained.hbm = 0.5;
  request.operators = measured_on(a100(), 0.1);
  const plan::CalibrationErrors errors = calibrate(request).calibration.errors.at(0);
  // Uniform within a tenth: 5 % on average.
  EXPECT_LE(errors.after.mean, errors.crossed.mean + 0.005);
  EXPECT_NEAR(errors.crossed.mean, 0.05, 0.03);
}

TEST(Calibrate, LeavesAloneWhatNothingDependsOn) {
  CalibrationRequest request;
  request.chip = a100();
  for (const plan::MeasuredOperator& one : measured_on(a100(), 0)) {
    if (one.kind == graph::OpKind::kGelu) {
      request.operators.push_back(one);
    }
  }
  const plan::Calibration calibration = calibrate(request).calibration;
  EXPECT_FALSE(constant(calibration, "sustained.matrix").is_known);
  EXPECT_EQ(constant(calibration, "sustained.matrix").after,
            constant(calibration, "sustained.matrix").before);
}

TEST(Calibrate, ANetworkFromRuns) {
  std::string text =
      "hidden,heads,layers,sequence,chip,cluster,devices,global_batch,microbatch,tensor,pipeline,"
      "attention,recompute,iteration_s\n";
  for (const char* row :
       {"8,32,2,8,1", "8,32,4,4,1", "16,32,2,16,1", "16,64,1,8,2", "32,64,1,1,1"}) {
    text += "1024,16,8,512,a100-80g,dgx-a100," + std::string(row) + ",eager,full,1\n";
  }
  Diagnostics diagnostics;
  std::vector<plan::MeasuredRun> runs =
      io::read_measured_runs(text, "runs", "runs", diagnostics).value();
  hw::Cluster truth = presets::load_cluster("dgx-a100", {}, diagnostics).value();
  CalibrationRequest request;
  request.cluster = truth;
  truth.levels[0].efficiency = 0.5;
  request.runs = make_run_settings(runs, {}, diagnostics).value();
  std::vector<RunSetting> true_runs = request.runs;
  for (RunSetting& one : true_runs) {
    one.setting.cluster = truth;
  }
  const auto measured = predict_runs(true_runs);
  constexpr auto kIteration = static_cast<std::size_t>(plan::Measure::kIteration);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].measured[kIteration] = measured[i].prediction->predicted[kIteration];
  }
  request.chip = a100();
  request.operators = measured_on(a100(), 0);
  request.folds = 2;
  const CalibrationAnswer answer = calibrate(request);
  ASSERT_EQ(answer.calibration.errors.at(1).what, "runs");
  EXPECT_LT(answer.calibration.errors.at(1).after.mean, 0.01);
  EXPECT_NEAR(answer.cluster->levels[0].efficiency, 0.5, 0.05);
}

TEST(Calibrate, WrittenFilesReadBack) {
  Diagnostics diagnostics;
  for (const std::string& name : presets::cluster_names()) {
    const hw::Cluster cluster = presets::load_cluster(name, {}, diagnostics).value();
    const std::string text = io::write_cluster_file(cluster);
    const auto document = io::parse_document(text, name, diagnostics);
    ASSERT_TRUE(document) << text << to_string(diagnostics);
    const auto again = io::read_cluster(*document, name, diagnostics);
    ASSERT_TRUE(again) << text << to_string(diagnostics);
    EXPECT_EQ(again->levels, cluster.levels);
    EXPECT_DOUBLE_EQ(again->start.value(), cluster.start.value());
    EXPECT_EQ(again->copy_bandwidth, cluster.copy_bandwidth);
    EXPECT_EQ(again->hierarchical, cluster.hierarchical);
  }
}

TEST(Minimise, FindsTheLeastOfABowlWithinBounds) {
  const auto bowl = [](const std::vector<double>& x) {
    return (x[0] - 1) * (x[0] - 1) + 10 * (x[1] + x[0] - 3) * (x[1] + x[0] - 3);
  };
  const Minimum found = minimise({{0, -5, 5, 0.5}, {0, -5, 5, 0.5}}, bowl, 12);
  EXPECT_NEAR(found.at[0], 1, 0.02);
  EXPECT_NEAR(found.at[1], 2, 0.02);
  const Minimum bounded = minimise({{0, -5, 0.5, 0.5}, {0, -5, 5, 0.5}}, bowl, 12);
  EXPECT_NEAR(bounded.at[0], 0.5, 1e-3);
  EXPECT_LE(bounded.at[0], 0.5);
}

}  // namespace
}  // namespace phaze::trust
