#include "schedule/windows.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

constexpr int kMostRounds = 6;

Time shortest(const PieceTask& task, bool can_one, bool can_wide) {
  return !can_wide ? task.one : !can_one ? task.all : task.fastest();
}

// Does it take the same cores in both widths?
bool takes_the_same(const Piece& piece, const PieceTask& task) {
  const auto is_all = [&](std::size_t kind) { return !task.needs[kind] || piece.cores[kind] == 1; };
  return !piece.exclusive_wide && is_all(kTensor) && is_all(kVector);
}

}  // namespace

Widths useful_widths(const Piece& piece, const Widths& widths) {
  Widths useful{widths.one & all_of(piece), 0};
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    const PieceTask& task = piece.tasks[i];
    useful.wide |= task.all != kNever ? widths.wide & bit(i) : 0;
    if (task.one <= task.all) {
      useful.wide &= ~bit(i);  // it takes more, and is no faster
    } else if (takes_the_same(piece, task)) {
      useful.one &= ~bit(i);
    }
  }
  return useful;
}

Loads least_loads(const Piece& piece, std::size_t index, bool can_one, bool can_wide) {
  const PieceTask& task = piece.tasks[index];
  const bool needs_cores = task.needs_cores();
  Loads loads{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Area one = task.needs[kind] ? task.one : 0;
    const bool takes_all = task.needs[kind] || (piece.exclusive_wide && needs_cores);
    const Area wide = takes_all ? Area{task.all} * piece.cores[kind] : 0;
    const Area least = !can_wide ? one : !can_one ? wide : std::min(one, wide);
    loads[kind] = static_cast<std::int64_t>(std::min<Area>(least, kMostLoad));
  }
  loads[kNetwork] = task.is_network ? std::min(task.one, kMostLoad) : 0;
  return loads;
}

Time time_of(const Piece& piece, const std::vector<Loads>& loads,
             std::span<const std::uint8_t> tasks) {
  Loads sum{};
  for (const std::size_t i : tasks) {
    const Loads& one = loads[i];
    for (std::size_t r = 0; r < kResources; ++r) {
      sum[r] += one[r];
    }
  }
  Time time = sum[kNetwork];
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (sum[kind] > Area{time} * piece.cores[kind]) {
      time = (sum[kind] - 1) / piece.cores[kind] + 1;
    }
  }
  return time;
}

