#include "schedule/intervals.h"

namespace phaze::schedule {
namespace {

bool has_several(Mask mask) { return (mask & (mask - 1)) != 0; }

// Whether one of the tasks comes before or after each of the others: then ways over it say as much.
bool has_waist(const Intervals& found, Mask tasks) {
  for (Mask rest = tasks; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if ((tasks & ~(found.above[i] | found.below[i] | bit(i))) == 0) {
      return true;
    }
  }
  return false;
}

// Shorter where they form a cycle.
std::vector<std::size_t> sort(const std::vector<Mask>& before) {
  std::vector<std::size_t> order;
  order.reserve(before.size());
  Mask done = 0;
  for (std::size_t known = 1; order.size() != known;) {
    known = order.size();
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!(done & bit(i)) && (before[i] & ~done) == 0) {
        done |= bit(i);
        order.push_back(i);
      }
    }
  }
  return order;
}

}  // namespace

std::optional<Order> find_order(const std::vector<Mask>& before) {
  const std::size_t n = before.size();
  Order found;
  found.order = sort(before);
  if (found.order.size() < n) {
    return std::nullopt;
  }
  found.before.assign(n, 0);
  found.above.assign(n, 0);
  found.below.assign(n, 0);
  for (const std::size_t i : found.order) {
    Mask implied = 0;
    for (Mask mask = before[i]; mask != 0; mask &= mask - 1) {
      const std::size_t j = lowest(mask);
      implied |= found.above[j];
      found.above[i] |= found.above[j] | bit(j);
    }
    found.before[i] = before[i] & ~implied;
    for (Mask mask = found.above[i]; mask != 0; mask &= mask - 1) {
      found.below[lowest(mask)] |= bit(i);
    }
  }
  found.before_lists = TaskLists(found.before);
  return found;
}

std::optional<Intervals> find_intervals(const std::vector<Mask>& before) {
  std::optional<Order> order = find_order(before);
  if (!order) {
    return std::nullopt;
  }
  Intervals found{*std::move(order), {}, {}};
  std::vector<Mask> after(before.size(), 0);
  Mask all = 0, first = 0, not_last = 0;
  for (const std::size_t i : found.order) {
    for (Mask mask = found.before[i]; mask != 0; mask &= mask - 1) {
      after[lowest(mask)] |= bit(i);
    }
    all |= bit(i);
    first |= found.before[i] == 0 ? bit(i) : 0;
    not_last |= found.before[i];
  }
  const auto add = [&found](std::size_t from, std::size_t to, Mask between) {
    if (between != 0 && !has_waist(found, between)) {
      found.all.push_back({from, to, between});
    }
  };
  const auto add_all_to = [&](std::size_t to, Mask above) {
    if (has_several(first & above)) {
      add(kNoTask, to, above);
    }
    for (Mask froms = above; froms != 0; froms &= froms - 1) {
      const std::size_t from = lowest(froms);
      if (has_several(after[from])) {
        add(from, to, found.below[from] & above);
      }
    }
  };
  for (const std::size_t to : found.order) {
    if (has_several(found.before[to])) {
      add_all_to(to, found.above[to]);
    }
  }
  if (has_several(all & ~not_last)) {
    add_all_to(kNoTask, all);
  }
  for (const Interval& interval : found.all) {
    found.between_lists.add(interval.between);
  }
  return found;
}

std::vector<Mask> predecessors(const Piece& piece) {
  std::vector<Mask> before;
  before.reserve(piece.tasks.size());
  for (const PieceTask& task : piece.tasks) {
    before.push_back(task.before);
  }
  return before;
}

}  // namespace phaze::schedule
