// Does the H200 preset predict what was measured on one? data/h200/README.md says what each file
// holds and which of them constants were fitted on; the others were held out.

#include <gtest/gtest.h>

#include <iostream>

#include "presets/chips.h"
#include "trust/h200_rows.h"
#include "trust/statistics.h"

namespace phaze::tests {
namespace {

using trust::Prediction;
using trust::StepPrediction;

hw::Chip h200() {
  Diagnostics diagnostics;
  const auto chip = presets::load_chip("h200", {}, diagnostics);
  EXPECT_TRUE(chip) << to_string(diagnostics);
  return *chip;
}

std::vector<Prediction> of_group(const std::vector<Prediction>& rows, const std::string& group) {
  std::vector<Prediction> chosen;
  for (const Prediction& row : rows) {
    if (row.group == group) {
      chosen.push_back(row);
    }
  }
  return chosen;
}

plan::ErrorSummary report(const std::string& what, const std::vector<Prediction>& rows) {
  std::vector<double> measured, predicted;
  for (const Prediction& row : rows) {
    measured.push_back(row.measured_s);
    predicted.push_back(row.predicted_s);
  }
  const plan::ErrorSummary s = trust::summarise(measured, predicted);
  std::cout << what << ": " << s.count << " rows, median " << 100 * s.median << " %, mean "
            << 100 * s.mean << " %, 90th percentile " << 100 * s.p90 << " %, worst "
            << 100 * s.worst << " %, bias " << 100 * s.bias << " %\n";
  return s;
}

TEST(H200, PredictsMatrixProducts) {
  const std::vector<Prediction> rows = trust::predict_products(h200());
  const plan::ErrorSummary fitted = report("products", of_group(rows, "products"));
  EXPECT_EQ(fitted.count, 270U);
  EXPECT_LE(fitted.median, 0.06);
  EXPECT_LE(fitted.p90, 0.15);
  const plan::ErrorSummary other =
      report("products, held out", of_group(rows, "products, held out"));
  EXPECT_EQ(other.count, 333U);
  EXPECT_LE(other.median, 0.06);
  EXPECT_LE(other.p90, 0.15);
  // Shapes drawn at random, a half of them with odd sizes: harder than any model.
  const plan::ErrorSummary random =
      report("products, random", of_group(rows, "products, held out, random"));
  EXPECT_EQ(random.count, 120U);
  EXPECT_LE(random.median, 0.15);
  // Many small products with a short k: the weakest of the products.
  EXPECT_LE(report("batched products", of_group(rows, "batched products")).median, 0.25);
}

TEST(H200, PredictsFusedAttention) {
  std::vector<Prediction> forward;
  std::vector<Prediction> backward;
  for (const Prediction& row : trust::predict_attention(h200())) {
    const bool is_forward = row.label.ends_with("forward");
    // Backward rows that were not replayed hold the host's launches.
    if (is_forward) {
      forward.push_back(row);
    } else if (row.group == "fused attention, replayed") {
      backward.push_back(row);
    }
  }
  EXPECT_LE(report("attention, forward", forward).median, 0.10);
  EXPECT_LE(report("attention, backward", backward).median, 0.10);
}

TEST(H200, PredictsVectorOperators) {
  const std::vector<Prediction> rows = trust::predict_vector(h200());
  EXPECT_LE(report("vector, forward", of_group(rows, "vector, forward")).median, 0.10);
  EXPECT_LE(report("vector, backward", of_group(rows, "vector, backward")).median, 0.10);
  EXPECT_LE(report("library kernels", of_group(rows, "library kernels")).median, 0.15);
}

TEST(H200, PredictsWholeLayers) {
  const plan::ErrorSummary eager =
      report("layers, eager", trust::predict_layers(h200(), "layer_graph_eager"));
  EXPECT_EQ(eager.count, 96U);
  EXPECT_LE(eager.median, 0.07);
  const plan::ErrorSummary compiled =
      report("layers, compiled", trust::predict_layers(h200(), "layer_graph_compiled"));
  EXPECT_EQ(compiled.count, 28U);
  EXPECT_LE(compiled.median, 0.07);
  const plan::ErrorSummary other =
      report("layers, held out", trust::predict_layers(h200(), "layer_graph_more"));
  EXPECT_EQ(other.count, 42U);
  EXPECT_LE(other.median, 0.07);
}

TEST(H200, PredictsTrainingStepsThatTheDeviceLimits) {
  for (const std::string file : {"step", "step_more"}) {
    std::vector<Prediction> rows;
    double host_bound = 0;
    double clearly = 0;
    for (const StepPrediction& step : trust::predict_steps(h200(), file)) {
      if (!step.is_host_bound) {
        rows.push_back(step.total);
      } else {
        // The host's limit is real: the device alone would have been clearly faster, but for rows
        // where the two are close.
        EXPECT_LT(step.total.predicted_s, 1.02 * step.total.measured_s) << step.total.label;
        ++host_bound;
        clearly += step.total.predicted_s < 0.85 * step.total.measured_s ? 1 : 0;
      }
    }
    const plan::ErrorSummary summary = report("steps of " + file, rows);
    EXPECT_EQ(summary.count, file == "step" ? 23U : 40U);
    EXPECT_GE(clearly, 0.85 * host_bound) << host_bound;
    EXPECT_LE(summary.mean, 0.08);
    EXPECT_LE(summary.p90, 0.10);
  }
}

// Nothing was fitted to them.
TEST(H200, PredictsCompiledTrainingSteps) {
  std::vector<Prediction> rows;
  for (const StepPrediction& step : trust::predict_steps(h200(), "step_compiled")) {
    EXPECT_FALSE(step.is_host_bound) << step.total.label;
    EXPECT_NEAR(step.predicted_bytes / step.measured_bytes, 1, 0.07) << step.total.label;
    rows.push_back(step.total);
  }
  const plan::ErrorSummary summary = report("compiled steps", rows);
  EXPECT_EQ(summary.count, 11U);
  EXPECT_LE(summary.mean, 0.05);
  EXPECT_LE(summary.worst, 0.08);
}

}  // namespace
}  // namespace phaze::tests
