// The search over chips against planning every chip at every size of memory by `find_plan`, which
// knows nothing of bounds between chips, and choosing by hand.
#include "search/chip_search.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "hw/cost.h"
#include "hw/figures.h"
#include "schedule/exact.h"
#include "search/chip_knowledge.h"
#include "search/plan_search.h"
#include "search/search_record.h"
#include "search/search_verify.h"
#include "space/chips.h"
#include "space/enumerate.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

using tests::small_question;

// Sequences a second by model, chip and memory.
using Table = std::vector<std::map<std::pair<std::int64_t, Bytes>, double>>;

Table plan_all(const SearchQuestion& question) {
  Table table(question.models.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (const std::int64_t index : space::list_chips(question.space)) {
      for (const Bytes memory : question.space.training.hbm_capacities) {
        PlanSetting setting = question.models[i].setting;
        setting.chip = space::make_chip(question.space, index);
        setting.chip.hbm.stack_capacity = Bytes(memory.value() / setting.chip.hbm.stacks);
        const PlanAnswer found = find_plan(setting);
        table[i][{index, memory}] =
            found.has_fitting()
                ? static_cast<double>(setting.global_batch) / found.plans[0].iteration.value()
                : 0;
      }
    }
  }
  return table;
}

// Plans of two models, made once for all tests.
const std::vector<std::string> kModels = {"bert-large", "opt-350m"};
const Table& two_models() {
  static const Table table = plan_all(small_question(kModels));
  return table;
}

// What is known of a chip with a size of memory, without the search.
struct Candidate {
  std::int64_t index = 0;
  Bytes memory;
  double area_mm2 = 0, cost_usd = 0, tdp_w = 0, carbon_kg = 0;
};

Candidate candidate_of(const SearchQuestion& question, std::int64_t index, Bytes memory) {
  hw::Chip chip = space::make_chip(question.space, index);
  chip.hbm.stack_capacity = Bytes(memory.value() / chip.hbm.stacks);
  const hw::ChipFigures figures = hw::compute_figures(chip, question.space.technology).value();
  return {index,
          memory,
          figures.area.value(),
          hw::total(figures.cost).value(),
          figures.tdp.value(),
          hw::total(figures.carbon).value()};
}

// The objectives by the words of docs/models.md, section 23: 6 devices, 4 years of 365.25 days,
// PUE 1.1, 0.08 USD and 0.369 kg a kWh.
double price_by_hand(Objective objective, const Candidate& chip) {
  constexpr double kDevices = 6, kHours = 4 * 365.25 * 24;
  const double kwh = chip.tdp_w * 1.1 * kHours / 1000;
  switch (objective) {
    case Objective::kThroughput:
      return 1;
    case Objective::kPerWatt:
      return kDevices * chip.tdp_w;
    case Objective::kPerDollar:
      return kDevices * (chip.cost_usd + 0.08 * kwh) / (kHours * 3600);
    case Objective::kPerCarbon:
      return kDevices * (chip.carbon_kg + 0.369 * kwh) / (kHours * 3600);
  }
  return 0;
}

struct Chosen {
  std::int64_t index = -1;
  Bytes memory;
  double value = 0;
};

// Of equal values less memory, then less area, less cost, the smaller index.
Chosen choose(const SearchQuestion& question,
              const std::function<double(std::int64_t, Bytes)>& value_of) {
  Chosen chosen;
  std::tuple<double, double, double, double, std::int64_t> best{0, 0, 0, 0, -1};
  for (const std::int64_t index : space::list_chips(question.space)) {
    for (const Bytes memory : question.space.training.hbm_capacities) {
      const Candidate chip = candidate_of(question, index, memory);
      const double value = value_of(index, memory) / price_by_hand(question.objective, chip);
      const std::tuple standing{-value, static_cast<double>(memory.value()), chip.area_mm2,
                                chip.cost_usd, index};
      if (value > 0 && (chosen.index < 0 || standing < best)) {
        chosen = {index, memory, value};
        best = standing;
      }
    }
  }
  return chosen;
}

void expect_same(const SearchAnswer& answer, const std::optional<FoundChip>& found,
                 const Chosen& chosen, const std::string& what) {
  if (chosen.index < 0) {
    EXPECT_FALSE(found) << what;
    return;
  }
  ASSERT_TRUE(found) << what;
  EXPECT_EQ(answer.chips[found->chip].index, chosen.index) << what;
  EXPECT_EQ(found->memory, chosen.memory) << what;
  EXPECT_NEAR(found->value, chosen.value, 1e-12 * chosen.value) << what;
}

// With schedules of layers as find_plan makes them.
SearchAnswer search_small(const SearchQuestion& question, SearchOptions options = {}) {
  options.deepens = false;
  return search_chips(question, list_search_chips(question), options);
}

