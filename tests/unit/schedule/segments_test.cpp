// Searches by segments find what trying everything finds: of all schedules, of parts of them, and
// with beams no more than that.
#include "schedule/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "schedule/splits.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

struct Case : tests::PieceCase {
  std::uint64_t seed = 0;
};
// Problems that have segments; in half of them few durations, so that tasks are alike.
std::vector<Case> cases_of(std::uint64_t seeds, std::size_t most) {
  std::vector<Case> cases;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    tests::ScheduleProblemOptions options;
    options.least_tasks = 3;
    options.most_tasks = most;
    options.most_cores = 3;
    options.exclusive = true;
    if (seed % 2 == 0) {
      options.most_time = Picoseconds(6);
    }
    tests::PieceCase made = tests::random_piece(seed, options);
    if (has_segments(made.piece)) {
      cases.push_back({std::move(made), seed});
    }
  }
  return cases;
}

const auto kGoOn = [] { return false; };

struct Found {
  SegmentsAnswer answer;
  PieceAnswer best;
};
Found search(const Piece& piece, const Bounds& bounds, SegmentsQuestion question) {
  Found found;
  found.best.makespan = kNever;
  question.most = question.most == 0 ? 1'000'000 : question.most;
  found.answer = search_segments(piece, bounds, question, found.best, kGoOn);
  return found;
}

TEST(Segments, AreThereWhereNothingRunsBesideWideTasks) {
  PieceTask task;
  task.one = 4;
  task.all = 2;
  task.needs = {true, false};
  Piece piece{{2, 1}, true, {task, task}};
  EXPECT_TRUE(has_segments(piece));
  piece.exclusive_wide = false;
  EXPECT_FALSE(has_segments(piece));
  piece.exclusive_wide = true;
  piece.tasks.emplace_back();  // needs no core
  EXPECT_FALSE(has_segments(piece));
}

TEST(Segments, HoldTheBestSchedule) {
  int tried = 0, beside = 0;
  for (const Case& made : cases_of(1600, 6)) {
    SCOPED_TRACE(made.seed);
    const Piece& piece = made.piece;
    const Time best = tests::best_of(piece);
    for (const Time limit : {kNever, best + 1}) {
      for (const bool has_rates : {false, true}) {
        Bounds bounds(piece);
        bounds.limit_to(limit);
        if (has_rates) {
          RateFinder finder(piece);
          bounds.weigh();
          bounds.rate(finder, 100);
        }
        const Found found = search(piece, bounds, {limit});
        ASSERT_TRUE(found.answer.is_complete);
        ASSERT_EQ(found.best.makespan, best);
        ASSERT_EQ(tests::faults_of(made.problem, found.best.starts, best), "");
        beside += has_rates ? 0 : static_cast<int>(found.answer.work > 1);
      }
    }
    // There is nothing earlier.
    Bounds bounds(piece);
    bounds.limit_to(best);
    if (bounds.root() < best) {
      const Found none = search(piece, bounds, {best});
      EXPECT_TRUE(none.answer.is_complete);
      EXPECT_TRUE(none.best.starts.empty());
    }
    ++tried;
  }
  EXPECT_GT(tried, 300);
  EXPECT_GT(beside, 300);
}

