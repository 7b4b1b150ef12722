#include "schedule/state.h"

#include <gtest/gtest.h>

#include "support/pieces.h"
#include "support/schedule_brute_force.h"

namespace phaze::schedule {
namespace {

PieceTask task(Time one, bool tensor, bool vector, Time all = kNever) {
  PieceTask t;
  t.one = one;
  t.all = all;
  t.needs = {tensor, vector};
  return t;
}

Piece two_and_one(bool exclusive, std::vector<PieceTask> tasks) {
  Piece piece;
  piece.cores = {2, 1};
  piece.exclusive_wide = exclusive;
  piece.tasks = std::move(tasks);
  return piece;
}

TEST(ScheduleState, CoresOfAKindInTurn) {
  const Piece piece =
      two_and_one(false, {task(5, true, false), task(3, true, false), task(4, true, false),
                          task(2, true, true), task(1, false, true)});
  State state(piece);
  EXPECT_EQ(state.earliest(1, false), 0);
  state.add(0, {0, false});
  EXPECT_EQ(state.earliest(1, false), 0);
  state.add(1, {0, false});
  EXPECT_EQ(state.earliest(2, false), 3);  // when the first core is free
  EXPECT_EQ(state.earliest(3, false), 3);  // a core of each kind
  EXPECT_EQ(state.earliest(4, false), 0);  // the other kind
  state.add(2, {3, false});
  EXPECT_EQ(state.earliest(3, false), 5);
  EXPECT_EQ(state.earliest(4, false), 3);  // starts do not go back
  EXPECT_EQ(state.latest_end(), 7);
  EXPECT_EQ(state.end(2), 7);
  EXPECT_TRUE(state.is_scheduled(2));
  EXPECT_FALSE(state.is_scheduled(3));
}

TEST(ScheduleState, WideTasks) {
  for (const bool exclusive : {false, true}) {
    const Piece piece = two_and_one(exclusive, {task(6, false, true), task(9, true, false, 4),
                                                task(1, true, false), task(1, false, true)});
    State state(piece);
    const State::Undo undo = state.add(0, {0, false});
    // Beside a task of the other kind only where wide ones exclude nothing.
    EXPECT_EQ(state.earliest(1, true), exclusive ? 6 : 0);
    EXPECT_EQ(state.earliest(1, false), 0);
    state.remove(0, false, undo);
    state.add(1, {0, true});
    EXPECT_EQ(state.earliest(2, false), 4);
    EXPECT_EQ(state.earliest(3, false), exclusive ? 4 : 0);
    EXPECT_EQ(state.wide_end(kTensor), 4);
    EXPECT_EQ(state.wide_end(kVector), 0);
  }
}

TEST(ScheduleState, NetworkNothingAndNoTime) {
  Piece piece =
      two_and_one(true, {task(3, false, false), task(2, false, false), task(7, true, false, 2),
                         task(0, true, false), task(5, false, false)});
  piece.tasks[0].is_network = piece.tasks[1].is_network = true;
  State state(piece);
  state.add(0, {0, false});
  EXPECT_EQ(state.earliest(1, false), 3);  // one at a time
  EXPECT_EQ(state.earliest(2, true), 0);   // beside a wide one
  state.add(2, {0, true});
  EXPECT_EQ(state.earliest(1, false), 3);
  EXPECT_EQ(state.earliest(3, false), 0);  // takes no time, and no core
  EXPECT_EQ(state.earliest(4, false), 0);  // occupies nothing
  EXPECT_EQ(state.network_end(), 3);
}

TEST(ScheduleState, WaitsForWhatComesBefore) {
  Piece piece = two_and_one(true, {task(3, true, false), task(1, true, false)});
  piece.tasks[0].after = bit(1);
  piece.tasks[1].before = bit(0);
  State state(piece);
  EXPECT_TRUE(state.is_eligible(0));
  EXPECT_FALSE(state.is_eligible(1));
  state.add(0, {0, false});
  EXPECT_FALSE(state.is_eligible(0));
  EXPECT_TRUE(state.is_eligible(1));
  EXPECT_EQ(state.earliest(1, false), 3);
}

// Taken back, nothing of a step is left.
TEST(ScheduleState, RemoveUndoesAdd) {
  tests::ScheduleProblemOptions options;
  options.most_tasks = 10;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Piece piece = tests::random_piece(seed, options).piece;
    Rng rng(seed);
    State state = tests::random_state(piece, rng);
    const State before = state;
    for (const tests::Step& step : tests::all_steps(piece, state)) {
      const State::Undo undo =
          state.add(step.task, {state.earliest(step.task, step.wide), step.wide});
      state.remove(step.task, step.wide, undo);
      ASSERT_EQ(state.scheduled() == before.scheduled(), true) << seed;
      ASSERT_EQ(state.last_start(), before.last_start()) << seed;
      ASSERT_EQ(state.latest_end(), before.latest_end()) << seed;
      ASSERT_EQ(state.network_end(), before.network_end()) << seed;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        ASSERT_EQ(state.running(kind), before.running(kind)) << seed;
        ASSERT_EQ(state.wide_end(kind), before.wide_end(kind)) << seed;
      }
    }
  }
}

// All orders of starts, each task as early as it can: the optimum is among them.
TEST(ScheduleState, ReachesTheOptimum) {
  for (const bool exclusive : {false, true}) {
    tests::ScheduleProblemOptions options;
    options.most_tasks = 5;
    options.exclusive = exclusive;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const tests::PieceCase made = tests::random_piece(seed, options);
      State state(made.piece);
      const Time found = tests::earliest_end(
          made.piece, state, [&](const State& at) { return tests::all_steps(made.piece, at); });
      ASSERT_EQ(found, tests::solve_schedule_by_brute_force(made.problem).makespan.value()) << seed;
    }
  }
}

}  // namespace
}  // namespace phaze::schedule
