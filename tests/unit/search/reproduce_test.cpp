// The evaluation of the original's paper: what it is divided by, averages, and its baseline.
#include "search/reproduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hw/figures.h"
#include "models/load.h"
#include "plan/reproduction.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "presets/spaces.h"
#include "search/reproduce_latency.h"
#include "search/reproduce_space.h"
#include "space/chips.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

using plan::ReproducedRun;

std::optional<plan::TrainingPlan> plan_of(double seconds, bool fits = true) {
  plan::TrainingPlan plan;
  plan.global_batch = 1;
  plan.iteration = Seconds(seconds);
  plan.fits = fits;
  return plan;
}

plan::ReproducedModel model_of(std::optional<plan::TrainingPlan> expert,
                               std::optional<plan::TrainingPlan> solved,
                               std::optional<plan::TrainingPlan> own) {
  plan::ReproducedModel model;
  model.runs[0] = std::move(expert);
  model.runs[1] = std::move(solved);
  model.runs[static_cast<std::size_t>(ReproducedRun::kOwn)] = std::move(own);
  return model;
}

TEST(Reproduction, IsRelativeToTheExpertOnTheReference) {
  const plan::ReproducedModel model = model_of(plan_of(4), plan_of(2), plan_of(1));
  EXPECT_EQ(plan::base_of(model).run, ReproducedRun::kReferenceExpert);
  EXPECT_EQ(plan::relative(model, ReproducedRun::kReferenceSolved), 2);
  EXPECT_EQ(plan::relative(model, ReproducedRun::kOwn), 4);
  EXPECT_EQ(plan::relative(model, ReproducedRun::kCommon), std::nullopt);
}

TEST(Reproduction, IsRelativeToTheSolvedPlanWhereTheExpertsDoesNotFit) {
  const plan::ReproducedModel model = model_of(plan_of(4, false), plan_of(2), plan_of(1));
  EXPECT_EQ(plan::base_of(model).run, ReproducedRun::kReferenceSolved);
  EXPECT_EQ(plan::relative(model, ReproducedRun::kReferenceExpert), std::nullopt);
  EXPECT_EQ(plan::relative(model, ReproducedRun::kOwn), 2);
}

TEST(Reproduction, AveragesLeaveOutWhatHasNoFigure) {
  plan::ReproducedColumn column;
  column.models = {model_of(plan_of(2), plan_of(2), plan_of(1)),
                   model_of(plan_of(8), plan_of(2), plan_of(1)),
                   model_of(std::nullopt, std::nullopt, plan_of(1))};
  const auto own = plan::average(column, ReproducedRun::kOwn);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->models, 2);
  EXPECT_DOUBLE_EQ(own->arithmetic, 5);
  EXPECT_DOUBLE_EQ(own->geometric, 4);
  EXPECT_FALSE(plan::average(column, ReproducedRun::kCommon));
  EXPECT_FALSE(plan::average_split(column));
}

TEST(Reproduction, MeansOfFactorsMultiplyToTheMeanGain) {
  plan::ReproducedColumn column;
  column.models.resize(2);
  column.models[0].split = plan::GainSplit{2, 3, 0.5, 1.5};
  column.models[1].split = plan::GainSplit{1, 4, 1, 0.25};
  const auto mean = plan::average_split(column);
  ASSERT_TRUE(mean);
  EXPECT_DOUBLE_EQ(mean->product(), std::sqrt(4.5 * 1.0));
  EXPECT_DOUBLE_EQ(mean->chip, std::sqrt(12.0));
}

SearchQuestion small_question() {
  Diagnostics diagnostics;
  SearchQuestion question;
  question.space = presets::load_space("phaze2024-small", diagnostics).value();
  question.reference = presets::load_chip("phaze-reference", {}, diagnostics).value();
  PlanSetting setting;
  setting.assumptions = Assumptions::kPhaze2024;
  setting.model = models::load_model("opt-350m", diagnostics).value();
  setting.cluster = presets::load_cluster("flat", {}, diagnostics).value();
  setting.global_batch = 4096;
  setting.training.precision = graph::Precision::kBf16;
  setting.training.optimizer = graph::OptimizerKind::kSgd;
  question.models.push_back({"opt-350m", setting, 1});
  return question;
}

// One in five, to be quick.
std::vector<SearchChip> some_chips(const SearchQuestion& question) {
  std::vector<SearchChip> chips;
  for (const SearchChip& chip : list_search_chips(question)) {
    if (chip.index % 5 == 0) {
      chips.push_back(chip);
    }
  }
  return chips;
}

