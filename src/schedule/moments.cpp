// Branch and bound for the heaviest moment. A wide task, or one of each kind where they do not
// exclude one another, is chosen first; then tasks on one core, the heaviest first. What can still
// be added weighs no more than
//   - the heaviest tasks of each kind, as many as there are cores left;
//   - a sum over chains: of tasks that are apart from one another at most one runs. Chains are
//   taken
//     greedily from the heaviest task on, and each takes the least weight in it from all of its
//     tasks; what is left of them goes into further chains.
#include "schedule/moments.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

constexpr double kNoWeight = 1e-12, kMostWeight = 1e300;
// Weights are about 1, or up to some thousand, to which this is nought.
constexpr double kSame = 1e-10;

}  // namespace

Company find_company(const Piece& piece, const Intervals& intervals, const Windows& windows,
                     Time limit) {
  const std::size_t n = piece.tasks.size();
  Company company;
  company.apart.resize(n);
  Mask network = 0;
  for (std::size_t i = 0; i < n; ++i) {
    network |= piece.tasks[i].is_network ? bit(i) : 0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const PieceTask& task = piece.tasks[i];
    const bool can_wide = task.all != kNever && (windows.widths.wide & bit(i)) != 0;
    if (!can_wide || task.all > 0) {
      company.one |= task.one > 0 ? windows.widths.one & bit(i) : 0;
      company.wide |= can_wide ? bit(i) : 0;
    }
    Mask& apart = company.apart[i];
    apart |= intervals.above[i] | intervals.below[i] | bit(i);
    apart |= task.is_network ? network : 0;
    for (std::size_t j = 0; j < n; ++j) {
      // One has ended before the other can start.
      const bool meets = windows.heads[i] < limit - windows.tails[j] &&
                         windows.heads[j] < limit - windows.tails[i];
      apart |= meets ? 0 : bit(j);
    }
  }
  return company;
}

bool fits(const Company& company, const Moment& moment) {
  if ((moment.one & ~company.one) != 0 || (moment.wide & ~company.wide) != 0) {
    return false;
  }
  const Mask all = moment.one | moment.wide;
  for (Mask rest = all; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if ((company.apart[i] & all & ~bit(i)) != 0) {
      return false;
    }
  }
  return true;
}

HeaviestMoment::HeaviestMoment(const Piece& piece, const Company& company)
    : piece_(piece), company_(company) {}

// Tasks on one core that weigh something, by rank: the heaviest first.
void HeaviestMoment::rank(const std::vector<double>& one) {
  tasks_.clear();
  for (Mask rest = company_.one; rest != 0; rest &= rest - 1) {
    if (one[lowest(rest)] > kNoWeight) {
      tasks_.push_back(lowest(rest));
    }
  }
  std::sort(tasks_.begin(), tasks_.end(), [&one](std::size_t a, std::size_t b) {
    return one[a] != one[b] ? one[a] > one[b] : a < b;
  });
  const std::size_t n = tasks_.size();
  weights_.resize(n);
  left_.resize(n);
  apart_.assign(n, 0);
  users_ = {};
  network_ = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const std::size_t i = tasks_[r];
    weights_[r] = one[i];
    network_ |= piece_.tasks[i].is_network ? bit(r) : 0;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      users_[kind] |= piece_.tasks[i].needs[kind] ? bit(r) : 0;
    }
    for (std::size_t other = 0; other < n; ++other) {
      apart_[r] |= (company_.apart[i] & bit(tasks_[other])) != 0 ? bit(other) : 0;
    }
  }
}

HeaviestMoment::Found HeaviestMoment::find(const std::vector<double>& one,
                                           const std::vector<double>& wide, double floor,
                                           std::int64_t nodes) {
  rank(one);
  found_ = {{}, floor, 0};
  nodes_left_ = nodes;
  start(0, 0);
  Mask wides = 0;
  for (Mask rest = company_.wide; rest != 0; rest &= rest - 1) {
    wides |= wide[lowest(rest)] > kNoWeight ? bit(lowest(rest)) : 0;
  }
  for (Mask rest = wides; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    start(bit(i), wide[i]);
    const PieceTask& task = piece_.tasks[i];
    if (piece_.exclusive_wide || !task.needs[kTensor] || task.needs[kVector]) {
      continue;
    }
    for (Mask others = wides & ~company_.apart[i]; others != 0; others &= others - 1) {
      const std::size_t j = lowest(others);
      if (piece_.tasks[j].needs[kVector] && !piece_.tasks[j].needs[kTensor]) {
        start(bit(i) | bit(j), wide[i] + wide[j]);
      }
    }
  }
  // What pruning and weights of nought may have hidden.
  const auto hidden = 2 * static_cast<double>(piece_.tasks.size()) * kNoWeight;
  found_.most = std::max(found_.most, found_.weight) + kSame + hidden;
  return found_;
}

