#include "schedule/segment_tasks.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

// Can j take the place of i, and i the one of j? That one may be alone before the segment of i, if
// others there wait for j. So both must have the same behind them; and the same before them, unless
// nothing waits for either.
bool goes_first(const Piece& piece, const Intervals& order, const Widths& widths, std::size_t j,
                std::size_t i) {
  const PieceTask& a = piece.tasks[j];
  const PieceTask& b = piece.tasks[i];
  const auto are_same = [&](Mask mask) { return (mask >> i & 1) == (mask >> j & 1); };
  if (i == j || a.one != b.one || a.all != b.all || a.needs != b.needs || !are_same(widths.one) ||
      !are_same(widths.wide) || order.below[i] != order.below[j]) {
    return false;
  }
  if (order.above[i] == order.above[j]) {
    return j < i;
  }
  return order.below[i] == 0 && (order.above[j] & ~order.above[i]) == 0;
}

}  // namespace

SegmentTasks find_segment_tasks(const Piece& piece, const Intervals& order, const Widths& widths,
                                bool has_twins) {
  const std::size_t n = piece.tasks.size();
  SegmentTasks tasks;
  tasks.twins_first.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const PieceTask& task = piece.tasks[i];
    const bool can_wide = (widths.wide & bit(i)) != 0;
    const bool can_one = (widths.one & bit(i)) != 0;
    tasks.alone.push_back(!can_wide ? task.one : !can_one ? task.all : task.fastest());
    tasks.beside.push_back(can_wide && task.all == 0 ? 0 : task.one);
    tasks.in_segments |= can_one || tasks.beside[i] == 0 ? bit(i) : 0;
    const bool has_choice = (tasks.in_segments & bit(i)) != 0 && tasks.alone[i] < tasks.beside[i];
    tasks.open |= has_choice ? bit(i) : 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      tasks.users[kind] |= task.needs[kind] ? bit(i) : 0;
    }
    for (std::size_t j = 0; has_twins && j < n; ++j) {
      tasks.twins_first[i] |= goes_first(piece, order, widths, j, i) ? bit(j) : 0;
    }
  }
  tasks.one_core_tails.assign(n, 0);
  for (std::size_t at = n; at-- > 0;) {
    const std::size_t i = order.order[at];
    for (Mask rest = order.below[i] & tasks.in_segments; rest != 0; rest &= rest - 1) {
      const std::size_t j = lowest(rest);
      tasks.one_core_tails[i] =
          std::max(tasks.one_core_tails[i], tasks.one_core_tails[j] + tasks.beside[j]);
    }
  }
  return tasks;
}

Time run_alone(const Piece& piece, const Intervals& order, const SegmentTasks& tasks, Mask mask,
               Time now, std::vector<Start>& starts) {
  for (const std::size_t i : order.order) {
    if ((mask & bit(i)) != 0) {
      const bool has_to = (tasks.in_segments & bit(i)) == 0;
      starts[i] = {now, has_to || tasks.alone[i] < piece.tasks[i].one};
      now += tasks.alone[i];
    }
  }
  return now;
}

}  // namespace phaze::schedule
