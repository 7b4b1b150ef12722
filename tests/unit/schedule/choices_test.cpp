#include "schedule/choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

PieceTask on_tensor(Time one, Time all = kNever) {
  PieceTask task;
  task.one = one;
  task.all = all;
  task.needs = {true, false};
  return task;
}

Piece piece_of(std::int64_t cores, std::vector<PieceTask> tasks) {
  Piece piece;
  piece.cores = {cores, 0};
  piece.tasks = std::move(tasks);
  return piece;
}

void join(Piece& piece, std::size_t before, std::size_t after) {
  piece.tasks[before].after |= bit(after);
  piece.tasks[after].before |= bit(before);
}

// By task: "0 1w" is task 0 on one core, or task 1 wide.
std::string text(std::vector<Choice> choices) {
  std::ranges::sort(choices, {},
                    [](const Choice& choice) { return std::pair(choice.task, choice.start.wide); });
  std::string all;
  for (const Choice& choice : choices) {
    all += (all.empty() ? "" : " ") + std::to_string(choice.task) + (choice.start.wide ? "w" : "");
  }
  return all;
}

std::string choices_of(const Piece& piece, State& state, bool twins, Mask not_wide = 0,
                       Time limit = kNever) {
  Bounds bounds(piece);
  return text(list_choices(piece, state, bounds, not_wide, 0, twins, limit));
}

TEST(ListChoices, LeavesOutWhatALeftShiftMakesNoWorse) {
  // Core 0 is taken until 10: task 1 could end before task 2, which waits for task 0, begins.
  Piece piece = piece_of(2, {on_tensor(10), on_tensor(3), on_tensor(1)});
  join(piece, 0, 2);
  State state(piece);
  state.add(0, {0, false});
  EXPECT_EQ(choices_of(piece, state, false), "1");
  // Longer than the wait, it may come later.
  piece.tasks[1].one = 11;
  EXPECT_EQ(choices_of(piece, state, false), "1 2");
}

TEST(ListChoices, TakesOneOfTwins) {
  Piece piece = piece_of(1, {on_tensor(2), on_tensor(2), on_tensor(3)});
  State state(piece);
  EXPECT_EQ(choices_of(piece, state, true), "0 2");
  EXPECT_EQ(choices_of(piece, state, false), "0 1 2");
  // What waits for the second does not wait for the first: they are no twins.
  piece = piece_of(1, {on_tensor(2), on_tensor(2), on_tensor(3)});
  join(piece, 1, 2);
  State other(piece);
  EXPECT_EQ(choices_of(piece, other, true), choices_of(piece, other, false));
  // The other way round they are.
  piece = piece_of(1, {on_tensor(2), on_tensor(2), on_tensor(3)});
  join(piece, 0, 2);
  State third(piece);
  EXPECT_EQ(choices_of(piece, third, true), "0");
}

TEST(ListChoices, WidthsAndLimits) {
  const Piece piece = piece_of(2, {on_tensor(6, 4), on_tensor(5)});
  State state(piece);
  EXPECT_EQ(choices_of(piece, state, true).find("0w") != std::string::npos, true);
  EXPECT_EQ(choices_of(piece, state, true, bit(0)).find("0w"), std::string::npos);
  EXPECT_EQ(choices_of(piece, state, true, 0, 6), "");  // nothing ends before 6
}

// What is left out, by left shifts and with twins, leaves an optimum; and the bounds of choices
// hold.
TEST(ListChoices, KeepAnOptimum) {
  for (const bool exclusive : {false, true}) {
    tests::ScheduleProblemOptions options;
    options.least_tasks = 2;
    options.most_tasks = 5;
    options.exclusive = exclusive;
    std::int64_t all = 0;
    std::int64_t kept = 0;
    std::int64_t kept_of_twins = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Piece piece = tests::random_piece(seed, options).piece;
      State state(piece);
      const Time best = tests::earliest_end(piece, state, [&](const State& at) {
        const std::vector<tests::Step> steps = tests::all_steps(piece, at);
        all += static_cast<std::int64_t>(steps.size());
        return steps;
      });
      for (const bool twins : {false, true}) {
        Bounds bounds(piece);
        const auto chosen = [&](const State& at) {
          State copy = at;
          std::vector<tests::Step> steps;
          for (const Choice& choice : list_choices(piece, copy, bounds, 0, 0, twins, kNever)) {
            EXPECT_EQ(choice.start.at, at.earliest(choice.task, choice.start.wide)) << seed;
            steps.push_back({choice.task, choice.start.wide});
          }
          (twins ? kept_of_twins : kept) += static_cast<std::int64_t>(steps.size());
          return steps;
        };
        ASSERT_EQ(tests::earliest_end(piece, state, chosen), best) << seed << " " << twins;
      }
    }
    EXPECT_LT(kept, all);
    EXPECT_LT(kept_of_twins, kept);
  }
}

}  // namespace
}  // namespace phaze::schedule