// From wide tasks of some weight on.
void HeaviestMoment::start(Mask with, double weight) {
  wide_ = with;
  current_ = 0;
  Mask open = tasks_.size() == kMostTasks ? ~Mask{0} : bit(tasks_.size()) - 1;
  std::array<std::int64_t, kKinds> cores = piece_.cores;
  for (Mask rest = with; rest != 0; rest &= rest - 1) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (piece_.exclusive_wide || piece_.tasks[lowest(rest)].needs[kind]) {
        cores[kind] = 0;
        open &= ~users_[kind];
      }
    }
  }
  for (Mask rest = with == 0 ? 0 : open; rest != 0; rest &= rest - 1) {
    const std::size_t r = lowest(rest);
    open &= (company_.apart[tasks_[r]] & with) != 0 ? ~bit(r) : ~Mask{0};
  }
  extend(open, weight, cores);
}

void HeaviestMoment::extend(Mask open, double weight, std::array<std::int64_t, kKinds> cores) {
  if (weight > found_.weight) {
    found_.weight = weight;
    found_.moment = {0, wide_};
    for (Mask rest = current_; rest != 0; rest &= rest - 1) {
      found_.moment.one |= bit(tasks_[lowest(rest)]);
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    open &= cores[kind] == 0 ? ~users_[kind] : ~Mask{0};
  }
  while (open != 0) {
    const double needed = found_.weight + kSame - weight;
    const double by_cores = most_by_cores(open, cores);
    if (by_cores <= needed || most_by_chains(open, needed) <= needed) {
      return;
    }
    if (--nodes_left_ <= 0) {
      found_.most = std::max(found_.most, weight + by_cores);
      return;
    }
    const std::size_t r = lowest(open);
    std::array<std::int64_t, kKinds> fewer = cores;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      fewer[kind] -= (users_[kind] & bit(r)) != 0 ? 1 : 0;
    }
    current_ |= bit(r);
    extend(open & ~apart_[r], weight + weights_[r], fewer);
    current_ &= ~bit(r);
    open &= ~bit(r);
  }
}

double HeaviestMoment::most_by_cores(Mask open,
                                     const std::array<std::int64_t, kKinds>& cores) const {
  double sum = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    std::int64_t left = cores[kind];
    for (Mask rest = open & users_[kind]; rest != 0 && left > 0; rest &= rest - 1, --left) {
      sum += weights_[lowest(rest)];
    }
    open &= ~users_[kind];
  }
  sum += (open & network_) != 0 ? weights_[lowest(open & network_)] : 0;
  for (Mask rest = open & ~network_; rest != 0; rest &= rest - 1) {
    sum += weights_[lowest(rest)];
  }
  return sum;
}

// Ends when the sum is above `enough`.
double HeaviestMoment::most_by_chains(Mask open, double enough) {
  double sum = 0;
  for (Mask rest = open; rest != 0; rest &= rest - 1) {
    left_[lowest(rest)] = weights_[lowest(rest)];
  }
  while (open != 0 && sum <= enough) {
    Mask chain = 0;
    double least = kMostWeight;
    for (Mask next = open; next != 0;) {
      const std::size_t r = lowest(next);
      least = std::min(least, left_[r]);
      chain |= bit(r);
      next &= apart_[r] & ~bit(r);
    }
    sum += least;
    for (Mask rest = chain; rest != 0; rest &= rest - 1) {
      const std::size_t r = lowest(rest);
      left_[r] -= least;
      open &= left_[r] <= kNoWeight ? ~bit(r) : ~Mask{0};
    }
  }
  return sum;
}

}  // namespace phaze::schedule
