#include "schedule/splits.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

struct Choice {
  double score = 0;  // time that the relaxed schedule spends on what neither part allows
  std::size_t task = kNoTask, other = kNoTask;  // no other: by its width
  bool is_likely = false;                       // wide, or before the other
};

Mask running(const Rates::Spent& spent) { return spent.moment.one | spent.moment.wide; }

void try_width(const Piece& piece, const Rates& rates, std::size_t task, Choice& best) {
  const PieceTask& t = piece.tasks[task];
  double share = 0;
  for (const Rates::Spent& spent : rates.spent) {
    share += (spent.moment.wide & bit(task)) != 0 ? spent.time / static_cast<double>(t.all) : 0;
  }
  // A little even where it is not shared, to have something to choose.
  constexpr double kLittle = 1e-3;
  const double score = (std::clamp(std::min(share, 1 - share), 0.0, 0.5) + kLittle) *
                       static_cast<double>(t.fastest());
  if (score > best.score) {
    best = {score, task, kNoTask, share > 0.5};
  }
}

// Of the time that the task runs, what lies before the other task and what lies behind it.
void try_order(const Intervals& intervals, const Rates& rates, std::size_t task, std::size_t other,
               Choice& best) {
  double before = 0, behind = 0;
  for (const Rates::Spent& spent : rates.spent) {
    if ((running(spent) & bit(task)) == 0) {
      continue;
    }
    before += (running(spent) & intervals.above[other]) != 0 ? spent.time : 0;
    behind += (running(spent) & intervals.below[other]) != 0 ? spent.time : 0;
  }
  const double score = std::min(before, behind);
  if (score > best.score) {
    best = {score, task, other, before > behind};
  }
}

// The first two on the network whose order is open; none where there are none, or too many to begin
// with.
Choice find_network_order(const Piece& piece, const Intervals& intervals) {
  constexpr std::size_t kFewPairs = 3;
  Choice first;
  std::size_t pairs = 0;
  Mask before = 0;  // on the network
  for (const std::size_t i : intervals.order) {
    if (!piece.exclusive_wide || !piece.tasks[i].is_network || piece.tasks[i].one == 0) {
      continue;
    }
    const Mask open = before & ~intervals.above[i];
    if (open != 0 && pairs == 0) {
      first = {0, lowest(open), i, true};
    }
    pairs += count(open);
    before |= bit(i);
  }
  return pairs <= kFewPairs ? first : Choice();
}

}  // namespace

bool has_open_network(const Piece& piece, const Intervals& intervals) {
  return find_network_order(piece, intervals).task != kNoTask;
}

Part whole(const Piece& piece, std::int64_t nodes) {
  Part part;
  part.before = predecessors(piece);
  part.nodes = nodes;
  return part;
}

std::optional<std::pair<Part, Part>> split(const Piece& piece, const Intervals& intervals,
                                           const Widths& widths, const Rates& rates,
                                           const Part& part) {
  Choice best = find_network_order(piece, intervals);
  const std::size_t n = best.task == kNoTask ? piece.tasks.size() : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if ((widths.one & widths.wide & bit(i)) != 0) {
      try_width(piece, rates, i, best);
    }
    for (std::size_t j = 0; j < n; ++j) {
      const bool is_open = i != j && ((intervals.above[i] | intervals.below[i]) & bit(j)) == 0;
      if (is_open && exclude_each_other(piece, widths, i, j)) {
        try_order(intervals, rates, i, j, best);
      }
    }
  }
  if (best.task == kNoTask) {
    return std::nullopt;
  }
  std::pair<Part, Part> parts(part, part);
  parts.first.is_told = parts.second.is_told = false;
  parts.first.open = parts.second.open = kNever;
  parts.first.widths = parts.second.widths = widths;
  for (const bool is_second : {false, true}) {
    Part& half = is_second ? parts.second : parts.first;
    const bool is_so = is_second == best.is_likely;
    if (best.other == kNoTask) {
      (is_so ? half.widths.one : half.widths.wide) &= ~bit(best.task);
    } else {
      half.before[is_so ? best.other : best.task] |= bit(is_so ? best.task : best.other);
    }
  }
  return parts;
}

Part OpenParts::take_last() {
  Part part = std::move(parts_.back());
  parts_.pop_back();
  return part;
}

Part OpenParts::take_least() {
  const auto comes_first = [](const Part& a, const Part& b) {
    return a.bound != b.bound ? a.bound < b.bound : a.is_told < b.is_told;
  };
  std::swap(*std::min_element(parts_.begin(), parts_.end(), comes_first), parts_.back());
  return take_last();
}

Time OpenParts::least_bound() const {
  Time least = kNever;
  for (const Part& part : parts_) {
    least = std::min(least, part.bound);
  }
  return least;
}

bool OpenParts::are_all_told(Time limit) const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [limit](const Part& part) { return part.is_told || part.bound >= limit; });
}

}  // namespace phaze::schedule
