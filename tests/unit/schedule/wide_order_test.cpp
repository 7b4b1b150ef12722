#include "schedule/wide_order.h"

#include <gtest/gtest.h>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

PieceTask on_tensor(Time one, Time all) {
  PieceTask task;
  task.one = one;
  task.all = all;
  task.needs = {true, false};
  return task;
}

Piece piece_of(std::vector<PieceTask> tasks) {
  Piece piece;
  piece.cores = {2, 1};
  piece.tasks = std::move(tasks);
  return piece;
}

TEST(WideOrder, IsOffWhereSomethingRunsBesideWideTasks) {
  Piece piece = piece_of({on_tensor(4, 2), on_tensor(4, 2)});
  EXPECT_TRUE(WideOrder(piece, true).is_on());
  EXPECT_FALSE(WideOrder(piece, false).is_on());
  piece.exclusive_wide = false;
  EXPECT_FALSE(WideOrder(piece, true).is_on());
  piece.exclusive_wide = true;
  PieceTask network;
  network.one = 1;
  network.is_network = true;
  piece.tasks.push_back(network);
  EXPECT_FALSE(WideOrder(piece, true).is_on());
  piece.tasks.back().one = 0;  // runs beside nothing
  EXPECT_TRUE(WideOrder(piece, true).is_on());
}

TEST(WideOrder, WideTasksInRisingOrder) {
  const Piece piece = piece_of({on_tensor(4, 2), on_tensor(4, 2), on_tensor(4, 2)});
  WideOrder order(piece, true);
  order.add(1, true, 0);
  const WideOrder::Forbidden after_one = order.forbidden(bit(1));
  EXPECT_TRUE(after_one.now == bit(0));
  // A segment now could have come after any of them.
  EXPECT_TRUE(after_one.later == (bit(0) | bit(2)));
}

TEST(WideOrder, NoWideTaskBehindASegmentThatItCouldHaveComeBefore) {
  Piece piece = piece_of({on_tensor(4, 2), on_tensor(4, 2), on_tensor(4, 2)});
  piece.tasks[0].after = bit(2);
  piece.tasks[2].before = bit(0);
  WideOrder order(piece, true);
  const WideOrder::Past before = order.past();
  order.add(0, false, 0);
  EXPECT_TRUE(order.narrow() == (bit(0) | bit(1)));
  EXPECT_TRUE(order.forbidden(bit(0)).now == bit(1));  // the last one had to wait
  order.restore(before);
  EXPECT_TRUE(order.narrow() == 0);
  EXPECT_TRUE(order.forbidden(0).now == 0);
}

// The orders that are left hold an optimum, and are fewer.
TEST(WideOrder, KeepsAnOptimum) {
  tests::ScheduleProblemOptions options;
  options.least_tasks = 2;
  options.most_tasks = 5;
  options.exclusive = true;
  std::int64_t steps_of_all = 0;
  std::int64_t steps_in_order = 0;
  int on = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Piece piece = tests::random_piece(seed, options).piece;
    WideOrder order(piece, true);
    State state(piece);
    const auto all = [&](const State& at) {
      const std::vector<tests::Step> steps = tests::all_steps(piece, at);
      steps_of_all += static_cast<std::int64_t>(steps.size());
      return steps;
    };
    const auto in_order = [&](const State& at) {
      const std::vector<tests::Step> steps =
          tests::all_steps(piece, at, order.forbidden(at.scheduled()).now);
      steps_in_order += static_cast<std::int64_t>(steps.size());
      return steps;
    };
    std::vector<WideOrder::Past> pasts;
    tests::Visit visit;
    visit.add = [&](const tests::Step& step, Mask scheduled) {
      pasts.push_back(order.past());
      order.add(step.task, step.wide, scheduled);
    };
    visit.remove = [&] {
      order.restore(pasts.back());
      pasts.pop_back();
    };
    ASSERT_EQ(tests::earliest_end(piece, state, in_order, visit),
              tests::earliest_end(piece, state, all))
        << seed;
    on += order.is_on() ? 1 : 0;
  }
  EXPECT_GT(on, 100);
  EXPECT_LT(steps_in_order, steps_of_all * 3 / 4);
}

}  // namespace
}  // namespace phaze::schedule
