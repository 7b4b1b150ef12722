#pragma once
// Predictions for every measurement of data/h200: what was measured, what the model says.

#include <string>
#include <vector>

#include "hw/chip.h"
#include "plan/validation.h"

namespace phaze::trust {

struct Prediction {
  std::string group;  // "products", "layers, eager", ...
  std::string label;
  double measured_s = 0;
  double predicted_s = 0;
  double error() const { return predicted_s / measured_s - 1; }
};

std::vector<Prediction> predict_products(const hw::Chip& chip);
std::vector<Prediction> predict_attention(const hw::Chip& chip);
std::vector<Prediction> predict_vector(const hw::Chip& chip);
// `table` is one of layer_graph_eager's columns.
std::vector<Prediction> predict_layers(const hw::Chip& chip, const std::string& table);

struct StepPrediction {
  Prediction forward, backward, optimizer, total;
  bool is_host_bound = false;
  std::int64_t launches = 0;  // of forward and backward
  double measured_bytes = 0, predicted_bytes = 0;
};
// `table` is one of step's columns.
std::vector<StepPrediction> predict_steps(const hw::Chip& chip, const std::string& table);

// All of these by kind, with what constants were fitted on; on the preset h200.
struct H200Comparison {
  std::vector<plan::ComparedGroup> groups;
  std::size_t host_bound = 0;  // steps that the host limits, left out
};
H200Comparison compare_h200(const hw::Chip& chip);

}  // namespace phaze::trust