TEST(LeastLatency, IsTheSameWithoutExcludingChips) {
  const SearchQuestion question = small_question();
  const std::vector<SearchChip> chips = some_chips(question);
  ASSERT_GT(chips.size(), 20U);
  SearchOptions exhaustive;
  exhaustive.use_bounds = exhaustive.use_dominance = false;
  for (const std::int64_t width : {1, 4}) {
    const LatencyQuestion asked{0, width, 1};
    const LatencyAnswer all = find_least_latency(question, chips, asked, exhaustive);
    ASSERT_TRUE(all.search.best);
    EXPECT_EQ(all.search.evaluated, chips.size());
    for (const bool use_bounds : {false, true}) {
      SearchOptions options;
      options.use_bounds = use_bounds;
      options.use_dominance = !use_bounds;
      const LatencyAnswer found = find_least_latency(question, chips, asked, options);
      EXPECT_EQ(found.search.best, all.search.best);
      EXPECT_EQ(found.latency, all.latency);
      EXPECT_LT(found.search.evaluated, chips.size());
    }
  }
}

SearchQuestion modern_question() {
  SearchQuestion question = small_question();
  Diagnostics diagnostics;
  question.space = presets::load_space("tpuv4-class", diagnostics).value();
  PlanSetting& setting = question.models.front().setting;
  setting.assumptions = Assumptions::kModern;
  setting.cluster = presets::load_cluster("tpuv4-pod", {}, diagnostics).value();
  setting.training = {};
  return question;
}

TEST(LeastLatency, OfModernAssumptionsIsTheSameWithoutExcludingChips) {
  const SearchQuestion question = modern_question();
  std::vector<SearchChip> chips;
  for (const SearchChip& chip : list_search_chips(question)) {
    if (chip.index % 251 == 0) {
      chips.push_back(chip);
    }
  }
  ASSERT_GT(chips.size(), 20U);
  SearchOptions exhaustive;
  exhaustive.use_bounds = exhaustive.use_dominance = false;
  for (const LatencyQuestion& asked : {LatencyQuestion{0, 1, 1, false}, {0, 4, 2, true}}) {
    const LatencyAnswer all = find_least_latency(question, chips, asked, exhaustive);
    ASSERT_TRUE(all.search.best);
    EXPECT_EQ(all.search.evaluated, chips.size());
    const LatencyAnswer found = find_least_latency(question, chips, asked);
    EXPECT_EQ(found.search.best, all.search.best);
    EXPECT_EQ(found.latency, all.latency);
    EXPECT_LT(found.search.evaluated, chips.size());
  }
}

TEST(EqualMeans, TheSpaceHasTheAreaAndPowerOfTheReference) {
  Diagnostics diagnostics;
  const space::Space space = presets::load_space("tpuv4-class", diagnostics).value();
  const hw::Chip reference = presets::load_chip("tpuv4", {}, diagnostics).value();
  const hw::ChipFigures figures = hw::compute_figures(reference, space.technology).value();
  EXPECT_NEAR(space.budgets.area->value() / figures.area.value(), 1, 1e-4);
  EXPECT_NEAR(space.budgets.power->value() / figures.tdp.value(), 1, 1e-4);
  EXPECT_GE(space.budgets.area->value(), figures.area.value());
  EXPECT_GE(space.budgets.power->value(), figures.tdp.value());
}

TEST(Undominated, AreTheChipsThatNoOtherHasNoLessThan) {
  const SearchQuestion question = small_question();
  const plan::UndominatedChips counted =
      describe_space(question, list_search_chips(question)).undominated;
  const std::vector<SearchChip> chips = list_search_chips(question);
  std::int64_t undominated = 0;
  for (const SearchChip& chip : chips) {
    const space::Standing own = space::standing_of(question.space, chip.index);
    bool is_dominated = false;
    for (const SearchChip& other : chips) {
      const space::Standing more = space::standing_of(question.space, other.index);
      bool has_no_less = other.index != chip.index && more.group == own.group;
      for (std::size_t k = 0; k < own.amounts.size(); ++k) {
        has_no_less = has_no_less && more.amounts[k] >= own.amounts[k];
      }
      is_dominated = is_dominated || has_no_less;
    }
    undominated += is_dominated ? 0 : 1;
  }
  EXPECT_EQ(counted.chips, undominated);
  EXPECT_GT(counted.least_area_share, 0.5);
  EXPECT_LE(counted.large_cores, counted.chips);
}

}  // namespace
}  // namespace phaze::search
