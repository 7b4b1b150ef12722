// Bounds of a schedule, from what is scheduled on. Three are plain: the longest path at fastest
// durations; the work of a kind of core over its number; the tasks of the network one after
// another.
//
// The fourth weighs them against one another for all choices of widths: relaxation.h.
#include "schedule/bounds.h"

#include <algorithm>
#include <numeric>

#include "schedule/squeeze.h"

namespace phaze::schedule {
namespace {

constexpr std::size_t kKept = 3;  // weighed bounds
constexpr int kRounds = 32;       // to find them

// The least core time of a kind, in whichever width.
Area least_area(const PieceTask& task, std::size_t kind, Area cores) {
  return task.needs[kind] ? std::min(Area{task.one}, task.all * cores) : 0;
}

}  // namespace

Bounds::Bounds(const Piece& piece)
    : piece_(piece), finish_(piece.tasks.size()), loads_(piece.tasks.size()) {
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
    const std::int64_t cores = std::max<std::int64_t>(1, piece.cores[kind]);
    Area area = 0;
    for (const PieceTask& task : piece.tasks) {
      area += least_area(task, kind, cores);
    }
    root_ = std::max(root_, divide_up(area, cores));
  }
  intervals_.order.resize(n);
  std::iota(intervals_.order.begin(), intervals_.order.end(), 0);
  intervals_.before = predecessors(piece);
  intervals_.before_lists = TaskLists(intervals_.before);
  loads_of_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    loads_of_.push_back({least_loads(piece, i, true, false), least_loads(piece, i, false, true),
                         least_loads(piece, i, true, true)});
  }
  is_alone_ = piece.exclusive_wide;
  for (const PieceTask& task : piece.tasks) {
    is_alone_ = is_alone_ && (task.needs_cores() || task.one == 0);
  }
  root_ = std::max(root_, of(State(piece), 0, kNever));
  plain_root_ = root_;
}

void Bounds::limit_to(Time limit) { limit_to(limit, whole(piece_, 0)); }

void Bounds::limit_to(Time limit, const Part& part) {
  if (limit > limit_ || part.widths != part_.widths || part.before != part_.before) {
    shares_.clear();
    rates_ = {};
  }
  part_ = part;
  limit_ = limit;
  root_ = plain_root_;
  before_ = part.before;
  std::optional<Intervals> intervals = find_intervals(before_);
  if (!intervals) {
    root_ = limit_;
    return;
  }
  intervals_ = *std::move(intervals);
  narrow(part.widths);
}

// Widths and orders that are left, as long as one follows from the other.
void Bounds::narrow(const Widths& widths) {
  windows_.widths = widths;
  for (;;) {
    windows_ = find_windows(piece_, intervals_, windows_.widths, limit_);
    root_ = std::max(root_, windows_.bound);
    squeeze();
    tails_ = windows_.tails;
    const OrderFound found = root_ < limit_
                                 ? add_orders(piece_, windows_, limit_, intervals_, before_)
                                 : OrderFound::kContradiction;
    if (found == OrderFound::kContradiction) {
      root_ = limit_;
      return;
    }
    if (found == OrderFound::kNone) {
      return;
    }
    std::optional<Intervals> intervals = find_intervals(before_);
    if (!intervals) {
      root_ = limit_;
      return;
    }
    intervals_ = *std::move(intervals);
  }
}

void Bounds::squeeze() {
  if (!is_squeezing_ || limit_ == kNever || root_ >= limit_) {
    return;
  }
  Squeezer squeezer(piece_, intervals_);
  if (!squeezer.run(limit_, windows_.widths)) {
    root_ = limit_;
    return;
  }
  windows_.widths = squeezer.widths();
  for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
    windows_.heads[i] = std::max(windows_.heads[i], squeezer.first_start(i));
    windows_.tails[i] = std::max(windows_.tails[i], limit_ - 1 - squeezer.last_end(i));
  }
}

// Leaves out widths with which a sum of shares reaches the limit.
Widths Bounds::affordable_widths() const {
  Widths widths = windows_.widths;
  for (const Shares& shares : shares_) {
    for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
      const Shares::Task& task = shares.tasks[i];
      const double others = shares.sum - task.least();
      widths.one &= round_up(others + task.one) >= limit_ ? ~bit(i) : ~Mask{0};
      widths.wide &= round_up(others + task.wide) >= limit_ ? ~bit(i) : ~Mask{0};
    }
  }
  return widths;
}

void Bounds::weigh() {
  while (root_ < limit_) {
    shares_ = compute_shares(piece_, intervals_, windows_.widths, kRounds, limit_);
    for (const Shares& shares : shares_) {
      root_ = std::max(root_, std::min(limit_, round_up(shares.sum)));
    }
    if (root_ >= limit_) {
      break;
    }
    const Widths widths = affordable_widths();
    if (widths == windows_.widths) {
      break;
    }
    narrow(widths);
  }
}

