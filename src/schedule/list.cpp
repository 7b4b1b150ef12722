// List schedules: tasks by the length of the way that is left behind them, widths by a few
// policies.
#include <algorithm>
#include <array>

#include "schedule/bounds.h"
#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {
namespace {

enum class Policy {
  kFastest,      // each as short as it can be
  kOneCore,      // never wide where one core will do
  kWideOnPath,   // wide when it is on a longest way, one core otherwise
  kEarliestEnd,  // whichever ends first as things stand
  kWideAlone,    // wide when fewer are ready than there are cores
};
constexpr std::array kPolicies = {Policy::kFastest, Policy::kOneCore, Policy::kWideOnPath,
                                  Policy::kEarliestEnd, Policy::kWideAlone};

// The longest way that is left.
Time longest_way(const Piece& piece, const Bounds& bounds, const State& state) {
  Time longest = 0;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    if (!state.is_scheduled(i)) {
      longest = std::max(longest, piece.tasks[i].fastest() + bounds.tail(i));
    }
  }
  return longest;
}

bool prefers_wide(const Piece& piece, const Bounds& bounds, const State& state, std::size_t task,
                  Policy policy, Time longest) {
  const PieceTask& t = piece.tasks[task];
  if (t.all == kNever) {
    return false;
  }
  switch (policy) {
    case Policy::kFastest:
      return t.all < t.one;
    case Policy::kOneCore:
      return false;
    case Policy::kWideOnPath:
      return t.all < t.one && t.fastest() + bounds.tail(task) == longest;
    case Policy::kEarliestEnd:
      return state.earliest(task, true) + t.all < state.earliest(task, false) + t.one;
    case Policy::kWideAlone: {
      std::int64_t ready = 0;
      for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
        ready += state.is_eligible(i) && piece.tasks[i].needs == t.needs ? 1 : 0;
      }
      const std::int64_t cores = t.needs[kTensor] ? piece.cores[kTensor] : piece.cores[kVector];
      return t.all < t.one && ready < cores;
    }
  }
  return false;
}

PieceAnswer schedule_by(const Piece& piece, const Bounds& bounds, Policy policy) {
  State state(piece);
  PieceAnswer answer;
  answer.starts.resize(piece.tasks.size());
  for (std::size_t step = 0; step < piece.tasks.size(); ++step) {
    std::size_t chosen = piece.tasks.size();
    Start chosen_start;
    const Time longest =
        policy == Policy::kWideOnPath ? longest_way(piece, bounds, state) : Time{0};
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      if (!state.is_eligible(i)) {
        continue;
      }
      const bool wide = prefers_wide(piece, bounds, state, i, policy, longest);
      const Start start{state.earliest(i, wide), wide};
      const auto rank = [&](std::size_t task) {
        return piece.tasks[task].fastest() + bounds.tail(task);
      };
      const bool is_better = chosen == piece.tasks.size() || start.at < chosen_start.at ||
                             (start.at == chosen_start.at && rank(i) > rank(chosen));
      if (is_better) {
        chosen = i;
        chosen_start = start;
      }
    }
    state.add(chosen, chosen_start);
    answer.starts[chosen] = chosen_start;
  }
  answer.makespan = state.latest_end();
  return answer;
}

}  // namespace

PieceAnswer one_by_one(const Piece& piece) {
  PieceAnswer answer;
  for (const PieceTask& task : piece.tasks) {  // predecessors first
    answer.starts.push_back({answer.makespan, task.all < task.one});
    answer.makespan += task.fastest();
  }
  return answer;
}

PieceAnswer quick_schedule(const Piece& piece) {
  const Bounds bounds(piece);
  PieceAnswer answer = schedule_by(piece, bounds, kPolicies.front());
  answer.bound = bounds.root();
  return answer;
}

PieceAnswer list_schedule(const Piece& piece) {
  const Bounds bounds(piece);
  PieceAnswer best = schedule_by(piece, bounds, kPolicies[0]);
  for (std::size_t i = 1; i < kPolicies.size() && best.makespan > bounds.root(); ++i) {
    PieceAnswer other = schedule_by(piece, bounds, kPolicies[i]);
    if (other.makespan < best.makespan) {
      best = std::move(other);
    }
  }
  best.bound = bounds.root();
  return best;
}

}  // namespace phaze::schedule
