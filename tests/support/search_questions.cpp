#include "support/search_questions.h"

#include "base/check.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "presets/spaces.h"

namespace phaze::tests {

space::Space small_space() {
  constexpr std::int64_t kMebibyte = 1 << 20, kGibibyte = 1 << 30;
  Diagnostics diagnostics;
  space::Space space = presets::load_space("phaze2024", diagnostics).value();
  const std::vector<std::vector<double>> values = {
      {4, 16}, {8, 32}, {64, 256}, {64, 256}, {8 * kMebibyte, 32 * kMebibyte}};
  CHECK(space.axes.size() == values.size(), "the axes of phaze2024");
  for (std::size_t i = 0; i < values.size(); ++i) {
    space.axes[i].values = values[i];
  }
  space.budgets.least_area.reset();
  space.training.microbatches = {1, 2};
  space.training.tensor_widths = {1, 2};
  space.training.hbm_capacities = {Bytes(kGibibyte), Bytes(2 * kGibibyte)};
  return space;
}

search::SearchModel small_model(const std::string& name, const space::Space& space) {
  Diagnostics diagnostics;
  search::PlanSetting setting;
  setting.assumptions = search::Assumptions::kPhaze2024;
  setting.model = models::load_model(name, diagnostics).value();
  setting.build.attention = models::AttentionMode::kEager;
  setting.build.execution = models::Execution::kEager;
  setting.build.sequence = 256;
  setting.training = {
      graph::Precision::kBf16, graph::OptimizerKind::kSgd, {}, graph::Fusion::kNone};
  setting.chip = space.base;
  setting.cluster = presets::load_cluster("flat", {}, diagnostics).value();
  setting.devices = 6;
  setting.global_batch = 32;
  setting.limits.microbatch = space.training.microbatches;
  setting.limits.tensor = space.training.tensor_widths;
  setting.limits.recompute = {plan::Recompute::kNone, plan::Recompute::kFull};
  return {name, setting, 1};
}

space::Space small_modern_space() {
  constexpr std::int64_t kKibibyte = 1 << 10, kMebibyte = 1 << 20, kGibibyte = 1 << 30;
  Diagnostics diagnostics;
  space::Space space = presets::load_space("modern", diagnostics).value();
  const std::vector<std::vector<double>> values = {{1.75e9},
                                                   {3},  // hbm3e
                                                   {2, 4},
                                                   {64, 128},
                                                   {128},
                                                   {8, 64},
                                                   {128 * kKibibyte, kMebibyte},
                                                   {256},
                                                   {4, 32},
                                                   {32 * kMebibyte, 128 * kMebibyte},
                                                   {4096}};
  CHECK(space.axes.size() == values.size(), "the axes of modern");
  for (std::size_t i = 0; i < values.size(); ++i) {
    space.axes[i].values = values[i];
  }
  space.budgets.area = SquareMillimetres(700);
  space.training.microbatches = {1, 2};
  space.training.tensor_widths = {1, 2};
  space.training.hbm_stack_capacities = {Bytes(kGibibyte), Bytes(2 * kGibibyte)};
  return space;
}

search::SearchModel small_modern_model(const std::string& name, const space::Space& space) {
  Diagnostics diagnostics;
  search::PlanSetting setting;
  setting.model = models::load_model(name, diagnostics).value();
  setting.build.sequence = 256;
  setting.chip = space.base;
  setting.cluster = presets::load_cluster("dgx-h100", {}, diagnostics).value();
  setting.devices = 4;
  setting.global_batch = 16;
  setting.limits.microbatch = space.training.microbatches;
  setting.limits.tensor = space.training.tensor_widths;
  return {name, setting, 1};
}

search::SearchQuestion small_modern_question(const std::vector<std::string>& models) {
  Diagnostics diagnostics;
  search::SearchQuestion question;
  question.space = small_modern_space();
  for (const std::string& name : models) {
    question.models.push_back(small_modern_model(name, question.space));
  }
  question.reference = presets::load_chip("h100", {}, diagnostics).value();
  return question;
}

search::SearchQuestion small_question(const std::vector<std::string>& models, space::Space space) {
  Diagnostics diagnostics;
  search::SearchQuestion question;
  for (const std::string& name : models) {
    question.models.push_back(small_model(name, space));
  }
  question.reference = presets::load_chip("phaze-reference", {}, diagnostics).value();
  question.space = std::move(space);
  return question;
}

}  // namespace phaze::tests
