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

constexpr double kNoWeight = 1e-12;
constexpr double kSame = 1e-10;  // weights are about 1

std::size_t heaviest(const std::vector<double>& weights, Mask tasks) {
  std::size_t best = lowest(tasks);
  for (Mask rest = tasks & (tasks - 1); rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    best = weights[i] > weights[best] ? i : best;
  }
  return best;
}

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
    : piece_(piece), company_(company), left_(piece.tasks.size()) {
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      users_[kind] |= piece.tasks[i].needs[kind] ? bit(i) : 0;
    }
  }
}

HeaviestMoment::Found HeaviestMoment::find(const std::vector<double>& one,
                                           const std::vector<double>& wide, double floor,
                                           std::int64_t nodes) {
  one_ = &one;
  wide_ = &wide;
  found_ = {{}, floor, 0};
  nodes_left_ = nodes;
  start({});
  for (Mask rest = company_.wide; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    start({0, bit(i)});
    if (piece_.exclusive_wide || !piece_.tasks[i].needs[kTensor] ||
        piece_.tasks[i].needs[kVector]) {
      continue;
    }
    const Mask beside = company_.wide & users_[kVector] & ~users_[kTensor] & ~company_.apart[i];
    for (Mask others = beside; others != 0; others &= others - 1) {
      start({0, bit(i) | bit(lowest(others))});
    }
  }
  // What pruning and weights of nought may have hidden.
  const auto hidden = 2 * static_cast<double>(piece_.tasks.size()) * kNoWeight;
  found_.most = std::max(found_.most, found_.weight) + kSame + hidden;
  return found_;
}

// From wide tasks on.
void HeaviestMoment::start(const Moment& with) {
  Mask open = 0;
  for (Mask rest = company_.one; rest != 0; rest &= rest - 1) {
    open |= (*one_)[lowest(rest)] > kNoWeight ? bit(lowest(rest)) : 0;
  }
  std::array<std::int64_t, kKinds> cores = piece_.cores;
  double weight = 0;
  for (Mask rest = with.wide; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    weight += (*wide_)[i];
    open &= ~company_.apart[i];
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      cores[kind] = piece_.exclusive_wide || piece_.tasks[i].needs[kind] ? 0 : cores[kind];
    }
  }
  current_ = with;
  extend(open, weight, cores);
}

void HeaviestMoment::extend(Mask open, double weight, std::array<std::int64_t, kKinds> cores) {
  if (weight > found_.weight) {
    found_.weight = weight;
    found_.moment = current_;
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
    const std::size_t i = heaviest(*one_, open);
    std::array<std::int64_t, kKinds> fewer = cores;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      fewer[kind] -= piece_.tasks[i].needs[kind] ? 1 : 0;
    }
    current_.one |= bit(i);
    extend(open & ~company_.apart[i], weight + (*one_)[i], fewer);
    current_.one &= ~bit(i);
    open &= ~bit(i);
  }
}

double HeaviestMoment::most_by_cores(Mask open, const std::array<std::int64_t, kKinds>& cores) {
  double sum = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    sorted_.clear();
    for (Mask rest = open & users_[kind]; rest != 0; rest &= rest - 1) {
      sorted_.push_back((*one_)[lowest(rest)]);
    }
    open &= ~users_[kind];
    const auto most = static_cast<std::size_t>(cores[kind]);
    if (sorted_.size() > most) {
      std::nth_element(sorted_.begin(), sorted_.begin() + cores[kind] - 1, sorted_.end(),
                       std::greater<>());
      sorted_.resize(most);
    }
    for (const double weight : sorted_) {
      sum += weight;
    }
  }
  double network = 0;
  for (Mask rest = open; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if (piece_.tasks[i].is_network) {
      network = std::max(network, (*one_)[i]);
    } else {
      sum += (*one_)[i];
    }
  }
  return sum + network;
}

// Ends when the sum is above `enough`.
double HeaviestMoment::most_by_chains(Mask open, double enough) {
  double sum = 0;
  for (Mask rest = open; rest != 0; rest &= rest - 1) {
    left_[lowest(rest)] = (*one_)[lowest(rest)];
  }
  while (open != 0 && sum <= enough) {
    Mask chain = 0;
    double least = 0;
    for (Mask next = open; next != 0;) {
      const std::size_t i = heaviest(left_, next);
      least = chain == 0 ? left_[i] : std::min(least, left_[i]);
      chain |= bit(i);
      next &= company_.apart[i] & ~bit(i);
    }
    sum += least;
    for (Mask rest = chain; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      left_[i] -= least;
      open &= left_[i] <= kNoWeight ? ~bit(i) : ~Mask{0};
    }
  }
  return sum;
}

}  // namespace phaze::schedule