// Parts are told apart by widths and orders: what one half has lost the other must have.
TEST(Segments, HoldTheBestScheduleOfParts) {
  int halves_tried = 0;
  for (const Case& made : cases_of(1200, 6)) {
    SCOPED_TRACE(made.seed);
    const Piece& piece = made.piece;
    const Time best = tests::best_of(piece);
    const Time limit = best + 1 + static_cast<Time>(made.seed % 3);
    std::vector<Part> parts = {whole(piece, 0)};
    RateFinder finder(piece);
    for (int round = 0; round < 4; ++round) {
      std::vector<Part> next;
      Time least = kNever;
      for (const Part& part : parts) {
        Bounds bounds(piece);
        bounds.limit_to(limit, part);
        bounds.rate(finder, 100);
        if (bounds.root() >= limit) {
          continue;
        }
        const Found found = search(piece, bounds, {limit});
        ASSERT_TRUE(found.answer.is_complete);
        if (!found.best.starts.empty()) {
          least = std::min(least, found.best.makespan);
          ASSERT_EQ(tests::faults_of(made.problem, found.best.starts, found.best.makespan), "");
        }
        const auto halves = split(piece, bounds.intervals(), bounds.widths(), bounds.rates(), part);
        if (halves) {
          next.push_back(halves->first);
          next.push_back(halves->second);
          ++halves_tried;
        } else {
          next.push_back(part);
        }
      }
      ASSERT_EQ(least, best) << round;
      parts = std::move(next);
    }
  }
  EXPECT_GT(halves_tried, 500);
}

TEST(Segments, BeamsFindSchedules) {
  int tried = 0, worse = 0;
  for (const Case& made : cases_of(400, 12)) {
    SCOPED_TRACE(made.seed);
    Bounds bounds(made.piece);
    bounds.limit_to(kNever);
    const Found all = search(made.piece, bounds, {});
    ASSERT_TRUE(all.answer.is_complete);
    for (const double guess : {0.0, 0.5, 1.0}) {
      const Found found = search(made.piece, bounds, {kNever, 0, 0, 1, guess});
      ASSERT_EQ(tests::faults_of(made.problem, found.best.starts, found.best.makespan), "");
      ASSERT_GE(found.best.makespan, all.best.makespan);
      ASSERT_TRUE(!found.answer.is_complete || found.best.makespan == all.best.makespan);
      worse += found.best.makespan > all.best.makespan ? 1 : 0;
    }
    ++tried;
  }
  EXPECT_GT(tried, 80);
  EXPECT_GT(worse, 10);
}

// With rules off there are more states, and the same schedule.
TEST(Segments, AreTheSameWithRulesOff) {
  std::int64_t with = 0, without = 0;
  for (const Case& made : cases_of(600, 9)) {
    SCOPED_TRACE(made.seed);
    Bounds bounds(made.piece);
    bounds.limit_to(kNever);
    const Found all = search(made.piece, bounds, {});
    for (const bool dominance : {false, true}) {
      for (const bool twins : {false, true}) {
        const Found found = search(made.piece, bounds, {kNever, 0, 0, 0, 0, dominance, twins});
        ASSERT_TRUE(found.answer.is_complete);
        ASSERT_EQ(found.best.makespan, all.best.makespan) << dominance << twins;
        without += dominance || twins ? 0 : found.answer.work;
      }
    }
    with += all.answer.work;
  }
  EXPECT_LT(with, without);
}

// Of widths that are all given the best schedule is kept, and fewer states are needed.
TEST(Segments, LeaveOutNoScheduleForWantOfRoom) {
  int tried = 0;
  std::int64_t with = 0, without = 0;
  for (const Case& made : cases_of(3000, 7)) {
    SCOPED_TRACE(made.seed);
    const Piece& piece = made.piece;
    Rng rng(made.seed);
    Part part = whole(piece, 0);
    Bounds plain(piece);
    plain.limit_to(kNever, part);
    part.widths = plain.widths();  // others are of no use
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      const bool wide = (part.widths.one & bit(i)) == 0 ||
                        ((part.widths.wide & bit(i)) != 0 && rng.below(4) == 0);
      (wide ? part.widths.one : part.widths.wide) &= ~bit(i);
    }
    const Time best = tests::best_of(piece, [&](const State&, const tests::Step& step) {
      return ((step.wide ? part.widths.wide : part.widths.one) & bit(step.task)) != 0;
    });
    for (const Time limit : {best, best + 1, best + 4}) {
      Bounds bounds(piece);
      bounds.limit_to(limit, part);
      if (bounds.root() >= limit) {
        ASSERT_EQ(limit, best);
        continue;
      }
      const Found found = search(piece, bounds, {limit});
      ASSERT_TRUE(found.answer.is_complete);
      ASSERT_EQ(found.best.makespan, limit == best ? kNever : best) << limit - best;
      with += found.answer.work;
      without += search(piece, bounds, {.limit = limit, .room = false}).answer.work;
      ++tried;
    }
  }
  EXPECT_GT(tried, 1000);
  EXPECT_LT(with, without);
}

