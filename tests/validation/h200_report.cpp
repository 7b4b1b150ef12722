// Writes docs/validation.md and its plots: predictions against the measurements of data/h200.
// Run from the project's root, by `make validation`.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "presets/chips.h"
#include "report/scatter_svg.h"
#include "validation/h200_rows.h"

namespace phaze::tests {
namespace {

std::string percent(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string summary_row(const std::string& what, const std::string& status,
                        const std::vector<Prediction>& rows) {
  const Summary s = summarise(rows);
  return "| " + what + " | " + status + " | " + std::to_string(s.count) + " | " +
         percent(s.median) + " | " + percent(s.mean) + " | " + percent(s.p90) + " | " +
         percent(s.worst) + " | " + percent(s.bias) + " |\n";
}

// The rows that are furthest off, and every so many of the others.
std::string worst_rows(std::vector<Prediction> rows, std::size_t most) {
  std::ranges::stable_sort(rows, [](const Prediction& a, const Prediction& b) {
    return std::abs(a.error()) > std::abs(b.error());
  });
  rows.resize(std::min(rows.size(), most));
  std::string text = "| row | measured | predicted | error |\n|---|---|---|---|\n";
  for (const Prediction& row : rows) {
    text += "| " + row.label + " | " + with_prefix(row.measured_s, "s") + " | " +
            with_prefix(row.predicted_s, "s") + " | " + percent(row.error()) + " |\n";
  }
  return text;
}

report::ScatterSeries series(const std::string& name, const std::vector<Prediction>& rows) {
  report::ScatterSeries answer{name, {}};
  for (const Prediction& row : rows) {
    answer.points.push_back({row.measured_s, row.predicted_s, row.label});
  }
  return answer;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  std::cout << path << "\n";
}

int run() {
  const std::string folder = "data/h200";
  Diagnostics diagnostics;
  const auto chip = presets::load_chip("h200", {}, diagnostics);
  if (!chip) {
    std::cerr << to_string(diagnostics);
    return 2;
  }
  std::map<std::string, std::vector<Prediction>> groups;
  const auto sort_in = [&groups](const std::vector<Prediction>& rows) {
    for (const Prediction& row : rows) {
      groups[row.group].push_back(row);
    }
  };
  sort_in(predict_products(*chip, folder));
  for (const Prediction& row : predict_attention(*chip, folder)) {
    const bool is_forward = row.label.ends_with("forward");
    if (is_forward || row.group == "fused attention, replayed") {
      groups[is_forward ? "attention forward" : "attention backward"].push_back(row);
    }
  }
  sort_in(predict_vector(*chip, folder));
  const auto eager = predict_layers(*chip, folder + "/layer_graph_eager.csv");
  const auto compiled = predict_layers(*chip, folder + "/layer_graph_compiled.csv");
  const auto other_layers = predict_layers(*chip, folder + "/layer_graph_more.csv");
  std::map<std::string, std::vector<Prediction>> steps;
  std::map<std::string, std::vector<Prediction>> memory;
  std::map<std::string, std::size_t> host_bound;
  for (const std::string file : {"step.csv", "step_more.csv"}) {
    for (const StepPrediction& step : predict_steps(*chip, folder + "/" + file)) {
      if (step.is_host_bound) {
        ++host_bound[file];
      } else {
        steps[file].push_back(step.total);
      }
      memory[file].push_back(
          {"memory", step.total.label, step.measured_bytes, step.predicted_bytes});
    }
  }

  std::string text =
      "# Predictions against measurements\n\n"
      "One NVIDIA H200, PyTorch 2.11; data/h200/README.md says what was measured and how. Written "
      "by `make validation`; tests/validation/h200_test.cpp holds the figures to their limits.\n\n"
      "*Fitted* rows gave the constants of data/chips/h100.yaml and of docs/models.md 12 to 15 "
      "(about twenty for all operators, none for a shape or a model); *held out* rows did not. "
      "Two things were learnt from rows that are otherwise held out: that rows of odd length are "
      "slow (one constant), and, from kernels.csv.gz, which of the library's kernels look elements "
      "up. The launch was chosen with the replayed layers in view, the host's times with the "
      "steps.\n\n"
      "| what | | rows | median | mean | 90th percentile | worst | bias |\n"
      "|---|---|---|---|---|---|---|---|\n";
  text += summary_row("matrix products of models and at random", "fitted", groups["products"]);
  text += summary_row("matrix products of other models", "held out but for odd rows",
                      groups["products, held out"]);
  text += summary_row("matrix products at random, half of them with odd sizes",
                      "held out but for odd rows", groups["products, held out, random"]);
  text +=
      summary_row("batched products of unfused attention", "held out", groups["batched products"]);
  text += summary_row("fused attention, forward", "fitted", groups["attention forward"]);
  text += summary_row("fused attention, backward", "fitted", groups["attention backward"]);
  text += summary_row("vector operators, forward", "fitted", groups["vector, forward"]);
  text += summary_row("vector operators, backward", "fitted", groups["vector, backward"]);
  text += summary_row("library kernels one by one", "fitted", groups["library kernels"]);
  text += summary_row("whole layers, eager", "held out but for the launch", eager);
  text += summary_row("whole layers, compiled", "held out but for the launch", compiled);
  text += summary_row("whole layers of other models", "held out", other_layers);
  text += summary_row("training steps that the device limits", "held out but for the host",
                      steps["step.csv"]);
  text += summary_row("training steps of other families", "held out but for the host",
                      steps["step_more.csv"]);
  text += summary_row("peak memory of training steps", "", memory["step.csv"]);
  text += summary_row("peak memory, other families", "", memory["step_more.csv"]);
  text += "\n" + std::to_string(host_bound["step.csv"]) + " and " +
          std::to_string(host_bound["step_more.csv"]) +
          " further steps are limited by the Python host, as the estimate says (`host_bound`), and "
          "are not in the table: the host's time varies by a factor of two from run to run.\n";

  text +=
      "\n## Operators\n\n![products](validation/products.svg)\n\n"
      "![attention and vector operators](validation/operators.svg)\n\n"
      "The products that are furthest off (held out, of models):\n\n" +
      worst_rows(groups["products, held out"], 8) +
      "\nRows whose length in bytes is no multiple of 16 (50257, 30522 columns) run on older "
      "kernels; the model narrows their loads.\n";
  text += "\n## Layers\n\n![layers](validation/layers.svg)\n\n" + worst_rows(eager, 6) + "\n" +
          worst_rows(other_layers, 6);
  text += "\n## Training steps\n\n![steps](validation/steps.svg)\n\n" +
          worst_rows(steps["step.csv"], 30) + "\n" + worst_rows(steps["step_more.csv"], 12);
  write("docs/validation.md", text);
  write("docs/validation/products.svg",
        report::scatter_svg(
            "Matrix products", "s",
            {series("fitted", groups["products"]), series("held out", groups["products, held out"]),
             series("random, held out", groups["products, held out, random"])}));
  write("docs/validation/operators.svg",
        report::scatter_svg("Attention and vector operators", "s",
                            {series("attention forward", groups["attention forward"]),
                             series("attention backward", groups["attention backward"]),
                             series("vector", groups["vector, forward"]),
                             series("library kernels", groups["library kernels"])}));
  write("docs/validation/layers.svg",
        report::scatter_svg("Layers", "s",
                            {series("eager", eager), series("compiled", compiled),
                             series("other models", other_layers)}));
  write("docs/validation/steps.svg",
        report::scatter_svg("Training steps", "s",
                            {series("step.csv", steps["step.csv"]),
                             series("other families", steps["step_more.csv"])}));
  return 0;
}

}  // namespace
}  // namespace phaze::tests

int main() { return phaze::tests::run(); }
