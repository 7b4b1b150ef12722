#pragma once
// Predictions for every measurement of data/h200: what was measured, what the model says.

#include <string>
#include <vector>

#include "hw/chip.h"

namespace phaze::tests {

struct Prediction {
  std::string group;  // "products", "layers, eager", ...
  std::string label;
  double measured_s = 0;
  double predicted_s = 0;
  double error() const { return predicted_s / measured_s - 1; }
};

std::vector<Prediction> predict_products(const hw::Chip& chip, const std::string& folder);
std::vector<Prediction> predict_attention(const hw::Chip& chip, const std::string& folder);
std::vector<Prediction> predict_vector(const hw::Chip& chip, const std::string& folder);
// `file` is of layer_graph_eager.csv's columns.
std::vector<Prediction> predict_layers(const hw::Chip& chip, const std::string& file);

struct StepPrediction {
  Prediction forward, backward, optimizer, total;
  bool is_host_bound = false;
  std::int64_t launches = 0;  // of forward and backward
  double measured_bytes = 0, predicted_bytes = 0;
};
// `file` is of step.csv's columns.
std::vector<StepPrediction> predict_steps(const hw::Chip& chip, const std::string& file);

struct Summary {
  std::size_t count = 0;
  double mean = 0, median = 0, p90 = 0, worst = 0, bias = 0;  // of absolute errors; of errors
};
Summary summarise(const std::vector<Prediction>& rows);

}  // namespace phaze::tests
