// Chips whose layers are scheduled by the exact search or by an integer program: neither beats the
// other's bound, and where all schedules are proved the same chip wins.
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>

#include "schedule/ilp.h"
#include "search/chip_search.h"
#include "support/search_questions.h"

namespace phaze::search {
namespace {

// One core of a kind, so that programs stay small.
SearchQuestion tiny_question() {
  space::Space space = tests::small_space();
  const std::vector<std::vector<double>> values = {{1}, {1}, {64, 256}, {64}, {1 << 23}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    space.axes[i].values = values[i];
  }
  space.training.microbatches = {1};
  space.training.tensor_widths = {1};
  return tests::small_question({"bert-large"}, space);
}

TEST(ChipSearchSlow, AnIntegerProgramAgrees) {
  if (!schedule::has_ilp()) {
    GTEST_SKIP() << "no solver of integer programs in this build";
  }
  SearchQuestion question = tiny_question();
  const SearchAnswer exact = search_chips(question, list_search_chips(question));
  std::atomic<int> programs = 0, unproved = 0;
  question.models[0].setting.scheduling.solve = [&](const plan::ScheduleProblem& problem,
                                                    const Wanted&) {
    schedule::IlpOptions options;
    options.time_limit = Seconds(1);
    plan::Schedule schedule = schedule::solve_ilp(problem, options);
    ++programs;
    unproved += schedule.status == plan::SolveStatus::kOptimal ? 0 : 1;
    return schedule;
  };
  SearchOptions all;
  all.use_bounds = all.use_dominance = false;
  const SearchAnswer ilp = search_chips(question, list_search_chips(question), all);
  EXPECT_GT(programs, 0);
  ASSERT_TRUE(exact.own_best[0]);
  ASSERT_TRUE(ilp.own_best[0]);
  EXPECT_LE(ilp.own_best[0]->value, exact.own[0].bound * (1 + 1e-9));
  EXPECT_LE(exact.own_best[0]->value, ilp.own[0].bound * (1 + 1e-9));
  EXPECT_LT(unproved, programs);
  std::cout << unproved << " of " << programs << " programs were not proved in time\n";
  if (unproved > 0 || exact.own[0].bound > exact.own_best[0]->value * (1 + 1e-9)) {
    return;
  }
  EXPECT_EQ(ilp.own_best[0]->chip, exact.own_best[0]->chip);
  EXPECT_EQ(ilp.own_best[0]->memory, exact.own_best[0]->memory);
  EXPECT_NEAR(ilp.own_best[0]->value, exact.own_best[0]->value, 1e-9 * exact.own_best[0]->value);
}

}  // namespace
}  // namespace phaze::search