constexpr std::array kAllObjectives = {Objective::kThroughput, Objective::kPerWatt,
                                       Objective::kPerDollar, Objective::kPerCarbon};
constexpr std::array kAllCombinations = {Combination::kMean, Combination::kGeometric,
                                         Combination::kRaw, Combination::kWorst};

TEST(ChipSearch, TheCasesAreNotTrivial) {
  const SearchQuestion question = small_question(kModels);
  const std::vector<std::int64_t> chips = space::list_chips(question.space);
  EXPECT_GT(chips.size(), 20U);
  EXPECT_LT(static_cast<std::int64_t>(chips.size()), space::combinations(question.space));
  // Memory matters, and some values are equal.
  std::size_t needs_more = 0;
  std::map<double, int> equal;
  for (const std::int64_t index : chips) {
    const std::vector<Bytes>& sizes = question.space.training.hbm_capacities;
    const double most = two_models()[0].at({index, sizes.back()});
    EXPECT_GT(most, 0);
    needs_more += two_models()[0].at({index, sizes.front()}) < most ? 1 : 0;
    ++equal[most];
  }
  EXPECT_GT(needs_more, 0U);
  EXPECT_LT(equal.size(), chips.size());
}

TEST(ChipSearch, FindsWhatPlanningEveryChipFinds) {
  for (const std::string& model : kModels) {
    const std::size_t at = model == kModels[0] ? 0 : 1;
    for (const Objective objective : kAllObjectives) {
      SearchQuestion question = small_question({model});
      question.objective = objective;
      const Chosen chosen = choose(question, [&](std::int64_t index, Bytes memory) {
        return two_models()[at].at({index, memory});
      });
      for (const bool use_dominance : {false, true}) {
        if (use_dominance && objective != Objective::kThroughput) {
          continue;  // where more costs more, no chip is excluded by another
        }
        for (const bool use_bounds : {false, true}) {
          SearchOptions options;
          options.use_dominance = use_dominance;
          options.use_bounds = use_bounds;
          const SearchAnswer answer = search_small(question, options);
          const std::string what = model + " " + std::string(to_string(objective)) +
                                   (use_dominance ? " dominance" : "") +
                                   (use_bounds ? " bounds" : "");
          expect_same(answer, answer.own_best[0], chosen, what);
          EXPECT_GE(answer.own[0].bound, chosen.value * (1 - 1e-12)) << what;
          EXPECT_EQ(answer.own[0].evaluated + answer.own[0].excluded + answer.own[0].dominated,
                    answer.chips.size());
          if (!use_dominance && !use_bounds) {
            EXPECT_EQ(answer.own[0].evaluated, answer.chips.size()) << what;
          }
        }
      }
    }
  }
}

// The best of the chips whose dies cost no more than a budget, chosen by hand.
TEST(ChipSearch, ObeysABudgetOnDieCost) {
  const SearchQuestion whole = small_question({kModels[0]});
  const auto die_cost = [&](std::int64_t index) {
    const hw::Chip chip = space::make_chip(whole.space, index);
    return hw::compute_figures(chip, whole.space.technology).value().cost.logic;
  };
  Dollars budget = die_cost(choose(whole, [](std::int64_t index, Bytes memory) {
                              return two_models()[0].at({index, memory});
                            }).index);
  for (int step = 0; step < 3; ++step) {
    budget = Dollars(budget.value() * (1 - 1e-9));  // the last winner is just too dear
    const Chosen chosen = choose(whole, [&](std::int64_t index, Bytes memory) {
      return die_cost(index) <= budget ? two_models()[0].at({index, memory}) : 0;
    });
    ASSERT_GE(chosen.index, 0);
    SearchQuestion question = whole;
    question.space.budgets.die_cost = budget;
    for (const bool use_rules : {false, true}) {
      SearchOptions options;
      options.use_bounds = options.use_dominance = use_rules;
      const SearchAnswer answer = search_small(question, options);
      expect_same(answer, answer.own_best[0], chosen, use_rules ? "rules" : "all chips");
      EXPECT_LT(answer.chips.size(), two_models()[0].size() / 2);
    }
    budget = die_cost(chosen.index);
  }
}

// Every figure of every chip that is not evaluated holds as a bound.
TEST(ChipSearch, BoundsHoldOnEveryChip) {
  for (const Objective objective : kAllObjectives) {
    SearchQuestion question = small_question({kModels[0]});
    question.objective = objective;
    const SearchAnswer answer = search_small(question);
    for (std::size_t i = 0; i < answer.chips.size(); ++i) {
      const SearchChip& chip = answer.chips[i];
      const Bytes memory = chip.memory.value_or(question.space.training.hbm_capacities.back());
      const double value = two_models()[0].at({chip.index, memory}) /
                           price_by_hand(objective, candidate_of(question, chip.index, memory));
      const ChipOutcome& outcome = answer.own[0].outcomes[i];
      EXPECT_LE(value, outcome.value * (1 + 1e-12)) << to_string(objective) << " " << i;
      if (outcome.state == ChipState::kEvaluated) {
        EXPECT_NEAR(value, outcome.value, 1e-12 * value);
      }
    }
  }
}

