// Bounds of a schedule. Three are plain: the longest path at fastest durations; the work of a kind
// of core over its number; both from what is scheduled on.
//
// The fourth weighs them against one another. For every weight p + l_t + l_v = 1
//     makespan >= p (path) + l_t (load of tensor cores) + l_v (load of vector cores),
// and the right side is a sum over tasks, each with the width that makes its own share smallest: a
// wide task is short on the path but takes all cores (of both kinds where it excludes all others),
// a task on one core is cheap in load but long on the path. The sum of the smallest shares is a
// bound for any choice of widths. A few weights that bind at the root are kept.
#include "schedule/bounds.h"

#include <algorithm>
#include <cmath>

namespace phaze::schedule {
namespace {

constexpr std::size_t kKept = 6;     // mixes
constexpr double kSlack = 1 - 1e-9;  // for sums of doubles

Time divide_up(Area area, Area cores) { return static_cast<Time>((area + cores - 1) / cores); }

Time round_up(double value) { return static_cast<Time>(std::ceil(value * kSlack - 0.5)); }

}  // namespace

Bounds::Bounds(const Piece& piece, bool mixed) : piece_(piece) {
  const std::size_t n = piece.tasks.size();
  heads_.assign(n, 0);
  tails_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (piece.tasks[i].before & bit(j)) {
        heads_[i] = std::max(heads_[i], heads_[j] + piece.tasks[j].fastest());
      }
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (piece.tasks[i].after & bit(j)) {
        tails_[i] = std::max(tails_[i], tails_[j] + piece.tasks[j].fastest());
      }
    }
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto length = [&](std::size_t t) {
      return heads_[t] + piece.tasks[t].fastest() + tails_[t];
    };
    root_ = std::max(root_, length(i));
    if (heads_[i] == 0 && piece.tasks[i].before == 0 && length(i) > length(first)) {
      first = i;
    }
  }
  // One longest path.
  on_path_.assign(n, false);
  if (n > 0) {
    for (std::size_t at = first;;) {
      on_path_[at] = true;
      std::size_t next = n;
      for (std::size_t j = at + 1; j < n; ++j) {
        const bool is_next =
            (piece.tasks[at].after & bit(j)) && tails_[j] + piece.tasks[j].fastest() == tails_[at];
        if (is_next) {
          next = j;
          break;
        }
      }
      if (next == n) {
        break;
      }
      at = next;
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    areas_[kind].assign(n, 0);
    const Area cores = std::max<std::int64_t>(1, piece.cores[kind]);
    for (std::size_t i = 0; i < n; ++i) {
      const PieceTask& task = piece.tasks[i];
      if (task.needs[kind]) {
        areas_[kind][i] = std::min(Area{task.one}, task.all * cores);
        area_left_[kind] += areas_[kind][i];
      }
    }
    root_ = std::max(root_, divide_up(area_left_[kind], cores));
  }
  if (mixed && n > 1) {
    add_mixes();
  }
}

Bounds::Costs Bounds::costs_of(std::size_t index, const Mix& mix) const {
  const PieceTask& task = piece_.tasks[index];
  const double path = on_path_[index] ? mix.path : 0;
  double one = path * static_cast<double>(task.one);
  double wide_share = path;
  const bool needs_cores = task.needs[kTensor] || task.needs[kVector];
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto cores = static_cast<double>(std::max<std::int64_t>(1, piece_.cores[kind]));
    if (task.needs[kind]) {
      one += mix.load[kind] * static_cast<double>(task.one) / cores;
    }
    if (task.needs[kind] || (piece_.exclusive_wide && needs_cores)) {
      wide_share += mix.load[kind];
    }
  }
  // What cannot run wide costs the same either way.
  return {one, task.all == kNever ? one : wide_share * static_cast<double>(task.all)};
}

void Bounds::add_mixes() {
  constexpr int kSteps = 12;
  std::vector<Mix> all;
  const std::size_t n = piece_.tasks.size();
  for (int p = 1; p < kSteps; ++p) {
    for (int t = 0; t <= kSteps - p; ++t) {
      Mix mix{static_cast<double>(p) / kSteps,
              {static_cast<double>(t) / kSteps, static_cast<double>(kSteps - p - t) / kSteps},
              std::vector<Costs>(n),
              0};
      for (std::size_t i = 0; i < n; ++i) {
        mix.cost[i] = costs_of(i, mix);
        mix.left += std::min(mix.cost[i].one, mix.cost[i].wide);
      }
      all.push_back(std::move(mix));
    }
  }
  std::sort(all.begin(), all.end(), [](const Mix& a, const Mix& b) { return a.left > b.left; });
  all.resize(std::min(all.size(), kKept));
  for (const Mix& mix : all) {
    root_ = std::max(root_, round_up(mix.left));
  }
  mixes_ = std::move(all);
}

void Bounds::add(std::size_t task) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    area_left_[kind] -= areas_[kind][task];
  }
  for (Mix& mix : mixes_) {
    mix.left -= std::min(mix.cost[task].one, mix.cost[task].wide);
  }
}

void Bounds::remove(std::size_t task) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    area_left_[kind] += areas_[kind][task];
  }
  for (Mix& mix : mixes_) {
    mix.left += std::min(mix.cost[task].one, mix.cost[task].wide);
  }
}

Time Bounds::of(const State& state, Time limit) {
  const Time now = state.last_start();
  Time bound = std::max(root_, state.latest_end());
  const std::size_t n = piece_.tasks.size();
  earliest_.resize(n);
  std::array<Area, kKinds> area = area_left_;
  std::array<double, kKept> forced{};
  for (std::size_t i = 0; i < n; ++i) {
    const PieceTask& task = piece_.tasks[i];
    if (state.is_scheduled(i)) {
      bound = std::max(bound, state.end(i) + tails_[i]);
      continue;
    }
    Time at = now;
    for (std::size_t j = 0; j < i; ++j) {
      if (task.before & bit(j)) {
        at = std::max(
            at, state.is_scheduled(j) ? state.end(j) : earliest_[j] + piece_.tasks[j].fastest());
      }
    }
    earliest_[i] = at;
    bound = std::max(bound, at + task.fastest() + tails_[i]);
    const Time room = limit - at - tails_[i];  // a width must take less
    const bool can_one = task.one < room;
    const bool can_all = task.all < room;
    if (can_one == can_all) {
      continue;
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (task.needs[kind]) {
        const Area cores = std::max<std::int64_t>(1, piece_.cores[kind]);
        area[kind] += (can_one ? Area{task.one} : task.all * cores) - areas_[kind][i];
      }
    }
    for (std::size_t m = 0; m < mixes_.size(); ++m) {
      const Costs& cost = mixes_[m].cost[i];
      forced[m] += (can_one ? cost.one : cost.wide) - std::min(cost.one, cost.wide);
    }
  }
  // What runs still takes its cores.
  std::array<double, kKinds> committed{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Area cores = std::max<std::int64_t>(1, piece_.cores[kind]);
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
    busy += std::max<Time>(0, blocked - now) * cores;
    committed[kind] = static_cast<double>(busy) / static_cast<double>(cores);
    bound = std::max(bound, now + divide_up(busy + area[kind], cores));
  }
  for (std::size_t m = 0; m < mixes_.size(); ++m) {
    const Mix& mix = mixes_[m];
    const double more = mix.left + forced[m] + mix.load[kTensor] * committed[kTensor] +
                        mix.load[kVector] * committed[kVector];
    bound = std::max(bound, now + round_up(more));
  }
  return bound;
}

}  // namespace phaze::schedule
