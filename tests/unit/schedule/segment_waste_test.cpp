// What whole tasks cannot fill, of segments that are drawn here.
#include "schedule/segment_waste.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace phaze::schedule {
namespace {

PieceTask task_of(bool is_tensor, Time one) {
  PieceTask task;
  task.one = one;
  task.needs = {is_tensor, !is_tensor};
  return task;
}

struct Waste {
  Piece piece;
  Rates rates;

  // Of a segment in which the first task began at once, and nothing else has.
  bool is_too_much(Time limit) const {
    const Intervals order = find_intervals(predecessors(piece)).value();
    const SegmentTasks tasks = find_segment_tasks(piece, order, {}, false);
    SegmentWaste waste(piece, order, tasks, rates);
    SegmentState state;
    state.done = bit(0);
    state.task = 0;
    state.behind = order.below[0];
    state.latest_end = piece.tasks[0].one;
    for (std::size_t i = 1; i < piece.tasks.size(); ++i) {
      state.values_left += rates.value[i];
    }
    const std::vector<SegmentStates::Running> running = {{0, state.latest_end}};
    return waste.is_too_much(state, running, limit);
  }
};

// Each of these is worth its share of a core.
Waste waste_of(Piece piece) {
  Waste waste{std::move(piece), {}};
  for (const PieceTask& task : waste.piece.tasks) {
    const auto kind = task.needs[kTensor] ? kTensor : kVector;
    const double rate = 1 / static_cast<double>(waste.piece.cores[kind]);
    waste.rates.one.push_back(rate);
    waste.rates.value.push_back(rate * static_cast<double>(task.one));
  }
  return waste;
}

//   core 0  00000000
//   core 1  111111..     in pieces both would end at 7
TEST(SegmentWaste, IsWhatNoWholeTaskFits) {
  const Waste waste = waste_of({{2, 1}, true, {task_of(true, 8), task_of(true, 6)}});
  EXPECT_TRUE(waste.is_too_much(8));
  EXPECT_FALSE(waste.is_too_much(9));
}

// A task behind the first one cannot fill the other core.
TEST(SegmentWaste, IsWhatWaitsForTheSegment) {
  Piece piece{{2, 1}, true, {task_of(true, 8), task_of(true, 8)}};
  EXPECT_FALSE(waste_of(piece).is_too_much(9));
  piece.tasks[0].after = bit(1);
  piece.tasks[1].before = bit(0);
  EXPECT_TRUE(waste_of(piece).is_too_much(12));
}

//   vector  00000000
//   core 0  11111111111          the only one of its length
//   core 1  222222333333         ends when nothing does that has the longest on its core
// Values are not those of moments: that end is then the only one of use.
TEST(SegmentWaste, LooksAtEndsOfCoresWithoutTheLongest) {
  Waste waste{
      {{2, 20}, true, {task_of(false, 8), task_of(true, 11), task_of(true, 6), task_of(true, 6)}},
      {}};
  waste.rates.one = {1, 13.0 / 11, 1, 1};
  waste.rates.value = {8, 13, 6, 6};
  EXPECT_FALSE(waste.is_too_much(13));
  EXPECT_TRUE(waste.is_too_much(12));
}

}  // namespace
}  // namespace phaze::schedule
