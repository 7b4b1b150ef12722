#include "schedule/seen.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

constexpr std::size_t kMostStates = 64;  // with the same tasks scheduled
constexpr std::int64_t kMostNumbers = 24'000'000;

}  // namespace

bool Seen::Kept::is_as_good_as(const Kept& other) const {
  // Numbers that lie before the other state's time are as good as its time.
  return forbidden.is_within(other.forbidden) &&
         std::equal(numbers.begin(), numbers.end(), other.numbers.begin(),
                    [](Time a, Time b) { return a <= b; });
}

Seen::Seen(const Piece& piece) : piece_(piece) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto users = static_cast<std::size_t>(
        std::count_if(piece.tasks.begin(), piece.tasks.end(),
                      [kind](const PieceTask& task) { return task.needs[kind]; }));
    watched_[kind] = std::min(users, static_cast<std::size_t>(piece.cores[kind]));
  }
}

void Seen::clear() {
  kept_.clear();
  stored_ = 0;
}

// The state as numbers that are better when smaller, in an order that the scheduled tasks fix.
void Seen::describe(const State& state, std::vector<Time>& numbers) const {
  const Time now = state.last_start();
  numbers.clear();
  numbers.push_back(now);
  numbers.push_back(std::max(now, state.network_end()));
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    numbers.push_back(std::max(now, state.wide_end(kind)));
    const std::size_t most = watched_[kind];
    const std::vector<Time>& running = state.running(kind);
    for (std::size_t i = 0; i < most; ++i) {
      numbers.push_back(i < running.size() ? std::max(now, running[i]) : now);
    }
  }
  const Mask open = ~state.scheduled();
  for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
    if (state.is_scheduled(i) && (piece_.tasks[i].after & open) != 0) {
      numbers.push_back(std::max(now, state.end(i)));
    }
  }
  numbers.push_back(state.latest_end());
}

bool Seen::dominates(const State& state, const WideOrder::Forbidden& forbidden) {
  now_.forbidden = forbidden;
  describe(state, now_.numbers);
  const bool is_full = stored_ >= kMostNumbers;
  if (is_full && !kept_.contains(state.scheduled())) {
    return false;
  }
  std::vector<Kept>& kept = kept_[state.scheduled()];
  for (const Kept& other : kept) {
    if (other.is_as_good_as(now_)) {
      return true;
    }
  }
  const auto size = static_cast<std::int64_t>(now_.numbers.size());
  stored_ -= size * static_cast<std::int64_t>(std::erase_if(
                        kept, [this](const Kept& other) { return now_.is_as_good_as(other); }));
  if (kept.size() < kMostStates && !is_full) {
    kept.push_back(now_);
    stored_ += size;
  }
  return false;
}

}  // namespace phaze::schedule
