// The search over sets of chips, and the search under modern assumptions, against planning every
// chip at every size of memory by `find_plan`.
#include "search/large_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <map>

#include "hw/cost.h"
#include "hw/figures.h"
#include "search/large_verify.h"
#include "search/plan_search.h"
#include "search/search_record.h"
#include "search/search_verify.h"
#include "space/chips.h"
#include "space/enumerate.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

using tests::small_modern_question;

const std::vector<std::string> kModels = {"bert-large", "opt-350m"};

struct Planned {
  std::int64_t index = 0;
  Bytes memory;
  double throughput = 0;
};

std::vector<Planned> plan_all(const SearchQuestion& question) {
  std::vector<Planned> all;
  for (const std::int64_t index : space::list_chips(question.space)) {
    for (const Bytes memory : memories_of(question, {index, std::nullopt})) {
      PlanSetting setting = question.models.front().setting;
      setting.chip = with_memory(space::make_chip(question.space, index), memory);
      const PlanAnswer found = find_plan(setting);
      all.push_back({index, memory,
                     found.has_fitting() ? static_cast<double>(setting.global_batch) /
                                               found.plans[0].iteration.value()
                                         : 0});
    }
  }
  return all;
}

const std::vector<Planned>& all_planned() {
  static const std::vector<Planned> all = plan_all(small_modern_question({kModels[0]}));
  return all;
}

// Of equal values less memory, then less area, less cost, the smaller index.
struct Chosen {
  std::int64_t index = -1;
  Bytes memory;
  double value = 0;
};

Chosen choose(const SearchQuestion& question) {
  Chosen chosen;
  std::vector<double> best;
  for (const Planned& planned : all_planned()) {
    const hw::Chip chip =
        with_memory(space::make_chip(question.space, planned.index), planned.memory);
    const hw::ChipFigures figures = hw::compute_figures(chip, question.space.technology).value();
    const double value = planned.throughput / price_of(question, chip);
    const std::vector<double> standing = {-value, static_cast<double>(planned.memory.value()),
                                          figures.area.value(), hw::total(figures.cost).value(),
                                          static_cast<double>(planned.index)};
    if (value > 0 && (best.empty() || standing < best)) {
      best = standing;
      chosen = {planned.index, planned.memory, value};
    }
  }
  return chosen;
}

void expect_chosen(const SearchAnswer& answer, const Chosen& chosen, const std::string& what) {
  ASSERT_TRUE(answer.own_best.at(0)) << what;
  const FoundChip& found = *answer.own_best[0];
  EXPECT_EQ(answer.chips[found.chip].index, chosen.index) << what;
  EXPECT_EQ(found.memory, chosen.memory) << what;
  EXPECT_NEAR(found.value, chosen.value, 1e-12 * chosen.value) << what;
  EXPECT_GE(answer.own[0].bound, chosen.value * (1 - 1e-12)) << what;
}

TEST(LargeSearch, TheCasesAreNotTrivial) {
  std::map<double, int> equal;
  std::size_t needs_more = 0;
  for (std::size_t i = 0; i < all_planned().size(); i += 2) {
    const double less = all_planned()[i].throughput, more = all_planned()[i + 1].throughput;
    EXPECT_LE(less, more * (1 + 1e-12));
    needs_more += less < more ? 1 : 0;
    ++equal[more];
  }
  EXPECT_GT(needs_more, 0U);
  EXPECT_LT(equal.size(), all_planned().size() / 2);
  EXPECT_GT(equal.size(), 4U);
}

TEST(LargeSearch, FindsWhatPlanningEveryChipFinds) {
  for (const Objective objective :
       {Objective::kThroughput, Objective::kPerWatt, Objective::kPerDollar}) {
    SearchQuestion question = small_modern_question({kModels[0]});
    question.objective = objective;
    const Chosen chosen = choose(question);
    for (const bool use_dominance : {false, true}) {
      for (const bool use_bounds : {false, true}) {
        SearchOptions options;
        options.use_dominance = use_dominance;
        options.use_bounds = use_bounds;
        options.deepens = false;  // find_plan does not
        const std::string what = std::string(to_string(objective)) +
                                 (use_dominance ? " dominance" : "") +
                                 (use_bounds ? " bounds" : "");
        expect_chosen(search_chips(question, list_search_chips(question), options), chosen, what);
        const SearchAnswer by_sets = search_large(question, options);
        expect_chosen(by_sets, chosen, what + " by sets");
        EXPECT_EQ(by_sets.total,
                  static_cast<std::int64_t>(space::list_chips(question.space).size()));
        EXPECT_EQ(by_sets.own[0].evaluated + by_sets.own[0].excluded + by_sets.own[0].dominated,
                  static_cast<std::size_t>(by_sets.total))
            << what;
      }
    }
  }
}

