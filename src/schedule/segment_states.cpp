#include "schedule/segment_states.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

std::size_t count(Mask mask) {
  return static_cast<std::size_t>(__builtin_popcountll(static_cast<std::uint64_t>(mask)) +
                                  __builtin_popcountll(static_cast<std::uint64_t>(mask >> 64)));
}

}  // namespace

std::size_t SegmentStates::MaskHash::operator()(Mask mask) const {
  const auto low = static_cast<std::uint64_t>(mask);
  const auto high = static_cast<std::uint64_t>(mask >> 64);
  return static_cast<std::size_t>((low * 0x9E3779B97F4A7C15ULL) ^ (high * 0xC2B2AE3D27D4EB4FULL) ^
                                  (low >> 29));
}

void SegmentStates::add(const SegmentState& state) {
  std::vector<Held>& same = by_done_[state.done];
  const Held held{state.last, state.latest, all_.size()};
  compared_ += static_cast<std::int64_t>(same.size());
  for (const Held& other : same) {
    if (other.may_be_as_good(held) && is_as_good(all_[other.state], state)) {
      running_.resize(state.running);
      return;
    }
  }
  std::erase_if(same, [&](const Held& other) {
    const bool is_worse = held.may_be_as_good(other) && is_as_good(state, all_[other.state]);
    all_[other.state].is_dead = is_worse;
    return is_worse;
  });
  same.push_back(held);
  by_count_[count(state.done)].push_back(all_.size());
  all_.push_back(state);
}

// Has it as many cores of a kind, none later?
bool SegmentStates::has_cores(const SegmentState& a, const SegmentState& b,
                              std::size_t kind) const {
  std::size_t theirs = b.running;
  for (std::size_t r = a.running; r < a.running_end; ++r) {
    if (!piece_.tasks[running_[r].task].needs[kind]) {
      continue;
    }
    while (theirs < b.running_end && !piece_.tasks[running_[theirs].task].needs[kind]) {
      ++theirs;
    }
    const Time free = theirs < b.running_end ? running_[theirs++].end : 0;
    if (running_[r].end > std::max(b.last, free)) {
      return false;
    }
  }
  return true;
}

bool SegmentStates::is_as_good(const SegmentState& a, const SegmentState& b) const {
  if (a.is_between() != b.is_between() || (a.below & ~b.below & ~b.done) != 0 ||
      !has_cores(a, b, kTensor) || !has_cores(a, b, kVector)) {
    return false;
  }
  for (std::size_t r = a.running; r < a.running_end; ++r) {
    const Running& result = running_[r];
    if (result.end <= b.last || (order_.below[result.task] & ~b.done) == 0) {
      continue;  // others have it, or nothing waits for it
    }
    const auto theirs =
        std::find_if(running_.begin() + static_cast<std::ptrdiff_t>(b.running),
                     running_.begin() + static_cast<std::ptrdiff_t>(b.running_end),
                     [&result](const Running& other) { return other.task == result.task; });
    const bool is_there = theirs != running_.begin() + static_cast<std::ptrdiff_t>(b.running_end);
    if (!is_there || result.end > theirs->end) {
      return false;
    }
  }
  return true;
}

}  // namespace phaze::schedule
