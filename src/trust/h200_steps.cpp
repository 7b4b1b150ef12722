#include <algorithm>

#include "base/check.h"
#include "cost/layer.h"
#include "cost/operator.h"
#include "cost/step.h"
#include "graph/memory.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "presets/measured.h"
#include "trust/data_rows.h"
#include "trust/h200_rows.h"
#include "trust/measured_layer.h"

namespace phaze::trust {
namespace {

constexpr double kMilli = 1e-3;

}  // namespace

std::vector<Prediction> predict_layers(const hw::Chip& chip, const std::string& table) {
  cost::CostContext context = cost::make_context(chip);
  std::vector<Prediction> rows;
  for (const MeasuredLayer& row : read_measured_layers(presets::own_table(table))) {
    const bool is_compiled = row.is_compiled;
    context.kernels = is_compiled ? cost::Kernels::kTuned : cost::Kernels::kLibrary;
    const std::string group = is_compiled ? "layers, compiled" : "layers, eager";
    graph::Model model;
    model.layers = {build_measured_layer(row)};
    graph::TrainingOptions options;
    options.precision = graph::Precision::kBf16;
    options.fusion = is_compiled ? graph::Fusion::kElementwise : graph::Fusion::kNone;
    const graph::Model training = graph::to_training(model, options);
    const plan::LayerCost cost = cost::compute_layer_cost(context, training.layers[0]);
    const std::string label =
        row.model + " x" + std::to_string(row.microbatch) + (row.is_flash ? " flash" : " eager");
    const double forward = cost.forward.time.value();
    const double start = chip.idle_overhead.value();
    rows.push_back({group, label + " forward", row.forward_ms * kMilli, forward + start});
    rows.push_back({group, label + " forward and backward", row.both_ms * kMilli,
                    forward + cost.backward.time.value() + start});
  }
  return rows;
}

std::vector<StepPrediction> predict_steps(const hw::Chip& chip, const std::string& table) {
  const bool is_compiled = table == "step_compiled";
  cost::CostContext context = cost::make_context(chip);
  context.kernels = is_compiled ? cost::Kernels::kTuned : cost::Kernels::kLibrary;
  std::vector<StepPrediction> rows;
  for (const DataRow& row : read_rows(presets::own_table(table))) {
    std::string name = row.at("model");
    // Of models that are not built in, the configuration lies beside the measurements.
    const auto config = presets::own_config(name);
    std::ranges::replace(name, '_', '-');
    Diagnostics diagnostics;
    const auto loaded = config ? models::read_model(std::string(*config), name, diagnostics)
                               : models::load_model(name, diagnostics);
    CHECK(loaded.has_value(), "no such model: " + name);
    models::BuildOptions build;
    const bool is_text = name != "vit-large";  // an image has the patches that it has
    build.sequence = is_text ? number(row, "seq") : 0;
    build.microbatch = number(row, "microbatch");
    build.attention = row.at("attention") == "eager" ? models::AttentionMode::kEager
                                                     : models::AttentionMode::kFlash;
    build.execution = is_compiled ? models::Execution::kFused : models::Execution::kEager;
    build.precision = graph::Precision::kBf16;
    const auto model =
        models::build_model(std::get<models::ModelSpec>(*loaded), build, diagnostics);
    CHECK(model.has_value(), "cannot build " + name + ": " + to_string(diagnostics));
    graph::TrainingOptions training;
    training.precision = graph::Precision::kBf16;
    training.fusion = models::default_fusion(build.execution);
    if (row.at("checkpoint") == "1") {
      training.recompute.full = true;
    }
    const graph::Model step_model = graph::to_training(*model, training);
    const plan::StepCost step = cost::compute_step_cost(context, step_model);
    const std::string label = name + " x" + row.at("microbatch") + " " + row.at("attention") +
                              (row.at("checkpoint") == "1" ? " recompute" : "");
    StepPrediction answer;
    answer.forward = {"forward", label, seconds(row, "fwd_ms"), step.forward.time.value()};
    answer.backward = {"backward", label, seconds(row, "bwd_ms"), step.backward.time.value()};
    answer.optimizer = {"optimiser", label, seconds(row, "optim_ms"), step.optimizer.time.value()};
    answer.total = {"steps", label, seconds(row, "step_ms"), step.total.value()};
    answer.is_host_bound = step.is_host_bound;
    answer.launches = step.forward.launches + step.backward.launches;
    answer.measured_bytes = std::stod(row.at("peak_bytes"));
    graph::MemoryOptions memory;
    memory.workspace = chip.workspace;
    answer.predicted_bytes =
        static_cast<double>(graph::compute_peak_memory(step_model, memory).total.value());
    rows.push_back(answer);
  }
  return rows;
}

}  // namespace phaze::trust
