#include "schedule/segment_plan.h"

#include <algorithm>

namespace phaze::schedule {

SegmentPlan plan_of(const std::vector<Start>& starts, const Piece& piece) {
  SegmentPlan plan;
  Time end = 0;
  for (const std::size_t i : by_starts(starts)) {
    const PieceTask& task = piece.tasks[i];
    if (starts[i].at >= end && !plan.items.empty()) {
      plan.items.back().ends_segment = true;
    }
    if (!starts[i].wide || task.all == 0) {  // what takes no time excludes nothing
      plan.items.push_back({i, false});
    }
    end = std::max(end, starts[i].at + duration(task, starts[i].wide));
  }
  return plan;
}

std::vector<Start> SegmentPlans::starts(const SegmentPlan& plan) {
  std::vector<Start> starts(piece_.tasks.size());
  read(plan, &starts);
  return starts;
}

Time SegmentPlans::read(const SegmentPlan& plan, std::vector<Start>* starts) {
  Time saved = 0;  // against all tasks alone
  Time now = 0;    // as far as starts are asked for
  Mask done = 0;
  for (auto item = plan.items.begin(); item != plan.items.end();) {
    const Mask before = done;
    Mask in = 0, behind = 0;
    Time length = 0, if_alone = 0;
    segment_.clear();
    busy_[kTensor].clear();
    busy_[kVector].clear();
    for (bool is_over = false; item != plan.items.end() && !is_over; ++item) {
      const std::size_t i = item->task;
      is_over = item->ends_segment;
      if ((done & bit(i)) != 0) {
        continue;  // something waits for it that came before
      }
      const Mask extra = order_.above[i] & ~done;
      if ((extra & behind) != 0) {
        break;  // between two tasks of a segment none can run alone
      }
      const Time at = place(i);
      length = std::max(length, at + tasks_.beside[i]);
      if_alone += tasks_.alone[i];
      in |= bit(i);
      behind |= order_.below[i];
      done |= extra | bit(i);
    }
    const bool is_worth_it = length < if_alone;
    saved += is_worth_it ? if_alone - length : 0;
    if (starts != nullptr && !is_worth_it) {
      now = run_alone(piece_, order_, tasks_, done & ~before, now, *starts);
    } else if (starts != nullptr) {
      now = run_alone(piece_, order_, tasks_, done & ~before & ~in, now, *starts);
      for (const auto& [i, at] : segment_) {
        (*starts)[i] = {now + at, tasks_.beside[i] < piece_.tasks[i].one};
      }
      now += length;
    }
  }
  if (starts != nullptr) {
    run_alone(piece_, order_, tasks_, all_of(piece_) & ~done, now, *starts);
  }
  return end_if_alone_ - saved;
}

Time SegmentPlans::place(std::size_t task) {
  const PieceTask& t = piece_.tasks[task];
  Time at = 0;
  for (const auto& [other, start] : segment_) {
    if ((order_.before[task] & bit(other)) != 0) {
      at = std::max(at, start + tasks_.beside[other]);
    }
  }
  const bool takes_time = tasks_.beside[task] > 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const std::vector<Time>& busy = busy_[kind];
    if (takes_time && t.needs[kind] &&
        busy.size() == static_cast<std::size_t>(piece_.cores[kind])) {
      at = std::max(at, *std::min_element(busy.begin(), busy.end()));
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!takes_time || !t.needs[kind]) {
      continue;
    }
    // The core that was given up last, to keep the others free from earlier on.
    std::vector<Time>& busy = busy_[kind];
    Time* core = nullptr;
    for (Time& until : busy) {
      core = until <= at && (core == nullptr || until > *core) ? &until : core;
    }
    (core != nullptr ? *core : busy.emplace_back()) = at + tasks_.beside[task];
  }
  segment_.emplace_back(task, at);
  return at;
}

}  // namespace phaze::schedule
