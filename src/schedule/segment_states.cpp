#include "schedule/segment_states.h"

#include <algorithm>

namespace phaze::schedule {

void SegmentStates::add(const SegmentState& state) {
  if (has_dominance_) {
    std::pmr::vector<Held>& same = by_done_[state.done];
    const Held held{state.last_start, state.latest_end, all_.size()};
    compared_ += static_cast<std::int64_t>(same.size());
    for (const Held& other : same) {
      if (other.may_be_as_good(held) && is_as_good(all_[other.state], state)) {
        drop_running(state);
        return;
      }
    }
    std::erase_if(same, [&](const Held& other) {
      const bool is_worse = held.may_be_as_good(other) && is_as_good(state, all_[other.state]);
      if (is_worse) {
        all_[other.state].is_dead = true;
      }
      return is_worse;
    });
    same.push_back(held);
  }
  by_count_[count(state.done)].push_back(all_.size());
  all_.push_back(state);
}

// Has it as many cores of a kind, none later?
bool SegmentStates::has_cores(const SegmentState& a, const SegmentState& b,
                              std::size_t kind) const {
  const std::span<const Running> theirs = running_of(b);
  std::size_t next = 0;
  for (const Running& ours : running_of(a)) {
    if (!piece_.tasks[ours.task].needs[kind]) {
      continue;
    }
    while (next < theirs.size() && !piece_.tasks[theirs[next].task].needs[kind]) {
      ++next;
    }
    const Time free = next < theirs.size() ? theirs[next++].end : 0;
    if (ours.end > std::max(b.last_start, free)) {
      return false;
    }
  }
  return true;
}

// Has it all that something waits for no later?
bool SegmentStates::has_results(const SegmentState& a, const SegmentState& b) const {
  for (const Running& ours : running_of(a)) {
    if (ours.end <= b.last_start || (order_.below[ours.task] & ~b.done) == 0) {
      continue;
    }
    const std::span<const Running> theirs = running_of(b);
    const auto same = std::find_if(theirs.begin(), theirs.end(),
                                   [&](const Running& other) { return other.task == ours.task; });
    if (same == theirs.end() || ours.end > same->end) {
      return false;
    }
  }
  return true;
}

bool SegmentStates::is_as_good(const SegmentState& a, const SegmentState& b) const {
  return a.is_between_segments() == b.is_between_segments() &&
         (a.behind & ~b.behind & ~b.done) == 0 && has_cores(a, b, kTensor) &&
         has_cores(a, b, kVector) && has_results(a, b);
}

std::vector<Start> starts_of(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
                             const SegmentStates& states, std::size_t last) {
  std::vector<const SegmentState*> way;
  for (std::size_t i = last; i != kNoState; i = states[i].parent) {
    way.push_back(&states[i]);
  }
  std::reverse(way.begin(), way.end());
  std::vector<Start> starts(piece.tasks.size());
  Time now = 0;
  // From one state between segments to the next: tasks alone, and a segment.
  for (auto at = way.begin(); at != way.end();) {
    const auto end = std::find_if(at + 1, way.end(),
                                  [](const SegmentState* s) { return s->is_between_segments(); });
    const SegmentState& whole = **(end - 1);
    Mask in_segment = 0;
    for (auto state = at + 1; state != end; ++state) {
      in_segment |= bit((*state)->task);
    }
    now = run_alone(piece, order, tasks, whole.done & ~(*at)->done & ~in_segment, now, starts);
    for (auto state = at + 1; state != end; ++state) {
      const std::size_t i = (*state)->task;
      starts[i] = {now + (*state)->last_start - (*state)->begin,
                   tasks.beside[i] < piece.tasks[i].one};
    }
    now += whole.latest_end - whole.begin;
    at = end;
  }
  run_alone(piece, order, tasks, all_of(piece) & ~way.back()->done, now, starts);
  return starts;
}

}  // namespace phaze::schedule