// Where nothing is known of widths the best schedule is kept too.
TEST(Segments, LeaveOutNoScheduleThatWastesLittle) {
  int tried = 0;
  for (const Case& made : cases_of(3000, 7)) {
    SCOPED_TRACE(made.seed);
    const Piece& piece = made.piece;
    const Time best = tests::best_of(piece);
    for (const Time limit : {best, best + 1, best + 4}) {
      Bounds bounds(piece);
      RateFinder finder(piece);
      bounds.limit_to(limit);
      bounds.rate(finder, 100);
      if (bounds.root() >= limit) {
        ASSERT_EQ(limit, best);
        continue;
      }
      const Found found = search(piece, bounds, {.limit = limit});
      ASSERT_TRUE(found.answer.is_complete);
      ASSERT_EQ(found.best.makespan, limit == best ? kNever : best) << limit - best;
      ++tried;
    }
  }
  EXPECT_GT(tried, 1000);
}

// Tasks of few lengths, some of which need both kinds of core: too many to try them all, but the
// same is found without this rule.
TEST(Segments, AreTheSameWhateverTheyWaste) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const auto draw = [&rng](std::uint64_t most) { return static_cast<Time>(1 + rng.below(most)); };
    Piece piece{{draw(4), draw(4)}, true, {}};
    const std::array<Time, 3> lengths = {draw(40), draw(40), draw(40)};
    for (std::size_t i = 0; i < 9; ++i) {
      PieceTask task;
      const bool is_product = rng.below(2) == 0;
      task.all = rng.below(3) != 0 ? lengths[rng.below(3)] : draw(12);
      task.needs = {is_product, !is_product || rng.below(6) == 0};
      const Time times = std::max(task.needs[kTensor] ? piece.cores[kTensor] : 1,
                                  task.needs[kVector] ? piece.cores[kVector] : 1);
      const auto most = static_cast<std::uint64_t>(task.all * times);
      task.one = rng.below(2) == 0 ? task.all * times + draw(3) - 1 : task.all + draw(most + 1) - 1;
      for (std::size_t before = 0; before < i; ++before) {
        if (rng.below(6) == 0) {
          task.before |= bit(before);
          piece.tasks[before].after |= bit(i);
        }
      }
      piece.tasks.push_back(task);
    }
    Time limit = one_by_one(piece).makespan + 1;
    // Then for the best alone, and for a better one, of which there is none.
    for (int round = 0; round < 3; ++round) {
      Bounds bounds(piece);
      RateFinder finder(piece);
      bounds.limit_to(limit);
      bounds.rate(finder, 100);
      if (bounds.root() >= limit) {
        break;
      }
      const Found found = search(piece, bounds, {.limit = limit});
      const Found other = search(piece, bounds, {.limit = limit, .waste = false});
      ASSERT_TRUE(found.answer.is_complete && other.answer.is_complete);
      ASSERT_EQ(found.best.makespan, other.best.makespan);
      ++tried;
      limit = std::min(limit, other.best.makespan + (round == 0 ? 1 : 0));
    }
  }
  EXPECT_GT(tried, 1000);
}

