// Bounds of a schedule, from what is scheduled on. Three are plain: the longest path at fastest
// durations; the work of a kind of core over its number; the tasks of the network one after
// another.
//
// The fourth weighs them against one another for all choices of widths: relaxation.h.
#include "schedule/bounds.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

constexpr std::size_t kKept = 3;  // weighed bounds
constexpr int kRounds = 200;      // to find them

Time divide_up(Area area, Area cores) { return static_cast<Time>((area + cores - 1) / cores); }

// The least core time of a kind, in whichever width.
Area least_area(const PieceTask& task, std::size_t kind, Area cores) {
  return task.needs[kind] ? std::min(Area{task.one}, task.all * cores) : 0;
}

}  // namespace

Bounds::Bounds(const Piece& piece) : piece_(piece), finish_(piece.tasks.size()) {
  const std::size_t n = piece.tasks.size();
  tails_.assign(n, 0);
  for (std::size_t i = n; i-- > 0;) {
    const PieceTask& task = piece.tasks[i];
    for (Mask after = task.after; after != 0; after &= after - 1) {
      const std::size_t j = lowest(after);
      tails_[i] = std::max(tails_[i], tails_[j] + piece.tasks[j].fastest());
    }
    root_ = std::max(root_, task.fastest() + tails_[i]);
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Area cores = std::max<std::int64_t>(1, piece.cores[kind]);
    Area area = 0;
    for (const PieceTask& task : piece.tasks) {
      area += least_area(task, kind, cores);
    }
    root_ = std::max(root_, divide_up(area, cores));
  }
  root_ = std::max(root_, of(State(piece), 0, kNever));
}

void Bounds::weigh(Time enough) {
  shares_ = compute_shares(piece_, all_of(piece_), kRounds, enough);
  for (const Shares& shares : shares_) {
    root_ = std::max(root_, round_up(shares.sum));
  }
}

Time Bounds::of(const State& state, Mask narrow, Time limit) {
  const Time now = state.last_start();
  Time bound = std::max(root_, state.latest_end());
  const std::size_t n = piece_.tasks.size();
  const std::array<Area, kKinds> cores = {std::max<std::int64_t>(1, piece_.cores[kTensor]),
                                          std::max<std::int64_t>(1, piece_.cores[kVector])};
  std::array<Area, kKinds> area{};
  std::array<double, kKept> share{};
  // One task at a time on the network, from the first that can start there to the shortest way that
  // is left behind one.
  Time network = 0, network_from = kNever, network_tail = kNever;
  for (std::size_t i = 0; i < n; ++i) {
    if (state.is_scheduled(i)) {
      finish_[i] = state.end(i);
      continue;
    }
    const PieceTask& task = piece_.tasks[i];
    Time at = now;
    for (Mask before = task.before; before != 0; before &= before - 1) {
      at = std::max(at, finish_[lowest(before)]);
    }
    const Time room = limit - at - tails_[i];  // a width must take less
    const bool can_one = task.one < room;
    const bool can_all = task.all < room && !(narrow & bit(i));
    if (!can_one && !can_all) {
      return limit;
    }
    finish_[i] = at + (!can_all ? task.one : !can_one ? task.all : task.fastest());
    bound = std::max(bound, finish_[i] + tails_[i]);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (task.needs[kind]) {
        area[kind] += !can_all   ? Area{task.one}
                      : !can_one ? task.all * cores[kind]
                                 : least_area(task, kind, cores[kind]);
      }
    }
    if (task.is_network) {
      network += task.one;
      network_from = std::min(network_from, at);
      network_tail = std::min(network_tail, tails_[i]);
    }
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const Shares::Task& t = shares_[s].tasks[i];
      share[s] += !can_all ? t.one : !can_one ? t.wide : t.least();
    }
  }
  if (network > 0) {
    bound = std::max(bound, std::max(network_from, state.network_end()) + network + network_tail);
  }
  // What runs still takes its cores.
  std::array<double, kKinds> committed{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    Area busy = 0;
    for (const Time end : state.running(kind)) {
      if (end <= now) {
        break;
      }
      busy += end - now;
    }
    Time blocked = state.wide_end(kind);
    if (piece_.exclusive_wide) {
      blocked = std::max(state.wide_end(kTensor), state.wide_end(kVector));
    }
    busy += std::max<Time>(0, blocked - now) * cores[kind];
    committed[kind] = static_cast<double>(busy) / static_cast<double>(cores[kind]);
    bound = std::max(bound, now + divide_up(busy + area[kind], cores[kind]));
  }
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const std::array<double, kKinds>& load = shares_[s].load;
    bound = std::max(bound, now + round_up(share[s] + load[kTensor] * committed[kTensor] +
                                           load[kVector] * committed[kVector]));
  }
  return bound;
}

}  // namespace phaze::schedule