// With the second model `weight` times as important as the first.
double combine_by_hand(Combination combination, const std::vector<double>& shares, double weight) {
  switch (combination) {
    case Combination::kMean:
    case Combination::kRaw:
      return (shares[0] + weight * shares[1]) / (1 + weight);
    case Combination::kGeometric:
      return std::pow(shares[0] * std::pow(shares[1], weight), 1 / (1 + weight));
    case Combination::kWorst:
      return std::min(shares[0], shares[1]);
  }
  return 0;
}

TEST(ChipSearch, FindsTheCommonChip) {
  for (const Objective objective : {Objective::kThroughput, Objective::kPerDollar}) {
    for (const Combination combination : kAllCombinations) {
      if (objective != Objective::kThroughput && combination != Combination::kMean) {
        continue;  // one will do
      }
      for (const double weight : {1.0, 7.0}) {
        SearchQuestion question = small_question(kModels);
        question.models[1].weight = weight;
        question.objective = objective;
        question.combination = combination;
        // What throughputs are divided by: of the reference chip, or of each model's own best.
        std::vector<double> scale = {1, 1};
        for (std::size_t i = 0; i < 2; ++i) {
          if (combination == Combination::kWorst) {
            const Chosen own = choose(question, [&](std::int64_t index, Bytes memory) {
              return two_models()[i].at({index, memory});
            });
            scale[i] = two_models()[i].at({own.index, own.memory});
          } else if (combination != Combination::kRaw) {
            PlanSetting setting = question.models[i].setting;
            setting.chip = question.reference;
            scale[i] = static_cast<double>(setting.global_batch) /
                       find_plan(setting).plans.at(0).iteration.value();
          }
        }
        const Chosen chosen = choose(question, [&](std::int64_t index, Bytes memory) {
          std::vector<double> shares;
          for (std::size_t i = 0; i < 2; ++i) {
            shares.push_back(two_models()[i].at({index, memory}) / scale[i]);
          }
          return combine_by_hand(combination, shares, weight);
        });
        for (const bool use_rules : {false, true}) {
          if (weight != 1 && (!use_rules || objective != Objective::kThroughput)) {
            continue;  // to be quick
          }
          SearchOptions options;
          options.use_dominance = options.use_bounds = use_rules;
          const SearchAnswer answer = search_small(question, options);
          const std::string what =
              std::string(to_string(objective)) + " " + std::string(to_string(combination));
          ASSERT_TRUE(answer.common) << what;
          expect_same(answer, answer.common_best, chosen, what);
        }
      }
    }
  }
}

TEST(ChipSearch, DoesNotDependOnThreads) {
  SearchQuestion question = small_question(kModels);
  std::vector<SearchAnswer> answers;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { answers.push_back(search_small(question)); });
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answers[0].own_best[i]->chip, answers[1].own_best[i]->chip);
    EXPECT_EQ(answers[0].own[i].evaluated, answers[1].own[i].evaluated);
    EXPECT_EQ(answers[0].own[i].excluded, answers[1].own[i].excluded);
  }
  EXPECT_EQ(answers[0].common_best->chip, answers[1].common_best->chip);
  EXPECT_EQ(answers[0].common_best->value, answers[1].common_best->value);
  EXPECT_EQ(answers[0].common->bound, answers[1].common->bound);
  EXPECT_EQ(answers[0].common->evaluated, answers[1].common->evaluated);
}

TEST(ChipSearch, WhatIsKnownIsNotFoundAgainAndChangesNothing) {
  const SearchQuestion question = small_question(kModels);
  std::vector<Known> found;
  SearchOptions first;
  first.keep = [&](const std::vector<Known>& some) {
    found.insert(found.end(), some.begin(), some.end());
  };
  const SearchAnswer whole = search_small(question, first);
  ASSERT_GT(found.size(), 4U);
  for (const std::size_t known : {found.size() / 2, found.size()}) {
    SearchOptions second;
    second.known.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(known));
    std::size_t again = 0;
    second.keep = [&](const std::vector<Known>& some) { again += some.size(); };
    const SearchAnswer answer = search_small(question, second);
    EXPECT_EQ(answer.common_best->chip, whole.common_best->chip);
    EXPECT_EQ(answer.common_best->value, whole.common_best->value);
    // All whose value is known count as evaluated: the number never falls.
    std::set<std::size_t> exact;
    for (const Known& each : second.known) {
      if (each.model == 0 && each.value.is_exact) {
        exact.insert(each.chip);
      }
    }
    EXPECT_GT(exact.size(), 0U);
    EXPECT_GE(answer.own[0].evaluated, exact.size());
    if (known == found.size()) {
      EXPECT_GE(answer.own[0].evaluated, whole.own[0].evaluated);
      EXPECT_GE(answer.common->evaluated, whole.common->evaluated);
    }
    // What was known only as far as it was needed may be looked at once more.
    EXPECT_LE(again, found.size() - known / 2);
  }
}

