// The winner under other constants against planning every chip under every draw by `find_plan`.
#include "search/robust_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>

#include "search/plan_search.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

Uncertainty wide_uncertainty() {
  Uncertainty wide;
  for (plan::UncertainConstant& constant : wide.constants) {
    constant = {"any", 0.7, 1.6};
  }
  return wide;
}

RobustOptions few_draws() {
  RobustOptions options;
  options.draws = 6;
  options.uncertainty = wide_uncertainty();
  return options;
}

SearchAnswer search_quickly(const SearchQuestion& question) {
  SearchOptions options;
  options.deepens = false;
  return search_chips(question, list_search_chips(question), options);
}

// Of every chip with all of its memory.
double plan_with(const SearchQuestion& question, std::size_t model, const hw::Chip& chip,
                 const ConstantDraw& draw) {
  PlanSetting setting = question.models[model].setting;
  setting.chip = with_draw(chip, draw, setting.assumptions);
  setting.cluster = with_draw(setting.cluster, draw, setting.assumptions);
  const PlanAnswer found = find_plan(setting);
  return found.has_fitting()
             ? static_cast<double>(setting.global_batch) / found.plans[0].iteration.value()
             : 0;
}

void expect_what_planning_everything_finds(const SearchQuestion& question) {
  const SearchAnswer answer = search_quickly(question);
  const RobustOptions options = few_draws();
  const plan::Robustness found = find_robustness(question, answer, options);
  const FoundChip& best = answer.common ? *answer.common_best : *answer.own_best[0];
  std::int64_t stays = 0;
  double losses = 0, worst = 0;
  const Assumptions assumptions = question.models[0].setting.assumptions;
  for (const ConstantDraw& draw :
       draw_constants(options.uncertainty, assumptions, options.draws, options.seed)) {
    std::vector<double> scale;
    for (std::size_t i = 0; i < question.models.size(); ++i) {
      scale.push_back(
          question.models.size() == 1 ? 1 : plan_with(question, i, question.reference, draw));
    }
    double winner = 0, highest = 0;
    for (std::size_t chip = 0; chip < answer.chips.size(); ++chip) {
      double value = 0;
      for (std::size_t i = 0; i < question.models.size(); ++i) {
        const hw::Chip made = with_memory(make_chip(question, answer.chips[chip]),
                                          memories_of(question, answer.chips[chip]).back());
        value += plan_with(question, i, made, draw) / scale[i] /
                 static_cast<double>(question.models.size());
      }
      winner = chip == best.chip ? value : winner;
      highest = std::max(highest, value);
    }
    stays += winner >= highest * (1 - 1e-9) ? 1 : 0;
    losses += 1 - winner / highest;
    worst = std::max(worst, 1 - winner / highest);
  }
  EXPECT_EQ(found.draws, options.draws);
  EXPECT_EQ(found.stays, stays);
  EXPECT_NEAR(found.mean_loss, losses / static_cast<double>(options.draws), 1e-9);
  EXPECT_NEAR(found.worst_loss, worst, 1e-9);
  EXPECT_EQ(found.left_out, 0);
}

TEST(RobustSearch, FindsWhatPlanningEverythingFinds) {
  expect_what_planning_everything_finds(tests::small_question({"bert-large"}));
}

TEST(RobustSearch, FindsWhatPlanningEverythingFindsUnderModernAssumptions) {
  expect_what_planning_everything_finds(tests::small_modern_question({"bert-large"}));
}

TEST(RobustSearch, FindsWhatPlanningEverythingFindsForACommonChip) {
  expect_what_planning_everything_finds(tests::small_question({"bert-large", "opt-350m"}));
}

TEST(RobustSearch, BoundsAndThreadsChangeNothing) {
  const SearchQuestion question = tests::small_question({"bert-large"});
  const SearchAnswer answer = search_quickly(question);
  std::vector<plan::Robustness> all;
  for (const bool use_bounds : {true, false}) {
    for (const int threads : {1, 2}) {
      RobustOptions options = few_draws();
      options.use_bounds = use_bounds;
      tbb::task_arena arena(threads);
      arena.execute([&] { all.push_back(find_robustness(question, answer, options)); });
    }
  }
  for (const plan::Robustness& one : all) {
    EXPECT_EQ(one.stays, all[0].stays);
    EXPECT_EQ(one.mean_loss, all[0].mean_loss);
    EXPECT_EQ(one.worst_loss, all[0].worst_loss);
    ASSERT_EQ(one.rivals.size(), all[0].rivals.size());
    for (std::size_t i = 0; i < one.rivals.size(); ++i) {
      EXPECT_EQ(one.rivals[i].chip, all[0].rivals[i].chip);
      EXPECT_EQ(one.rivals[i].wins, all[0].rivals[i].wins);
    }
  }
}

TEST(RobustSearch, AStoppedRunHasWholeDraws) {
  const SearchQuestion question = tests::small_question({"bert-large"});
  const SearchAnswer answer = search_quickly(question);
  RobustOptions options = few_draws();
  options.draws = 40;
  options.is_cancelled = [](std::int64_t done) { return done >= 8; };
  const plan::Robustness found = find_robustness(question, answer, options);
  EXPECT_EQ(found.draws, 8);
  EXPECT_EQ(found.asked, 40);
}

// Of each constant about a tenth lies on either side, none far out, and the seed decides.
TEST(RobustSearch, DrawsAreAsTheyAreSaidToBe) {
  const Uncertainty wide = wide_uncertainty();
  const auto draws = draw_constants(wide, Assumptions::kModern, 4000, 3);
  for (std::size_t i = 0; i < kDrawnConstants; ++i) {
    double below = 0, above = 0;
    for (const ConstantDraw& draw : draws) {
      below += 1 / draw.rates[i] < 0.7 ? 1 : 0;
      above += 1 / draw.rates[i] > 1.6 ? 1 : 0;
      EXPECT_LT(std::abs(std::log(draw.rates[i])), 1.1);
    }
    EXPECT_NEAR(below / 4000, 0.08, 0.02);  // a tenth, less what is cut off at two deviations
    EXPECT_NEAR(above / 4000, 0.08, 0.02);
  }
  const auto again = draw_constants(wide, Assumptions::kModern, 4000, 3);
  const auto other = draw_constants(wide, Assumptions::kModern, 4000, 4);
  EXPECT_EQ(draws[7].rates[2], again[7].rates[2]);
  EXPECT_NE(draws[7].rates[2], other[7].rates[2]);
  const auto original = draw_constants(wide, Assumptions::kPhaze2024, 10, 3);
  EXPECT_EQ(original[0].at(DrawnConstant::kVector), 1);
  EXPECT_NE(original[0].at(DrawnConstant::kHbm), 1);
}

}  // namespace
}  // namespace phaze::search
