#pragma once
// What tasks take in a search by segments (segments.h), and which of those that are alike go first.

#include <array>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/windows.h"

namespace phaze::schedule {

struct SegmentTasks {
  // Durations alone, and in a segment: what takes no time excludes nothing, wide or not.
  std::vector<Time> alone, beside;
  Mask in_segments = 0;  // that may run there
  Mask open = 0;         // that may, and take less time alone
  std::array<Mask, kKinds> users{};
  // By task: the longest way behind it through tasks that may run in segments, on one core each.
  std::vector<Time> one_core_tails;
  // By task: twins that go first, as long as they are not done.
  std::vector<Mask> twins_first;
};
SegmentTasks find_segment_tasks(const Piece& piece, const Intervals& order, const Widths& widths,
                                bool has_twins);

// The time of tasks alone, one after another.
inline Time alone(const SegmentTasks& tasks, Mask mask) {
  Time sum = 0;
  for (; mask != 0; mask &= mask - 1) {
    sum += tasks.alone[lowest(mask)];
  }
  return sum;
}

// Gives them starts from `now` on; when they have ended.
Time run_alone(const Piece& piece, const Intervals& order, const SegmentTasks& tasks, Mask mask,
               Time now, std::vector<Start>& starts);

}  // namespace phaze::schedule