void Bounds::rate(RateFinder& finder, int steps) {
  while (root_ < limit_) {
    rates_ = finder.find(find_company(piece_, intervals_, windows_, limit_), limit_, steps);
    root_ = std::max(root_, std::min(limit_, round_up(rates_.sum)));
    if (!is_alone_ || root_ >= limit_) {
      return;
    }
    Widths widths = windows_.widths;
    for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
      const PieceTask& task = piece_.tasks[i];
      if (task.all != kNever &&
          round_up(rates_.sum - rates_.value[i] + static_cast<double>(task.all)) >= limit_) {
        widths.wide &= ~bit(i);
      }
    }
    if (widths == windows_.widths) {
      return;
    }
    narrow(widths);
  }
}

bool Bounds::reaches_limit(RateFinder& finder, int steps) const {
  return root_ >= limit_ ||
         finder.reaches(find_company(piece_, intervals_, windows_, limit_), limit_, steps);
}

Time Bounds::of(const State& state, Mask narrow, Time limit) {
  const Time now = state.last_start();
  Time bound = std::max(root_, state.latest_end());
  const std::array<std::int64_t, kKinds> cores = {std::max<std::int64_t>(1, piece_.cores[kTensor]),
                                                  std::max<std::int64_t>(1, piece_.cores[kVector])};
  std::array<Area, kKinds> area{};
  std::array<double, kKept> share{};
  // What runs wide by itself takes all of its time.
  const Time begin =
      is_alone_ ? std::max({now, state.wide_end(kTensor), state.wide_end(kVector)}) : now;
  const bool has_rates = !rates_.value.empty();
  double values = 0;
  // One task at a time on the network, from the first that can start there to the shortest way that
  // is left behind one.
  Time network = 0, network_from = kNever, network_tail = kNever;
  const std::vector<Interval>& intervals = intervals_.all;
  std::size_t next = 0;
  // When what is left between may have ended, from where it may begin.
  const auto end_of = [&](std::size_t k) {
    const std::size_t from = intervals[k].from;
    const Time begins = from == kNoTask ? now : std::max(now, finish_[from]);
    return begins + time_of(piece_, loads_, intervals_.between_lists[k]);
  };
  for (const std::size_t i : intervals_.order) {
    if (state.is_scheduled(i)) {
      finish_[i] = state.end(i);
      if (has_rates && finish_[i] > begin) {
        values += (state.is_wide(i) ? rates_.wide : rates_.one)[i] *
                  static_cast<double>(finish_[i] - begin);
      }
      loads_[i] = {};
      for (; next < intervals.size() && intervals[next].to == i; ++next) {
      }
      continue;
    }
    const PieceTask& task = piece_.tasks[i];
    Time at = now;
    for (const std::size_t before : intervals_.before_lists[i]) {
      at = std::max(at, finish_[before]);
    }
    for (; next < intervals.size() && intervals[next].to == i; ++next) {
      at = std::max(at, end_of(next));
    }
    const Time room = limit - at - tails_[i];  // a width must take less
    const bool can_one = task.one < room && (windows_.widths.one & bit(i));
    const bool can_all = task.all < room && (windows_.widths.wide & bit(i)) && !(narrow & bit(i));
    if (!can_one && !can_all) {
      return limit;
    }
    if (!intervals.empty()) {
      loads_[i] = loads_of_[i][!can_all ? 0 : !can_one ? 1 : 2];
    }
    finish_[i] = at + (!can_all ? task.one : !can_one ? task.all : task.fastest());
    bound = std::max(bound, finish_[i] + tails_[i]);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (task.needs[kind]) {
        area[kind] += !can_all   ? Area{task.one}
                      : !can_one ? Area{task.all} * cores[kind]
                                 : least_area(task, kind, cores[kind]);
      }
    }
    if (task.is_network) {
      network += task.one;
      network_from = std::min(network_from, at);
      network_tail = std::min(network_tail, tails_[i]);
    }
    if (has_rates) {
      values += is_alone_ && !can_one ? static_cast<double>(task.all) : rates_.value[i];
    }
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const Shares::Task& t = shares_[s].tasks[i];
      share[s] += !can_all ? t.one : !can_one ? t.wide : t.least();
    }
  }
  for (; next < intervals.size(); ++next) {
    bound = std::max(bound, end_of(next));
  }
  if (network > 0) {
    bound = std::max(bound, std::max(network_from, state.network_end()) + network + network_tail);
  }
  bound = has_rates ? std::max(bound, begin + round_up(values)) : bound;
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
    busy += Area{std::max<Time>(0, blocked - now)} * cores[kind];
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
