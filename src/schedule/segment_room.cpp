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
// Tasks on one core may also run before the segment with nothing beside them, D long together. All
// ends then move by D: the slack falls by (n - 1) D where they need this kind, otherwise by n D,
// and the idle time that was found on a core by at most D. On n - 1 cores it cannot make room; so
// where n are busy, the least is not counted.
#include "schedule/segment_room.h"

#include <algorithm>
#include <numeric>

namespace phaze::schedule {

using Running = SegmentStates::Running;

namespace {

constexpr std::size_t kMostItems = 32;  // otherwise sums take too long

}  // namespace

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
  Area slack = Area{last - now} * piece_.cores[kind];
  Area most_idle = 0;  // on cores that are busy
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
    if (length > last - now) {
      return true;
    }
  }
  if (slack < 0 || most_idle <= slack || count(left) > kMostItems) {
    return slack < 0;
  }
  items_.clear();
  for (const std::size_t i : by_length_) {
    if ((left & bit(i)) != 0 && tasks_.beside[i] > 0) {
      items_.push_back({tasks_.beside[i], tasks_.one_core_tails[i]});
    }
  }
  Area idle = 0;
  Time least = busy == piece_.cores[kind] ? kNever : 0;
  Time end = kNever, more = 0;  // of the last that was looked at
  for (const Running& run : running) {
    if (piece_.tasks[run.task].needs[kind] && run.end > now) {
      more = run.end == end ? more : least_idle(run.end, last);
      end = run.end;
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
    if (item.length <= room && item.behind <= room - item.length) {
      lengths_.push_back(item.length);
    }
  }
  if (lengths_.empty()) {
    return room;
  }
  if (lengths_.front() <= room / 4) {
    return 0;  // more than three may fit
  }
  // One; two, and with each three, of which the others close in on what is left of the room.
  Time most = lengths_.back();
  for (std::size_t a = 0; a + 1 < lengths_.size() && most < room; ++a) {
    const Time left = room - lengths_[a];
    for (std::size_t b = a + 1; b < lengths_.size() && lengths_[b] <= left; ++b) {
      most = std::max(most, lengths_[a] + lengths_[b]);
    }
    for (std::size_t b = a + 1, c = lengths_.size() - 1; b < c; ++tried_) {
      if (lengths_[b] <= left && lengths_[c] <= left - lengths_[b]) {
        most = std::max(most, lengths_[a] + lengths_[b] + lengths_[c]);
        ++b;
      } else {
        --c;
      }
    }
  }
  return room - most;
}

}  // namespace phaze::schedule
