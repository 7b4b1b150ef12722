// More work on schedules of layers that leave open which chip is the best.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "search/chip_search.h"
#include "search/plan_search.h"
#include "search/search_record.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

using tests::small_question;

// More work on the schedules that leave the answer open narrows the gap, and no chip is then better
// with more work on its own.
TEST(MoreWork, NarrowsTheGap) {
  const SearchQuestion question = small_question({"bert-large"});
  SearchOptions no_more;
  no_more.deepens = false;
  const SearchAnswer quick = search_chips(question, list_search_chips(question), no_more);
  EXPECT_GT(quick.own[0].bound, quick.own_best[0]->value);  // there is a gap
  std::vector<SearchAnswer> answers;
  for (const int threads : {1, 2}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { answers.push_back(search_chips(question, list_search_chips(question))); });
  }
  const FoundChip& found = *answers[0].own_best[0];
  EXPECT_GE(answers[0].own[0].bound, found.value);
  EXPECT_LT(answers[0].own[0].bound / found.value, quick.own[0].bound / quick.own_best[0]->value);
  EXPECT_GE(found.value, quick.own_best[0]->value);
  EXPECT_LE(found.value, quick.own[0].bound);
  EXPECT_EQ(found.chip, answers[1].own_best[0]->chip);
  EXPECT_EQ(found.value, answers[1].own_best[0]->value);
  for (const SearchChip& chip : answers[0].chips) {
    PlanSetting setting = question.models[0].setting;
    setting.chip = with_memory(make_chip(question, chip), memories_of(question, chip).back());
    setting.scheduling.work_limit = kMoreNodes[0];
    const PlanAnswer other = find_plan(setting);
    EXPECT_LE(static_cast<double>(setting.global_batch) / other.plans.at(0).iteration.value(),
              found.value * (1 + 1e-12));
  }
  // The plan that is shown is the one that was found.
  const plan::SearchRecord record = make_search_record(question, answers[0]);
  EXPECT_EQ(record.own[0].is_proved(), answers[0].own[0].bound <= found.value);
  EXPECT_NEAR(plan::throughput(record.own[0].plans[0].plan), found.value, 1e-9 * found.value);
}

// Stopped while schedules get more work, the answer is what was known before.
TEST(MoreWork, StoppedItLeavesWhatWasKnown) {
  const SearchQuestion question = small_question({"bert-large"});
  int calls = 0;
  SearchOptions options;
  options.deepens = false;
  options.is_cancelled = [&calls](const SearchOptions::Progress&) { return ++calls < 0; };
  const SearchAnswer quick = search_chips(question, list_search_chips(question), options);
  int left = calls;
  options.deepens = true;
  options.is_cancelled = [&left](const SearchOptions::Progress&) { return --left < 0; };
  const SearchAnswer stopped = search_chips(question, list_search_chips(question), options);
  EXPECT_FALSE(stopped.is_complete);
  ASSERT_TRUE(stopped.own_best[0]);
  EXPECT_GE(stopped.own_best[0]->value, quick.own_best[0]->value);
  EXPECT_GE(stopped.own[0].bound, stopped.own_best[0]->value);
  EXPECT_LE(stopped.own[0].bound, quick.own[0].bound);
}

}  // namespace
}  // namespace phaze::search
