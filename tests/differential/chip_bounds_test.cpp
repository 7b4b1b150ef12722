// Bounds of a model on a chip, each step closer than the one before, against plans of every chip by
// `find_plan`; and looks at a chip that remember earlier ones against looks that do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "search/chip_value.h"
#include "search/plan_search.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

double best_plan(const SearchModel& model, const hw::Chip& chip, Bytes memory,
                 std::int64_t nodes = 0) {
  PlanSetting setting = model.setting;
  setting.chip = with_memory(chip, memory);
  setting.scheduling.work_limit = nodes > 0 ? nodes : setting.scheduling.work_limit;
  const PlanAnswer found = find_plan(setting);
  return found.has_fitting() ? plan::throughput(found.plans.front()) : 0;
}

TEST(ChipBounds, HoldAndComeCloser) {
  for (const bool is_modern : {false, true}) {
    const SearchQuestion question = is_modern ? tests::small_modern_question({"bert-large"})
                                              : tests::small_question({"bert-large"});
    const ModelOnChips model(question.models[0].setting);
    double first = 0, close = 0, best = 0;
    std::size_t looked_at = 0;
    const std::vector<SearchChip> chips = list_search_chips(question);
    for (std::size_t i = 0; i < chips.size(); i += is_modern ? 3 : 1) {
      const hw::Chip chip = make_chip(question, chips[i]);
      const std::vector<Bytes> memories = memories_of(question, chips[i]);
      ChipMemo memo;
      const double bound = model.bound(chip);
      const double closer = model.close_bound(chip, memories.back(), memo);
      const double value = best_plan(question.models[0], chip, memories.back());
      EXPECT_LE(value, closer * (1 + 1e-12)) << i;
      EXPECT_LE(closer, bound * (1 + 1e-12)) << i;
      ASSERT_FALSE(memo.shapes.empty());
      double highest = 0;
      for (const ShapeBound& shape : memo.shapes) {
        highest = std::max(highest, shape.most);
      }
      EXPECT_EQ(highest, closer);
      first += bound;
      close += closer;
      best += value;
      ++looked_at;
    }
    EXPECT_GT(looked_at, 10U);
    EXPECT_LT(close, first);
    EXPECT_LT(best, close);
  }
}

// Step by step, with what earlier looks found, as at once.
TEST(ChipBounds, LooksThatRememberFindTheSame) {
  const SearchQuestion question = tests::small_question({"bert-large"});
  const SearchModel& of = question.models[0];
  const ModelOnChips model(of.setting);
  std::size_t excluded = 0;
  for (const SearchChip& searched : list_search_chips(question)) {
    const hw::Chip chip = make_chip(question, searched);
    const std::vector<Bytes> memories = memories_of(question, searched);
    const ChipValue fresh = model.evaluate(chip, memories, 0);
    ASSERT_NEAR(fresh.throughput, best_plan(of, chip, memories.back()), 1e-12 * fresh.throughput);
    ChipMemo memo;
    model.close_bound(chip, memories.back(), memo);
    // More than it can reach: a bound in most cases, from which the next look goes on.
    const ChipValue above = model.evaluate(chip, memories, {fresh.most * 1.001, 0, {}, &memo});
    EXPECT_GE(above.throughput, fresh.throughput);
    EXPECT_LT(above.throughput, fresh.most * 1.001);
    excluded += above.is_exact ? 0 : 1;
    const ChipValue again = model.evaluate(chip, memories, {0, 0, {}, &memo});
    EXPECT_TRUE(again.is_exact);
    EXPECT_EQ(again.throughput, fresh.throughput);
    EXPECT_EQ(again.memory, fresh.memory);
    // With more work on schedules: no bound of an earlier look was one that better ones pass.
    const ChipValue deeper = model.evaluate(chip, memories, {0, 4'000, {}, &memo});
    const ChipValue deep = model.evaluate(chip, memories, {0, 4'000, {}});
    EXPECT_EQ(deeper.throughput, deep.throughput);
    EXPECT_LE(deeper.throughput, again.most);
    for (std::size_t k = 0; k < memo.shapes.size(); ++k) {
      EXPECT_GE(memo.shapes[k].most, 0);
    }
    EXPECT_GE(std::ranges::max(memo.shapes, {}, &ShapeBound::most).most, deep.throughput);
  }
  EXPECT_GT(excluded, 0U);
}

}  // namespace
}  // namespace phaze::search
