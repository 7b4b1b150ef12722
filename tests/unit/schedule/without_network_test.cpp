// What a piece takes without the network is a bound, and its schedules become schedules of the
// whole.
#include "schedule/without_network.h"

#include <gtest/gtest.h>

#include "schedule/segments.h"
#include "support/pieces.h"

namespace phaze::schedule {
namespace {

tests::PieceCase piece_of(std::uint64_t seed, std::size_t least, std::size_t most) {
  tests::ScheduleProblemOptions options;
  options.least_tasks = least;
  options.most_tasks = most;
  options.most_cores = 4;
  options.exclusive = true;
  return tests::random_piece(seed, options);
}

bool is_of_use(const Piece& piece, const WithoutNetwork& rest) {
  return !rest.tasks.empty() && rest.tasks.size() < piece.tasks.size();
}

PieceAnswer solve(const Piece& piece) {
  SearchOptions options;
  options.work_limit = 20'000;
  return search(piece, options);
}

TEST(WithoutNetwork, KeepsTheOrderOfTheRest) {
  // a -> network -> nothing -> b, and a -> c.
  Piece piece;
  piece.cores = {2, 0};
  piece.tasks.resize(5);
  for (const std::size_t i : {0, 3, 4}) {
    piece.tasks[i].needs[kTensor] = true;
    piece.tasks[i].one = static_cast<Time>(i) + 1;
  }
  piece.tasks[1].is_network = true;
  const auto connect = [&piece](std::size_t a, std::size_t b) {
    piece.tasks[a].after |= bit(b);
    piece.tasks[b].before |= bit(a);
  };
  connect(0, 1);
  connect(1, 2);
  connect(2, 3);
  connect(0, 4);
  const WithoutNetwork rest = without_network(piece);
  EXPECT_EQ(rest.tasks, (std::vector<std::size_t>{0, 3, 4}));
  ASSERT_EQ(rest.piece.tasks.size(), 3U);
  EXPECT_EQ(rest.piece.tasks[0].after, bit(1) | bit(2));
  EXPECT_EQ(rest.piece.tasks[1].before, bit(0));
  EXPECT_EQ(rest.piece.tasks[2].before, bit(0));
  EXPECT_EQ(rest.piece.tasks[1].one, 4);
  EXPECT_TRUE(has_segments(rest.piece));
}

TEST(WithoutNetwork, IsABoundThatIsOftenReached) {
  int tried = 0, reached = 0, above = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    SCOPED_TRACE(seed);
    const tests::PieceCase made = piece_of(seed, 3, 6);
    const WithoutNetwork rest = without_network(made.piece);
    if (!is_of_use(made.piece, rest)) {
      continue;
    }
    const PieceAnswer found = solve(rest.piece);
    const Time best = tests::best_of(made.piece);
    ASSERT_EQ(found.makespan, tests::best_of(rest.piece));
    ASSERT_LE(found.makespan, best);
    const PieceAnswer whole = with_network(made.piece, rest, found.starts);
    ASSERT_EQ(tests::faults_of(made.problem, whole.starts, whole.makespan), "");
    ++tried;
    reached += whole.makespan == found.makespan ? 1 : 0;
    above += whole.makespan > best ? 1 : 0;
  }
  EXPECT_GT(tried, 300);
  EXPECT_GT(reached, tried / 8);
  EXPECT_GT(above, 0);  // otherwise this says nothing about schedules that can be improved
}

// Many tasks: segments often hold both what the network waits for and what waits for it.
TEST(WithoutNetwork, MakesSchedulesOfTheWhole) {
  int later = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const tests::PieceCase made = piece_of(seed, 12, 40);
    const WithoutNetwork rest = without_network(made.piece);
    if (!is_of_use(made.piece, rest)) {
      continue;
    }
    const PieceAnswer found = solve(rest.piece);
    const PieceAnswer whole = with_network(made.piece, rest, found.starts);
    ASSERT_EQ(tests::faults_of(made.problem, whole.starts, whole.makespan), "");
    ASSERT_GE(whole.makespan, found.bound);
    ++tried;
    later += whole.makespan > found.makespan ? 1 : 0;
  }
  EXPECT_GT(tried, 150);
  EXPECT_GT(later, 20);
}

}  // namespace
}  // namespace phaze::schedule
