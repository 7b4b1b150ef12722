#include "report/validation_document.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/scatter_svg.h"
#include "report/validation_report.h"

namespace phaze::report {
namespace {

using plan::ComparedGroup;
using plan::ComparedRow;

std::string percent(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string errors_text(const plan::ErrorSummary& e) {
  return std::to_string(e.count) + " | " + percent(e.median) + " | " + percent(e.mean) + " | " +
         percent(e.p90) + " | " + percent(e.worst) + " | " + percent(e.bias) + " |\n";
}

constexpr const char* kErrorColumns = "rows | median | mean | 90th percentile | worst | bias |\n";

// The rows that are furthest off.
std::string worst_rows(std::vector<ComparedRow> rows, std::size_t most) {
  std::ranges::stable_sort(rows, [](const ComparedRow& a, const ComparedRow& b) {
    return std::abs(a.error()) > std::abs(b.error());
  });
  rows.resize(std::min(rows.size(), most));
  std::string text = "| row | measured | predicted | error |\n|---|---|---|---|\n";
  for (const ComparedRow& row : rows) {
    text += "| " + row.label + " | " + with_prefix(row.measured, "s") + " | " +
            with_prefix(row.predicted, "s") + " | " + percent(row.error()) + " |\n";
  }
  return text;
}

const ComparedGroup& find(const plan::Validation& validation, const std::string& name) {
  static const ComparedGroup none;
  const auto found = std::ranges::find_if(
      validation.own, [&name](const ComparedGroup& group) { return group.name == name; });
  return found == validation.own.end() ? none : *found;
}

// Groups in one picture, each under a shorter name.
std::string plot(const plan::Validation& validation, const std::string& title,
                 const std::vector<std::pair<std::string, std::string>>& groups) {
  std::vector<ScatterSeries> series;
  for (const auto& [name, label] : groups) {
    ScatterSeries one{label, {}};
    for (const ComparedRow& row : find(validation, name).rows) {
      one.points.push_back({row.measured, row.predicted, row.label});
    }
    series.push_back(std::move(one));
  }
  return scatter_svg(title, "s", series);
}

std::string runs_text(const plan::Validation& validation) {
  std::string text =
      "## Training runs\n\n"
      "Runs re-told from publications (data/measured, where each file names its source), priced "
      "as `phaze place` prices a plan with the same strategy. Choices that a publication leaves "
      "open are the planner's.\n\n"
      "| runs | what | " +
      std::string(kErrorColumns) + "|---|---|---|---|---|---|---|---|\n";
  for (const plan::GroupSummary& group : validation.groups) {
    text += "| " + group.group + " | " + measure_text(group.measure) + " | " +
            errors_text(group.errors);
  }
  text += "\n![iterations](validation/runs.svg)\n\n";
  return text + run_rows_markdown(validation) + "\n";
}

std::string held_out_text(const plan::Validation& validation) {
  std::string text =
      "## Runs that nothing was fitted to\n\n"
      "Other strategies and other software, as a check on what the constants are worth elsewhere "
      "(data/measured; `phaze validate FILE` shows the rows). PyTorch's FSDP of 2023 ran kernels "
      "of "
      "its time: attention that took twice as long as today's, and H100 products before the "
      "libraries knew that machine well. ZeRO-3 of 2021 gathered one parameter at a time.\n\n"
      "| runs | what | " +
      std::string(kErrorColumns) + "|---|---|---|---|---|---|---|---|\n";
  for (const plan::GroupSummary& group : validation.held_out) {
    text += "| " + group.group + " | " + measure_text(group.measure) + " | " +
            errors_text(group.errors);
  }
  return text + "\n";
}

std::string operators_text(const plan::Validation& validation) {
  std::string text =
      "## One H200: operators, layers and steps\n\n"
      "PyTorch 2.11; data/h200/README.md says what was measured and how.\n\n"
      "*Fitted* rows gave the constants of data/chips/h100.yaml and of docs/models.md 12 to 15 "
      "(about twenty for all operators, none for a shape or a model); *held out* rows did not. "
      "Two things were learnt from rows that are otherwise held out: that rows of odd length are "
      "slow (one constant), and, from kernels.csv.gz, which of the library's kernels look elements "
      "up. The launch was chosen with the replayed layers in view, the host's times with the "
      "steps.\n\n| what | | " +
      std::string(kErrorColumns) + "|---|---|---|---|---|---|---|---|\n";
  for (const ComparedGroup& group : validation.own) {
    text += "| " + group.name + " | " + group.status + " | " + errors_text(group.errors);
  }
  text += "\n" + std::to_string(validation.own_host_bound) +
          " further steps are limited by the Python host, as the estimate says (`host_bound`), and "
          "are not in the table: the host's time varies by a factor of two from run to run.\n";
  text +=
      "\n### Operators\n\n![products](validation/products.svg)\n\n"
      "![attention and vector operators](validation/operators.svg)\n\n"
      "The products that are furthest off (held out, of models):\n\n" +
      worst_rows(find(validation, "matrix products of other models").rows, 8) +
      "\nRows whose length in bytes is no multiple of 16 (50257, 30522 columns) run on older "
      "kernels; the model narrows their loads.\n";
  text += "\n### Layers\n\n![layers](validation/layers.svg)\n\n" +
          worst_rows(find(validation, "whole layers, eager").rows, 6) + "\n" +
          worst_rows(find(validation, "whole layers of other models").rows, 6);
  return text + "\n### Training steps\n\n![steps](validation/steps.svg)\n\n" +
         worst_rows(find(validation, "training steps that the device limits").rows, 30) + "\n" +
         worst_rows(find(validation, "training steps of other families").rows, 12) + "\n" +
         worst_rows(find(validation, "training steps, compiled").rows, 12);
}

}  // namespace

std::vector<DocumentFile> validation_document(const plan::Validation& validation) {
  const std::string text =
      "# Predictions against measurements\n\n"
      "Written by `phaze validate --write docs` (`make validation`); tests/validation holds the "
      "figures to their limits. An error is predicted / measured - 1.\n\n" +
      runs_text(validation) + held_out_text(validation) + operators_text(validation);
  return {{"validation.md", text},
          {"validation/runs.svg", scatter_svg("Iterations", "s", validation_series(validation))},
          {"validation/products.svg",
           plot(validation, "Matrix products",
                {{"matrix products of models and at random", "fitted"},
                 {"matrix products of other models", "held out"},
                 {"matrix products at random, half of them with odd sizes", "random, held out"}})},
          {"validation/operators.svg", plot(validation, "Attention and vector operators",
                                            {{"fused attention, forward", "attention forward"},
                                             {"fused attention, backward", "attention backward"},
                                             {"vector operators, forward", "vector"},
                                             {"library kernels one by one", "library kernels"}})},
          {"validation/layers.svg", plot(validation, "Layers",
                                         {{"whole layers, eager", "eager"},
                                          {"whole layers, compiled", "compiled"},
                                          {"whole layers of other models", "other models"}})},
          {"validation/steps.svg", plot(validation, "Training steps",
                                        {{"training steps that the device limits", "step.csv"},
                                         {"training steps of other families", "other families"},
                                         {"training steps, compiled", "compiled"}})}};
}

}  // namespace phaze::report
