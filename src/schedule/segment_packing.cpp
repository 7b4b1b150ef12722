// Near the end of a schedule whose cores are all busy its end is a matter of sums: which tasks go
// to which core so that all end at nearly the same time. States come upon such sums by luck alone,
// since they have the same bound. Here cores are filled one after another, the one that is free
// last first: with every set of tasks that leaves it idle no longer than all of them together may
// be, the longest tasks first, until the last core gets what remains (bin completion: Korf 2002).
// On a core, tasks with the longest way behind them go first.
//
// Nothing is proved by it: a task that is not ready when its core is free is not tried there.
#include "schedule/segment_packing.h"

#include <algorithm>

namespace phaze::schedule {

using Running = SegmentStates::Running;

namespace {

constexpr std::size_t kMostItems = 32;

}  // namespace

SegmentPacker::SegmentPacker(const Piece& piece, const Intervals& order, const SegmentTasks& tasks)
    : piece_(piece), order_(order), tasks_(tasks) {}

// The kind whose cores have more to do.
std::size_t SegmentPacker::busier_kind(Mask left) const {
  std::array<double, kKinds> load{};
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (Mask rest = left & tasks_.users[kind]; rest != 0; rest &= rest - 1) {
      load[kind] += static_cast<double>(tasks_.beside[lowest(rest)]) /
                    static_cast<double>(piece_.cores[kind]);
    }
  }
  return load[kVector] > load[kTensor] ? kVector : kTensor;
}

std::optional<std::size_t> SegmentPacker::packable_kind(Mask done) const {
  const Mask all = all_of(piece_) & ~done;
  if ((all & tasks_.open) != 0) {
    return std::nullopt;
  }
  const Mask left = all & tasks_.in_segments;
  const std::size_t kind = busier_kind(left);
  const Mask packed = left & tasks_.users[kind];
  if (packed == 0 || (packed & tasks_.users[kTensor] & tasks_.users[kVector]) != 0 ||
      count(packed) > kMostItems) {
    return std::nullopt;
  }
  for (Mask rest = packed; rest != 0; rest &= rest - 1) {
    if ((order_.above[lowest(rest)] & all) != 0) {
      return std::nullopt;
    }
  }
  for (Mask rest = all & ~left; rest != 0; rest &= rest - 1) {  // they can all come last
    if ((order_.below[lowest(rest)] & left) != 0) {
      return std::nullopt;
    }
  }
  return kind;
}

std::optional<SegmentPacking> SegmentPacker::find(const SegmentState& state, std::size_t kind,
                                                  std::span<const Running> running, Time limit,
                                                  std::int64_t& work) {
  const Mask all = all_of(piece_) & ~state.done;
  const Mask left = all & tasks_.in_segments;
  last_ = limit - 1 - alone(tasks_, all & ~left);
  cores_.assign(static_cast<std::size_t>(
                    std::min<std::int64_t>(piece_.cores[kind], std::int64_t{kMostTasks})),
                {state.last_start, {}});
  std::size_t busy = 0;
  Area idle = 0;
  for (const Running& run : running) {  // latest end first
    if (piece_.tasks[run.task].needs[kind] && run.end > state.last_start) {
      cores_[busy++].from = run.end;
    }
  }
  for (const Core& core : cores_) {
    idle += last_ - core.from;
  }
  items_.clear();
  for (Mask rest = left & tasks_.users[kind]; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    Item item{i, tasks_.beside[i], tasks_.one_core_tails[i], state.last_start};
    for (const Running& run : running) {
      item.ready =
          (order_.above[i] & bit(run.task)) != 0 ? std::max(item.ready, run.end) : item.ready;
    }
    idle -= item.length;
    items_.push_back(item);
  }
  std::ranges::stable_sort(items_, std::ranges::greater(), &Item::length);
  is_used_.assign(items_.size(), false);
  if (idle < 0 || cores_.front().from > last_ || !fill_from(0, idle, work)) {
    return std::nullopt;
  }
  return with_others(left & ~tasks_.users[kind], state, running, kind);
}

