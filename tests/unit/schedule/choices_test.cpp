#include "schedule/choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "schedule/at_once.h"
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
  ChoiceRules rules;
  rules.not_wide = not_wide;
  rules.twins = twins ? ~Mask{0} : 0;
  return text(list_choices(piece, state, bounds, rules, limit));
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

// Task 0 runs until 10. Task 1 ends before it and there is a core for all others: it starts now.
TEST(ListChoices, StartsAtOnceWhatIsInNobodysWay) {
  const auto choices_at_once = [](const Piece& piece) {
    State state(piece);
    state.add(0, {0, false});
    Bounds bounds(piece);
    AtOnce at_once(piece);
    ChoiceRules rules;
    rules.at_once = &at_once;
    return text(list_choices(piece, state, bounds, rules, kNever));
  };
  EXPECT_EQ(choices_at_once(piece_of(3, {on_tensor(10), on_tensor(3), on_tensor(12)})), "1");
  // Too few cores: either of them may have to wait.
  EXPECT_EQ(choices_at_once(piece_of(2, {on_tensor(10), on_tensor(3), on_tensor(12)})), "1 2");
  // It would hold up a wide task longer than task 0 does.
  EXPECT_EQ(choices_at_once(piece_of(3, {on_tensor(10), on_tensor(13), on_tensor(20, 11)})),
            "1 2 2w");
  // The wide one itself may be better off later.
  EXPECT_EQ(choices_at_once(piece_of(3, {on_tensor(10), on_tensor(3), on_tensor(20, 11)})), "1");
  // What waits for it cannot start before its end.
  Piece piece = piece_of(2, {on_tensor(10), on_tensor(3), on_tensor(12)});
  join(piece, 1, 2);
  EXPECT_EQ(choices_at_once(piece), "1");
}

TEST(ListChoices, WidthsAndLimits) {
  const Piece piece = piece_of(2, {on_tensor(6, 4), on_tensor(5)});
  State state(piece);
  EXPECT_EQ(choices_of(piece, state, true).find("0w") != std::string::npos, true);
  EXPECT_EQ(choices_of(piece, state, true, bit(0)).find("0w"), std::string::npos);
  EXPECT_EQ(choices_of(piece, state, true, 0, 6), "");  // nothing ends before 6
}

// What is left out, by left shifts, with twins and by what starts at once, leaves an optimum; and
// the bounds of choices hold.
TEST(ListChoices, KeepAnOptimum) {
  for (const bool exclusive : {false, true}) {
    tests::ScheduleProblemOptions options;
    options.least_tasks = 2;
    options.most_tasks = 5;
    options.exclusive = exclusive;
    std::int64_t all = 0;
    std::int64_t kept = 0;
    std::int64_t kept_of_twins = 0;
    std::int64_t kept_at_once = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Piece piece = tests::random_piece(seed, options).piece;
      State state(piece);
      const Time best = tests::earliest_end(piece, state, [&](const State& at) {
        const std::vector<tests::Step> steps = tests::all_steps(piece, at);
        all += static_cast<std::int64_t>(steps.size());
        return steps;
      });
      for (const int rule : {0, 1, 2}) {
        Bounds bounds(piece);
        AtOnce at_once(piece);
        ChoiceRules rules;
        rules.twins = rule == 1 ? ~Mask{0} : 0;
        rules.at_once = rule == 2 ? &at_once : nullptr;
        const auto chosen = [&](const State& at) {
          State copy = at;
          std::vector<tests::Step> steps;
          for (const Choice& choice : list_choices(piece, copy, bounds, rules, kNever)) {
            EXPECT_EQ(choice.start.at, at.earliest(choice.task, choice.start.wide)) << seed;
            steps.push_back({choice.task, choice.start.wide});
          }
          (rule == 0   ? kept
           : rule == 1 ? kept_of_twins
                       : kept_at_once) += static_cast<std::int64_t>(steps.size());
          return steps;
        };
        ASSERT_EQ(tests::earliest_end(piece, state, chosen), best) << seed << " " << rule;
      }
    }
    EXPECT_LT(kept, all);
    EXPECT_LT(kept_of_twins, kept);
    EXPECT_LT(kept_at_once, kept);
  }
}

}  // namespace
}  // namespace phaze::schedule