// With a model that fits on no chip there is no common one, however the others do.
TEST(ChipSearch, AChipThatAModelDoesNotFitOnIsNoCommonChip) {
  space::Space space = tests::small_space();
  space.training.hbm_capacities.resize(1);  // 1 GiB
  for (const Combination combination : kAllCombinations) {
    SearchQuestion question = small_question({"bert-large", "gpt2-xl"}, space);
    question.models[0].setting.devices = question.models[1].setting.devices = 2;
    question.combination = combination;
    const SearchAnswer answer = search_small(question);
    EXPECT_TRUE(answer.own_best[0]);
    EXPECT_FALSE(answer.own_best[1]);
    EXPECT_FALSE(answer.common_best) << to_string(combination);
    const plan::SearchRecord record = make_search_record(question, answer);
    EXPECT_FALSE(record.common);
    EXPECT_EQ(record.own.size(), 1U);
  }
}

// A chip whose plans are not proved could be as good as its bound, also where what was found of it
// is worse than the best chip: it is not excluded by what was found.
TEST(ChipSearch, WhatIsFoundOfAChipIsNoBound) {
  const SearchQuestion question = small_question({kModels[0]});
  const std::vector<SearchChip> chips = list_search_chips(question);
  SearchOptions options;
  ChipValue open;
  open.throughput = 1;
  open.most = 2;
  options.known = {{0, 3, open}};
  ChipKnowledge knowledge(question, chips, options);
  EXPECT_EQ(knowledge.bound(0, 3), open.most);
}

TEST(ChipSearch, StoppedInTheMiddleItSaysWhatIsOpen) {
  for (const bool use_bounds : {false, true}) {
    SearchQuestion question = small_question({kModels[1]});
    question.objective = Objective::kPerWatt;
    const double best = search_small(question).own_best[0]->value;
    SearchOptions options;
    options.use_bounds = use_bounds;
    // After the first batch of chips that finds one.
    options.is_cancelled = [](const SearchOptions::Progress& at) { return at.best > 0; };
    const SearchAnswer answer = search_small(question, options);
    ASSERT_FALSE(answer.is_complete);
    ASSERT_TRUE(answer.own_best[0]);
    EXPECT_GE(answer.own[0].bound, best);
    EXPECT_TRUE(std::isfinite(answer.own[0].bound));
    EXPECT_LE(answer.own[0].evaluated + answer.own[0].excluded, 32U);
    EXPECT_GE(answer.own[0].evaluated + answer.own[0].excluded, 16U);
  }
}

TEST(ChipSearch, TheSecondLookAgrees) {
  for (const Objective objective : {Objective::kThroughput, Objective::kPerCarbon}) {
    SearchQuestion question = small_question({kModels[0]});
    question.objective = objective;
    const SearchAnswer answer = search_small(question);
    EXPECT_EQ(verify_search(question, answer).size(), 1U);
    // And finds what is wrong: a bound that does not hold.
    SearchAnswer wrong = answer;
    ChipOutcome& outcome = wrong.own[0].outcomes[*wrong.own[0].best == 0 ? 1 : 0];
    outcome.state = ChipState::kExcluded;
    outcome.value = 0;
    EXPECT_THROW(verify_search(question, wrong), std::logic_error);
  }
}

// Rows can make a model slower, so that a chip with more of them excludes none.
TEST(ChipSearch, TheSecondLookRefusesAWitnessWithMoreRows) {
  const SearchQuestion question = small_question({kModels[0]});
  SearchAnswer answer = search_small(question);
  const auto rows_of = [&](std::size_t chip) {
    return space::make_chip(question.space, answer.chips[chip].index).tensor.rows;
  };
  for (std::size_t i = 0; i < answer.chips.size(); ++i) {
    ChipOutcome& outcome = answer.own[0].outcomes[i];
    for (std::size_t j = 0; outcome.state == ChipState::kDominated && j < answer.chips.size();
         ++j) {
      // The same chip with more rows is two places on: the last axis but one.
      if (answer.chips[j].index == answer.chips[i].index + 2 && rows_of(j) > rows_of(i)) {
        outcome.dominator = j;
        EXPECT_THROW(verify_search(question, answer), std::logic_error);
        return;
      }
    }
  }
  FAIL() << "no such pair of chips";
}

}  // namespace
}  // namespace phaze::search
