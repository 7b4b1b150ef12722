#include "schedule/at_once.h"

#include <algorithm>

namespace phaze::schedule {

// In the order of tasks, predecessors come first.
void AtOnce::find_heads(const State& state, Time first, Mask wide) {
  for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
    if (state.is_scheduled(i)) {
      continue;
    }
    Time head = first;
    for (Mask before = piece_.tasks[i].before; before != 0; before &= before - 1) {
      const std::size_t j = lowest(before);
      const Time length = (wide & bit(j)) != 0 ? piece_.tasks[j].all : piece_.tasks[j].one;
      head = std::max(head, state.is_scheduled(j) ? state.end(j) : heads_[j] + length);
    }
    heads_[i] = head;
  }
}

// Could a task of `wide` start before the end that this one may be in the way of?
bool AtOnce::may_be_held_up(const State& state, const PieceTask& task, Time end, Mask wide) const {
  const auto runs_until = [&](std::size_t kind) {
    const std::vector<Time>& running = state.running(kind);
    return std::max(running.empty() ? 0 : running.front(), state.wide_end(kind));
  };
  const bool is_held_up = std::max(runs_until(kTensor), runs_until(kVector)) >= end;
  for (Mask left = wide; left != 0; left &= left - 1) {
    const PieceTask& other = piece_.tasks[lowest(left)];
    if (piece_.exclusive_wide) {
      if (!is_held_up) {
        return true;
      }
      continue;
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (task.needs[kind] && other.needs[kind] && runs_until(kind) < end) {
        return true;
      }
    }
  }
  return false;
}

// Is there a core of each of its kinds, whatever else starts before its end?
bool AtOnce::has_room(const State& state, std::size_t task, Time first, Time end) const {
  const PieceTask& t = piece_.tasks[task];
  std::array<std::int64_t, kKinds> used{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::vector<Time>& running = state.running(kind);  // latest first
    while (static_cast<std::size_t>(used[kind]) < running.size() &&
           running[static_cast<std::size_t>(used[kind])] > first) {
      ++used[kind];
    }
  }
  for (std::size_t j = 0; j < piece_.tasks.size(); ++j) {
    if (j == task || state.is_scheduled(j) || heads_[j] >= end) {
      continue;
    }
    const PieceTask& other = piece_.tasks[j];
    if (t.is_network && other.is_network) {
      return false;
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      used[kind] += other.needs[kind] ? 1 : 0;
    }
  }
  return (!t.needs[kTensor] || used[kTensor] < piece_.cores[kTensor]) &&
         (!t.needs[kVector] || used[kVector] < piece_.cores[kVector]);
}

const Choice* AtOnce::find(const State& state, const Bounds& bounds, Mask narrow,
                           const std::vector<Choice>& choices) {
  if (choices.size() < 2) {
    return nullptr;
  }
  Time first = kNever;
  for (const Choice& choice : choices) {
    first = std::min(first, choice.start.at);
  }
  Mask wide = 0;  // that may still run so
  for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
    const PieceTask& task = piece_.tasks[i];
    const bool may_be_wide = !state.is_scheduled(i) && task.all < task.one &&
                             (bounds.widths().wide & ~narrow & bit(i)) != 0;
    wide |= may_be_wide ? bit(i) : 0;
  }
  bool has_heads = false;
  for (const Choice& choice : choices) {
    const PieceTask& task = piece_.tasks[choice.task];
    if (choice.start.wide || choice.start.at != first || (wide & bit(choice.task))) {
      continue;
    }
    const bool needs_cores = task.needs_cores();
    const Time end = first + task.one;
    if (task.one > 0 && needs_cores && may_be_held_up(state, task, end, wide)) {
      continue;
    }
    if (!has_heads) {
      find_heads(state, first, wide);
      has_heads = true;
    }
    if (task.one == 0 || has_room(state, choice.task, first, end)) {
      return &choice;
    }
  }
  return nullptr;
}

}  // namespace phaze::schedule
