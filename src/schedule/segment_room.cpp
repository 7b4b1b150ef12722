// The relaxed schedule of moments (rates.h) may cut a task into pieces, so that it sees no waste in
// a core that is free too late for anything that is left. Here tasks are whole.
//
// Let no task that is left have a choice: it runs alone, or on one core for a given time. Take any
// schedule that goes on from the state, and leave out the time of tasks that have to run alone, in
// which nothing else runs. What is left of it ends by
//   last = limit - 1 - the times of the tasks that have to run alone,
// and has all others on one core each. So, for a kind of core with n of them:
// - What runs ends by then, and so does a task that is left if it starts with the last that did.
// - Idle time. From the last start on, cores are busy with what runs and with what is left; the
//   rest of the time until `last` is idle, `slack` in all. A core that is given up at f can then
//   only run tasks that end by `last` with all that waits for them. If at most three of these fit
//   one after another, the sum of lengths that fits best is found by trying; what that leaves of
//   last - f is idle. All such idle time together is no more than the slack.
// A task on one core may also run before the segment with nothing beside it, D long. All ends then
// move by D: the slack falls by at least (n - 1) D, and the idle time that was found on a core by
// at most D. On n - 1 cores it cannot make room; so where n are busy, the least is not counted.
#include "schedule/segment_room.h"

#include <algorithm>
#include <numeric>

namespace phaze::schedule {

using Running = SegmentStates::Running;

SegmentRoom::SegmentRoom(const Piece& piece, const SegmentTasks& tasks)
    : piece_(piece), tasks_(tasks), by_length_(piece.tasks.size()) {
  std::iota(by_length_.begin(), by_length_.end(), 0);
  std::ranges::stable_sort(by_length_, {}, [&](std::size_t i) { return tasks.beside[i]; });
}

bool SegmentRoom::is_too_small(const SegmentState& state, std::span<const Running> running,
                               Time limit) {
  const Mask left = all_of(piece_) & ~state.done;
  if (limit == kNever || (left & tasks_.open) != 0) {
    return false;
  }
  const Time last = limit - 1 - alone(tasks_, left & ~tasks_.in_segments);
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (is_too_small(kind, left & tasks_.in_segments & tasks_.users[kind], state.last_start,
                     running, last)) {
      return true;
    }
  }
  return false;
}

bool SegmentRoom::is_too_small(std::size_t kind, Mask left, Time now,
                               std::span<const Running> running, Time last) {
  Time slack = (last - now) * piece_.cores[kind];
  Time most_idle = 0;  // on cores that are busy
  std::int64_t busy = 0;
  for (const Running& run : running) {
    if (piece_.tasks[run.task].needs[kind] && run.end > now) {
      slack -= run.end - now;
      most_idle += last - run.end;
      ++busy;
      if (run.end > last) {
        return true;
      }
    }
  }
  for (Mask rest = left; rest != 0; rest &= rest - 1) {
    const Time length = tasks_.beside[lowest(rest)];
    slack -= length;
    if (now + length > last) {
      return true;
    }
  }
  if (slack < 0 || most_idle <= slack) {
    return slack < 0;
  }
  items_.clear();
  for (const std::size_t i : by_length_) {
    if ((left & bit(i)) != 0 && tasks_.beside[i] > 0) {
      items_.push_back({tasks_.beside[i], tasks_.tails[i]});
    }
  }
  Time idle = 0, least = busy == piece_.cores[kind] ? kNever : 0;
  for (const Running& run : running) {
    if (piece_.tasks[run.task].needs[kind] && run.end > now) {
      const Time more = least_idle(run.end, last);
      idle += more;
      least = std::min(least, more);
    }
  }
  return busy > 0 && idle - least > slack;
}

// On a core that is free from then on.
Time SegmentRoom::least_idle(Time from, Time last) {
  const Time room = last - from;
  lengths_.clear();
  for (const Item& item : items_) {
    if (item.length + item.behind <= room) {
      lengths_.push_back(item.length);
    }
  }
  constexpr Time kTooMany = 4;
  if (!lengths_.empty() && lengths_.front() * kTooMany <= room) {
    return 0;
  }
  Time most = 0;
  const std::size_t n = lengths_.size();
  for (std::size_t a = 0; a < n; ++a) {
    most = std::max(most, lengths_[a]);
    for (std::size_t b = a + 1; b < n && lengths_[a] + lengths_[b] <= room; ++b) {
      const Time two = lengths_[a] + lengths_[b];
      most = std::max(most, two);
      for (std::size_t c = b + 1; c < n && two + lengths_[c] <= room; ++c) {
        most = std::max(most, two + lengths_[c]);
      }
    }
  }
  return room - most;
}

}  // namespace phaze::schedule