Windows find_windows(const Piece& piece, const Intervals& intervals, const Widths& widths,
                     Time limit) {
  const std::size_t n = piece.tasks.size();
  Windows windows;
  std::vector<Time> length(n);
  std::vector<Loads> loads(n);
  windows.widths = useful_widths(piece, widths);
  std::vector<Time> over(intervals.all.size());  // time of what is between
  for (int round = 0; round < kMostRounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool can_one = (windows.widths.one & bit(i)) != 0;
      const bool can_wide = (windows.widths.wide & bit(i)) != 0;
      length[i] = shortest(piece.tasks[i], can_one, can_wide);
      loads[i] = least_loads(piece, i, can_one, can_wide);
    }
    windows.heads.assign(n, 0);
    windows.tails.assign(n, 0);
    windows.bound = 0;
    std::size_t k = 0;
    for (const std::size_t i : intervals.order) {
      Time& head = windows.heads[i];
      for (const std::size_t j : intervals.before_lists[i]) {
        head = std::max(head, windows.heads[j] + length[j]);
      }
      for (; k < intervals.all.size() && intervals.all[k].to == i; ++k) {
        const Interval& interval = intervals.all[k];
        const std::size_t from = interval.from;
        over[k] = time_of(piece, loads, intervals.between_lists[k]);
        head = std::max(head, (from == kNoTask ? 0 : windows.heads[from] + length[from]) + over[k]);
      }
      windows.bound = std::max(windows.bound, head + length[i]);
    }
    std::vector<Time>& tails = windows.tails;
    for (; k < intervals.all.size(); ++k) {  // to the end of all
      const Interval& interval = intervals.all[k];
      const std::size_t from = interval.from;
      over[k] = time_of(piece, loads, intervals.between_lists[k]);
      windows.bound = std::max(
          windows.bound, (from == kNoTask ? 0 : windows.heads[from] + length[from]) + over[k]);
      if (from != kNoTask) {
        tails[from] = std::max(tails[from], over[k]);
      }
    }
    // From the end; what is to a task comes when its own tail is known.
    k = intervals.all.size();
    while (k > 0 && intervals.all[k - 1].to == kNoTask) {
      --k;
    }
    for (auto at = intervals.order.rbegin(); at != intervals.order.rend(); ++at) {
      const std::size_t i = *at;
      for (; k > 0 && intervals.all[k - 1].to == i; --k) {
        if (const std::size_t from = intervals.all[k - 1].from; from != kNoTask) {
          tails[from] = std::max(tails[from], over[k - 1] + length[i] + tails[i]);
        }
      }
      for (const std::size_t j : intervals.before_lists[i]) {
        tails[j] = std::max(tails[j], length[i] + tails[i]);
      }
    }
    Widths left{0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const PieceTask& task = piece.tasks[i];
      const Time room = limit - windows.heads[i] - tails[i];  // a width must take less
      left.one |= task.one < room ? windows.widths.one & bit(i) : 0;
      left.wide |= task.all < room ? windows.widths.wide & bit(i) : 0;
    }
    if ((left.one | left.wide) != all_of(piece) || windows.bound >= limit) {
      windows.bound = limit;
      return windows;
    }
    if (left == windows.widths) {
      break;
    }
    windows.widths = left;
  }
  return windows;
}

bool exclude_each_other(const Piece& piece, const Widths& widths, std::size_t a, std::size_t b) {
  const PieceTask& x = piece.tasks[a];
  const PieceTask& y = piece.tasks[b];
  const auto takes_time = [&](std::size_t i) {
    const bool can_one = (widths.one & bit(i)) != 0, can_wide = (widths.wide & bit(i)) != 0;
    return shortest(piece.tasks[i], can_one, can_wide) > 0;
  };
  if (!takes_time(a) || !takes_time(b)) {
    return false;
  }
  if (x.is_network || y.is_network) {
    return x.is_network && y.is_network;
  }
  const bool is_wide = !(widths.one & bit(a)) || !(widths.one & bit(b));
  if (piece.exclusive_wide && is_wide) {
    return x.needs_cores() && y.needs_cores();
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (x.needs[kind] && y.needs[kind] && (is_wide || piece.cores[kind] == 1)) {
      return true;
    }
  }
  return false;
}

OrderFound add_orders(const Piece& piece, const Windows& windows, Time limit,
                      const Intervals& intervals, std::vector<Mask>& before) {
  const std::size_t n = piece.tasks.size();
  OrderFound found = OrderFound::kNone;
  std::vector<Time> length(n);
  for (std::size_t i = 0; i < n; ++i) {
    length[i] = shortest(piece.tasks[i], (windows.widths.one & bit(i)) != 0,
                         (windows.widths.wide & bit(i)) != 0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (((intervals.above[i] | intervals.below[i]) & bit(j)) || length[i] == 0 ||
          length[j] == 0) {
        continue;
      }
      const auto fits = [&](std::size_t a, std::size_t b) {
        return windows.heads[a] + length[a] + length[b] + windows.tails[b] < limit;
      };
      const bool is_first = fits(i, j), is_second = fits(j, i);
      if ((is_first && is_second) || !exclude_each_other(piece, windows.widths, i, j)) {
        continue;
      }
      if (!is_first && !is_second) {
        return OrderFound::kContradiction;
      }
      before[is_first ? j : i] |= bit(is_first ? i : j);
      found = OrderFound::kSome;
    }
  }
  return found;
}

}  // namespace phaze::schedule
