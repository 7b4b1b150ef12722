#include <map>

#include "trust/h200_rows.h"
#include "trust/statistics.h"

namespace phaze::trust {
namespace {

plan::ComparedGroup make_group(const std::string& name, const std::string& status,
                               const std::vector<Prediction>& rows, bool is_time = true) {
  plan::ComparedGroup group;
  group.name = name;
  group.status = status;
  group.is_time = is_time;
  std::vector<double> measured, predicted;
  for (const Prediction& row : rows) {
    group.rows.push_back({row.label, row.measured_s, row.predicted_s});
    measured.push_back(row.measured_s);
    predicted.push_back(row.predicted_s);
  }
  group.errors = summarise(measured, predicted);
  return group;
}

}  // namespace

H200Comparison compare_h200(const hw::Chip& chip) {
  H200Comparison all;
  std::map<std::string, std::vector<Prediction>> rows;
  const auto sort_in = [&rows](const std::vector<Prediction>& found) {
    for (const Prediction& row : found) {
      rows[row.group].push_back(row);
    }
  };
  sort_in(predict_products(chip));
  sort_in(predict_vector(chip));
  for (const Prediction& row : predict_attention(chip)) {
    const bool is_forward = row.label.ends_with("forward");
    // Backward rows that were not replayed hold the host's launches.
    if (is_forward || row.group == "fused attention, replayed") {
      rows[is_forward ? "attention forward" : "attention backward"].push_back(row);
    }
  }
  std::vector<Prediction> steps[3], memory[3];
  const char* const tables[3] = {"step", "step_more", "step_compiled"};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const StepPrediction& step : predict_steps(chip, tables[i])) {
      if (step.is_host_bound) {
        ++all.host_bound;
      } else {
        steps[i].push_back(step.total);
      }
      memory[i].push_back({"", step.total.label, step.measured_bytes, step.predicted_bytes});
    }
  }
  const char* const odd = "held out but for odd rows";
  const char* const launch = "held out but for the launch";
  const char* const host = "held out but for the host";
  all.groups = {
      make_group("matrix products of models and at random", "fitted", rows["products"]),
      make_group("matrix products of other models", odd, rows["products, held out"]),
      make_group("matrix products at random, half of them with odd sizes", odd,
                 rows["products, held out, random"]),
      make_group("batched products of unfused attention", "held out", rows["batched products"]),
      make_group("fused attention, forward", "fitted", rows["attention forward"]),
      make_group("fused attention, backward", "fitted", rows["attention backward"]),
      make_group("vector operators, forward", "fitted", rows["vector, forward"]),
      make_group("vector operators, backward", "fitted", rows["vector, backward"]),
      make_group("library kernels one by one", "fitted", rows["library kernels"]),
      make_group("whole layers, eager", launch, predict_layers(chip, "layer_graph_eager")),
      make_group("whole layers, compiled", launch, predict_layers(chip, "layer_graph_compiled")),
      make_group("whole layers of other models", "held out",
                 predict_layers(chip, "layer_graph_more")),
      make_group("training steps that the device limits", host, steps[0]),
      make_group("training steps of other families", host, steps[1]),
      make_group("training steps, compiled", "held out", steps[2]),
      make_group("peak memory of training steps", "", memory[0], false),
      make_group("peak memory, other families", "", memory[1], false),
      make_group("peak memory, compiled", "held out", memory[2], false)};
  return all;
}

}  // namespace phaze::trust