// Ten tasks on three cores that fit to the last: states are many and alike, and one of them is
// enough to see how the rest is packed.
TEST(Segments, PackWhatIsLeft) {
  Piece piece{{3, 1}, true, {}};
  for (const Time length : {97, 83, 71, 67, 62, 61, 53, 43, 43, 20}) {
    PieceTask task;
    task.one = length;
    task.needs = {true, false};
    piece.tasks.push_back(task);
  }
  Bounds bounds(piece);
  bounds.limit_to(kNever);
  const Found found = search(piece, bounds, {.beam = 1});
  EXPECT_EQ(found.best.makespan, 200);
  std::vector<Time> ends;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    const Start& start = found.best.starts[i];
    EXPECT_FALSE(start.wide);
    ends.push_back(start.at + piece.tasks[i].one);
  }
  for (const Start& start : found.best.starts) {  // when one starts, another has ended
    EXPECT_TRUE(start.at == 0 || std::ranges::count(ends, start.at) > 0) << start.at;
  }
}

// The least end of tasks that wait for nothing, tried on every core each.
Time least_end(const Piece& piece, std::size_t next, std::vector<Time>& ends) {
  if (next == piece.tasks.size()) {
    return *std::ranges::max_element(ends);
  }
  Time least = kNever;
  for (Time& end : ends) {
    end += piece.tasks[next].one;
    least = std::min(least, least_end(piece, next + 1, ends));
    end -= piece.tasks[next].one;
  }
  return least;
}

// Tasks that wait for nothing are packed from the beginning on, so that one state is enough.
TEST(Segments, PackAsWellAsTryingEverything) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Piece piece{{static_cast<std::int64_t>(2 + rng.below(2)), 1}, true, {}};
    for (std::size_t i = 0; i < 5 + seed % 4; ++i) {
      PieceTask task;
      task.one = static_cast<Time>(1 + rng.below(seed % 2 == 0 ? 9 : 1000));
      task.needs = {true, false};
      piece.tasks.push_back(task);
    }
    Bounds bounds(piece);
    bounds.limit_to(kNever);
    std::vector<Time> ends(static_cast<std::size_t>(piece.cores[kTensor]), 0);
    const Found found = search(piece, bounds, {.beam = 1});
    ASSERT_EQ(found.best.makespan, least_end(piece, 0, ends));
  }
}

// A goal that is reached ends the search, but is no proof.
TEST(Segments, AGoalIsNoProof) {
  int stopped = 0;
  for (const Case& made : cases_of(300, 8)) {
    SCOPED_TRACE(made.seed);
    Bounds bounds(made.piece);
    bounds.limit_to(kNever);
    const Found all = search(made.piece, bounds, {});
    const Found found = search(made.piece, bounds, {kNever, all.best.makespan + 3});
    ASSERT_LE(found.best.makespan, all.best.makespan + 3);
    const bool is_worse = found.best.makespan > all.best.makespan;
    ASSERT_TRUE(!is_worse || !found.answer.is_complete);
    ASSERT_LE(std::min(found.best.makespan, found.answer.open_bound), all.best.makespan);
    stopped += is_worse ? 1 : 0;
  }
  EXPECT_GT(stopped, 10);
}

// Stopped early, it knows what is left.
TEST(Segments, SayWhatIsOpenWhenTheyAreStopped) {
  int stopped = 0;
  for (const Case& made : cases_of(300, 12)) {
    SCOPED_TRACE(made.seed);
    Bounds bounds(made.piece);
    RateFinder finder(made.piece);
    bounds.limit_to(kNever);
    bounds.rate(finder, 100);
    const Found all = search(made.piece, bounds, {});
    for (std::int64_t most = 1; most < all.answer.work; most *= 3) {
      const Found found = search(made.piece, bounds, {kNever, 0, most});
      ASSERT_GE(found.best.makespan, all.best.makespan);
      if (!found.answer.is_complete) {
        ASSERT_LE(std::min(found.best.makespan, found.answer.open_bound), all.best.makespan);
        ++stopped;
      } else {
        ASSERT_EQ(found.best.makespan, all.best.makespan);
      }
    }
  }
  EXPECT_GT(stopped, 50);
}

}  // namespace
}  // namespace phaze::schedule
