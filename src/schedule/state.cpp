#include "schedule/state.h"

#include <numeric>

namespace phaze::schedule {

Time State::earliest(std::size_t index, bool wide) const {
  const PieceTask& task = piece_.tasks[index];
  Time at = last_start_;
  for (Mask before = task.before; before != 0; before &= before - 1) {
    at = std::max(at, ends_[lowest(before)]);
  }
  if (duration(task, wide) == 0) {
    return at;  // it occupies nothing
  }
  if (task.is_network) {
    return std::max(at, network_end_);
  }
  const bool needs_cores = task.needs_cores();
  if (!needs_cores) {
    return at;
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const bool uses = task.needs[kind];
    // Where wide tasks exclude all others, they exclude both kinds.
    if (uses || piece_.exclusive_wide) {
      at = std::max(at, wide_end_[kind]);
    }
    const std::vector<Time>& running = running_[kind];
    if (wide) {
      if ((uses || piece_.exclusive_wide) && !running.empty()) {
        at = std::max(at, running.front());
      }
    } else if (uses) {
      const auto cores = static_cast<std::size_t>(piece_.cores[kind]);
      if (running.size() >= cores) {
        at = std::max(at, running[cores - 1]);
      }
    }
  }
  return at;
}

State::Undo State::add(std::size_t index, Start start) {
  const PieceTask& task = piece_.tasks[index];
  const Undo undo{last_start_, latest_end_, network_end_, wide_end_};
  const Time end = start.at + duration(task, start.wide);
  scheduled_ |= bit(index);
  wide_ |= start.wide ? bit(index) : 0;
  ends_[index] = end;
  last_start_ = start.at;
  latest_end_ = std::max(latest_end_, end);
  if (end == start.at) {
    return undo;
  }
  if (task.is_network) {
    network_end_ = end;
    return undo;
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!task.needs[kind]) {
      continue;
    }
    if (start.wide) {
      wide_end_[kind] = std::max(wide_end_[kind], end);
    } else {
      std::vector<Time>& running = running_[kind];
      running.insert(std::upper_bound(running.begin(), running.end(), end, std::greater<>()), end);
    }
  }
  return undo;
}

void State::remove(std::size_t index, bool wide, const Undo& undo) {
  const PieceTask& task = piece_.tasks[index];
  scheduled_ &= ~bit(index);
  wide_ &= ~bit(index);
  if (!task.is_network && !wide && task.one > 0) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (task.needs[kind]) {
        std::vector<Time>& running = running_[kind];
        running.erase(
            std::lower_bound(running.begin(), running.end(), ends_[index], std::greater<>()));
      }
    }
  }
  last_start_ = undo.last_start;
  latest_end_ = undo.latest_end;
  network_end_ = undo.network_end;
  wide_end_ = undo.wide_end;
}

std::vector<std::size_t> by_starts(const std::vector<Start>& starts) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&starts](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  return order;
}

PieceAnswer replay(const Piece& piece, const std::vector<Start>& starts) {
  State state(piece);
  PieceAnswer answer;
  answer.starts.resize(starts.size());
  for (const std::size_t i : by_starts(starts)) {
    answer.starts[i] = {state.earliest(i, starts[i].wide), starts[i].wide};
    state.add(i, answer.starts[i]);
  }
  answer.makespan = state.latest_end();
  return answer;
}

}  // namespace phaze::schedule