TEST(LargeSearch, SeveralModelsAsInAList) {
  for (const Combination combination : {Combination::kMean, Combination::kWorst}) {
    SearchQuestion question = small_modern_question(kModels);
    question.combination = combination;
    question.models[1].weight = 2;
    const SearchAnswer listed = search_chips(question, list_search_chips(question));
    const SearchAnswer by_sets = search_large(question);
    ASSERT_TRUE(listed.common_best && by_sets.common_best);
    EXPECT_EQ(listed.chips[listed.common_best->chip].index,
              by_sets.chips[by_sets.common_best->chip].index);
    EXPECT_EQ(listed.common_best->memory, by_sets.common_best->memory);
    EXPECT_EQ(listed.common_best->throughput, by_sets.common_best->throughput);
    EXPECT_EQ(verify_large(question, by_sets).size(), 3U);
    const plan::SearchRecord record = make_search_record(question, by_sets);
    EXPECT_EQ(record.common->plans.size(), 2U);
    EXPECT_EQ(record.common->counts.total, by_sets.total);
  }
}

TEST(LargeSearch, IsTheSameWithOneThreadAndTwo) {
  const SearchQuestion question = small_modern_question({kModels[0]});
  std::vector<SearchAnswer> answers;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { answers.push_back(search_large(question)); });
  }
  EXPECT_EQ(answers[0].own[0].bound, answers[1].own[0].bound);
  EXPECT_EQ(answers[0].own[0].evaluated, answers[1].own[0].evaluated);
  EXPECT_EQ(answers[0].sets[0].tops, answers[1].sets[0].tops);
  EXPECT_EQ(answers[0].own_best[0]->memory, answers[1].own_best[0]->memory);
}

TEST(LargeSearch, TheSecondLookAgreesAndFindsWhatIsWrong) {
  for (const Objective objective : {Objective::kThroughput, Objective::kPerWatt}) {
    SearchQuestion question = small_modern_question({kModels[0]});
    question.objective = objective;
    const SearchAnswer answer = search_large(question);
    EXPECT_EQ(verify_large(question, answer).size(), 1U);
    ASSERT_FALSE(answer.sets[0].excluded.empty());
    SearchAnswer wrong = answer;
    wrong.sets[0].excluded.front().bound *= 0.01;
    EXPECT_THROW(verify_large(question, wrong), std::logic_error);
    wrong = answer;
    wrong.sets[0].excluded.pop_back();
    EXPECT_THROW(verify_large(question, wrong), std::logic_error);
  }
}

TEST(LargeSearch, GoesOnFromWhatIsKnown) {
  const SearchQuestion question = small_modern_question({kModels[0]});
  SearchOptions options;
  std::vector<Known> known;
  options.keep = [&](const std::vector<Known>& found) {
    known.insert(known.end(), found.begin(), found.end());
  };
  const SearchAnswer whole = search_large(question, options);
  ASSERT_FALSE(known.empty());
  // Half of it is there, as if stopped in the middle.
  SearchOptions again;
  again.known.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2));
  const SearchAnswer resumed = search_large(question, again);
  EXPECT_EQ(resumed.own_best[0]->value, whole.own_best[0]->value);
  EXPECT_EQ(resumed.chips[resumed.own_best[0]->chip].index,
            whole.chips[whole.own_best[0]->chip].index);
  EXPECT_EQ(resumed.own[0].bound, whole.own[0].bound);
}

TEST(LargeSearch, StoppedInTheMiddleItSaysWhatIsOpen) {
  const SearchQuestion question = small_modern_question({kModels[0]});
  const double best = search_large(question).own_best[0]->value;
  SearchOptions options;
  int calls = 0;
  options.is_cancelled = [&](const SearchOptions::Progress&) { return ++calls > 1; };
  const SearchAnswer answer = search_large(question, options);
  EXPECT_FALSE(answer.is_complete);
  EXPECT_GE(answer.own[0].bound, best);
  EXPECT_TRUE(std::isfinite(answer.own[0].bound));
}

}  // namespace
}  // namespace phaze::search
