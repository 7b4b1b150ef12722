// Windows hold every schedule that ends before the limit.
#include "schedule/squeeze.h"

#include <gtest/gtest.h>

#include <map>

#include "support/pieces.h"

namespace phaze::schedule {
namespace {

// By the rule for wide tasks.
class Squeeze : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Rules, Squeeze, testing::Bool(),
                         [](const auto& rule) { return rule.param ? "Exclusive" : "Shared"; });

tests::PieceCase random_piece(std::uint64_t seed, bool exclusive) {
  tests::ScheduleProblemOptions options;
  options.least_tasks = 3;
  options.most_tasks = 6;
  options.most_cores = 3;
  options.exclusive = exclusive;
  return tests::random_piece(seed, options);
}

// Calls for every schedule in widths that are of use, each task as early as it can but no earlier
// than the one before.
void visit_schedules(const Piece& piece, const Widths& widths, State& state,
                     std::vector<Start>& starts,
                     const std::function<void(Time end, const std::vector<Start>&)>& visit) {
  if (state.scheduled() == all_of(piece)) {
    visit(state.latest_end(), starts);
    return;
  }
  for (const tests::Step& step : tests::all_steps(piece, state)) {
    if (((step.wide ? widths.wide : widths.one) & bit(step.task)) == 0) {
      continue;
    }
    starts[step.task] = {state.earliest(step.task, step.wide), step.wide};
    const State::Undo undo = state.add(step.task, starts[step.task]);
    visit_schedules(piece, widths, state, starts, visit);
    state.remove(step.task, step.wide, undo);
  }
}

bool holds(const Piece& piece, const Squeezer& windows, const std::vector<Start>& starts) {
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto [at, wide] = starts[i];
    const Mask widths = wide ? windows.widths().wide : windows.widths().one;
    if (at < windows.first_start(i) || at + duration(piece.tasks[i], wide) > windows.last_end(i) ||
        (widths & bit(i)) == 0) {
      return false;
    }
  }
  return true;
}

TEST_P(Squeeze, LosesNoScheduleBeforeTheLimit) {
  std::size_t schedules = 0, refuted = 0, smaller = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    const Piece piece = random_piece(seed, GetParam()).piece;
    const Order order = find_order(predecessors(piece)).value();
    const Widths useful = useful_widths(piece, {});
    const Time best = tests::best_of(piece);
    Squeezer windows(piece, order);
    refuted += windows.run(best, {}) ? 0 : 1;
    for (const Time limit : {best + best / 5 + 2, best + 1}) {
      ASSERT_TRUE(windows.run(limit, {}));
      for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
        smaller += windows.last_end(i) < limit - 1 ? 1 : 0;
      }
      State state(piece);
      std::vector<Start> starts(piece.tasks.size());
      visit_schedules(piece, useful, state, starts, [&](Time end, const auto& each) {
        if (end < limit) {
          ASSERT_TRUE(holds(piece, windows, each)) << limit;
          ++schedules;
        }
      });
    }
  }
  EXPECT_GT(schedules, 2'000U);
  EXPECT_GT(refuted, GetParam() ? 200U : 300U);  // all that is below the best
  EXPECT_GT(smaller, 1'000U);
}

// With less time, fewer widths or one task before another they hold what is left; and going back
// brings the first ones back.
TEST_P(Squeeze, HoldsWhatIsLeftOfThem) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const Piece piece = random_piece(seed, GetParam()).piece;
    const Order order = find_order(predecessors(piece)).value();
    const Time best = tests::best_of(piece);
    const Time limit = best + best / 5 + 2;
    Rng rng(seed);
    Squeezer windows(piece, order);
    ASSERT_TRUE(windows.run(limit, {}));
    const Squeezer::Mark mark = windows.mark();
    const std::size_t task = rng.below(piece.tasks.size());
    const std::size_t other = rng.below(piece.tasks.size());
    const bool wide = rng.below(2) == 0;
    const bool is_open = (windows.widths().one & windows.widths().wide & bit(task)) != 0;
    const bool has_order = task != other && (windows.related(task) & bit(other)) == 0;
    const Widths useful = useful_widths(piece, {});
    const auto all_are_held = [&](bool may_be, const auto& allows) {
      State state(piece);
      std::vector<Start> starts(piece.tasks.size());
      visit_schedules(piece, useful, state, starts, [&](Time end, const auto& each) {
        if (end < limit && allows(end, each)) {
          ASSERT_TRUE(may_be && holds(piece, windows, each));
        }
      });
    };
    const bool is_less = windows.limit_to(best + 1);
    all_are_held(is_less, [&](Time end, const auto&) { return end <= best; });
    windows.go_back(mark);
    if (is_open) {
      ++seen["width"];
      const bool is_one = windows.leave_out(task, wide);
      all_are_held(is_one, [&](Time, const auto& each) { return each[task].wide != wide; });
      windows.go_back(mark);
    }
    if (has_order) {
      ++seen["order"];
      const bool is_before = windows.put_before(task, other);
      all_are_held(is_before, [&](Time, const auto& each) {
        return each[task].at + duration(piece.tasks[task], each[task].wide) <= each[other].at;
      });
      windows.go_back(mark);
    }
    all_are_held(true, [](Time, const auto&) { return true; });
  }
  EXPECT_GT(seen["width"], 30);
  EXPECT_GT(seen["order"], 30);
}

// Numbers that core time cannot be counted in: nothing is said, and nothing wrong.
TEST(SqueezeLimits, SaysNothingOfTimesOutOfRange) {
  Piece piece;
  piece.exclusive_wide = false;
  piece.cores = {1'000'000, 1};
  for (int i = 0; i < 3; ++i) {
    piece.tasks.push_back({.one = Time{1} << 52, .needs = {true, false}});
  }
  const Order order = find_order(predecessors(piece)).value();
  Squeezer windows(piece, order);
  EXPECT_TRUE(windows.run((Time{1} << 52) + 1, {}));
  EXPECT_FALSE(windows.run(Time{1} << 52, {}));
}

}  // namespace
}  // namespace phaze::schedule