// Fills this core and all behind it, with so much idle time in all.
bool SegmentPacker::fill_from(std::size_t core, Area idle, std::int64_t& work) {
  if (core + 1 < cores_.size()) {
    return add_items(core, 0, last_ - cores_[core].from, idle, work);
  }
  Core& end = cores_[core];
  end.items.clear();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!is_used_[i]) {
      end.items.push_back(i);
    }
  }
  return is_in_time(end);
}

// Adds to what the core has, from some item on.
bool SegmentPacker::add_items(std::size_t core, std::size_t first, Time room, Area idle,
                              std::int64_t& work) {
  Area most = 0;  // that could be added
  for (std::size_t i = first; i < items_.size(); ++i) {
    most += is_used_[i] ? 0 : items_[i].length;
  }
  for (std::size_t i = first; i < items_.size() && room - most <= idle; ++i) {
    if (is_used_[i]) {
      continue;
    }
    const Item& item = items_[i];
    most -= item.length;
    if (item.length > room || item.ready > cores_[core].from) {
      continue;
    }
    if (--work <= 0) {
      return false;
    }
    is_used_[i] = true;
    cores_[core].items.push_back(i);
    if (add_items(core, i + 1, room - item.length, idle, work)) {
      return true;
    }
    std::erase(cores_[core].items, i);
    is_used_[i] = false;
  }
  return work > 0 && room <= idle && is_in_time(cores_[core]) &&
         fill_from(core + 1, idle - room, work);
}

// Puts what the core has in an order, and tells whether it can end by then.
bool SegmentPacker::is_in_time(Core& core) const {
  std::ranges::stable_sort(core.items, std::ranges::greater(),
                           [this](std::size_t i) { return items_[i].tail; });
  Time now = core.from;
  for (const std::size_t i : core.items) {
    if (items_[i].ready > now) {
      return false;
    }
    now += items_[i].length;
    if (now > last_ - items_[i].tail) {
      return false;
    }
  }
  return now <= last_;
}

// With tasks that need the other kind alone, each as early as it can.
std::optional<SegmentPacking> SegmentPacker::with_others(Mask others, const SegmentState& state,
                                                         std::span<const Running> running,
                                                         std::size_t kind) const {
  SegmentPacking packing;
  Time end = state.latest_end;
  std::vector<Time> ends(piece_.tasks.size(), state.last_start);
  for (const Running& run : running) {
    ends[run.task] = run.end;
  }
  for (const Core& core : cores_) {
    Time now = core.from;
    for (const std::size_t i : core.items) {
      packing.starts.emplace_back(items_[i].task, now);
      now += items_[i].length;
      ends[items_[i].task] = now;
    }
    end = std::max(end, now);
  }
  const std::size_t other = kind == kTensor ? kVector : kTensor;
  std::vector<Time> free;  // one for each core of the other kind
  for (const Running& run : running) {
    if (piece_.tasks[run.task].needs[other] && run.end > state.last_start) {
      free.push_back(run.end);
    }
  }
  const auto cores = static_cast<std::size_t>(
      std::min<std::int64_t>(piece_.cores[other], std::int64_t{kMostTasks}));
  free.resize(std::max(cores, free.size()), state.last_start);
  for (const std::size_t i : order_.order) {
    if ((others & bit(i)) == 0) {
      continue;
    }
    auto core = std::ranges::min_element(free);
    Time at = *core;
    for (Mask before = order_.above[i]; before != 0; before &= before - 1) {
      at = std::max(at, ends[lowest(before)]);
    }
    ends[i] = at + tasks_.beside[i];
    *core = ends[i];
    packing.starts.emplace_back(i, at);
    end = std::max(end, ends[i]);
  }
  if (end > last_) {
    return std::nullopt;
  }
  packing.end = end + alone(tasks_, all_of(piece_) & ~state.done & ~tasks_.in_segments);
  return packing;
}

}  // namespace phaze::schedule
