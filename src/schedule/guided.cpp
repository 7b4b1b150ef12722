// An active schedule (Giffler and Thompson 1960): of all tasks that could run next the one that
// would end first, or one that would be in its way and has to start earlier. Cores are taken up
// from left to right; widths are the fastest that are left.
#include "schedule/guided.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

class Builder {
 public:
  Builder(const Piece& piece, const Squeezer& windows, Guide guide)
      : piece_(piece), windows_(windows), guide_(guide), ends_(piece.tasks.size(), 0) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const auto most = static_cast<std::int64_t>(piece.tasks.size());
      cores_[kind].assign(
          static_cast<std::size_t>(std::clamp<std::int64_t>(piece.cores[kind], 1, most)), 0);
    }
    answer_.starts.resize(piece.tasks.size());
  }

  PieceAnswer run(Time limit) {
    while (done_ != all_of(piece_)) {
      list_choices();
      const Choice& choice = best_choice();
      // What comes behind it takes as long as its window leaves, or longer.
      if (choice.end + (windows_.limit() - 1 - windows_.last_end(choice.task)) >= limit) {
        answer_.makespan = kNever;
        break;
      }
      add(choice);
    }
    return std::move(answer_);
  }

 private:
  struct Choice {
    std::size_t task;
    Start start;
    Time end;
    Time last_start;  // by its window
  };

  void list_choices() {
    choices_.clear();
    for (Mask rest = all_of(piece_) & ~done_; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      if ((windows_.above(i) & ~done_) != 0) {
        continue;
      }
      const PieceTask& task = piece_.tasks[i];
      const bool can_one = (windows_.widths().one & bit(i)) != 0;
      const bool can_wide = (windows_.widths().wide & bit(i)) != 0;
      const bool wide = can_wide && (!can_one || task.all < task.one);
      Time at = guide_ == Guide::kPatient ? windows_.first_start(i) : 0;
      for (Mask before = windows_.above(i); before != 0; before &= before - 1) {
        at = std::max(at, ends_[lowest(before)]);
      }
      const Time length = duration(task, wide);
      at = length > 0 ? earliest(task, wide, at) : at;
      choices_.push_back({i, {at, wide}, at + length, windows_.last_end(i) - length});
    }
  }

  bool takes_all(const PieceTask& task, bool wide, std::size_t kind) const {
    return wide && (task.needs[kind] || (piece_.exclusive_wide && task.needs_cores()));
  }
  Time earliest(const PieceTask& task, bool wide, Time at) const {
    at = task.is_network ? std::max(at, network_end_) : at;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (takes_all(task, wide, kind)) {
        at = std::max(at, cores_[kind].back());
      } else if (task.needs[kind]) {
        at = std::max(at, cores_[kind].front());
      }
    }
    return at;
  }

  bool are_rivals(const PieceTask& a, const PieceTask& b) const {
    return (a.is_network && b.is_network) || (a.needs[kTensor] && b.needs[kTensor]) ||
           (a.needs[kVector] && b.needs[kVector]) ||
           (piece_.exclusive_wide && a.needs_cores() && b.needs_cores());
  }
  const Choice& best_choice() const {
    const Choice& first =
        *std::min_element(choices_.begin(), choices_.end(),
                          [](const Choice& a, const Choice& b) { return a.end < b.end; });
    const Choice* best = &first;
    for (const Choice& choice : choices_) {
      if (choice.last_start < best->last_start && choice.start.at < first.end &&
          are_rivals(piece_.tasks[first.task], piece_.tasks[choice.task])) {
        best = &choice;
      }
    }
    return *best;
  }

  void add(const Choice& choice) {
    const PieceTask& task = piece_.tasks[choice.task];
    done_ |= bit(choice.task);
    answer_.starts[choice.task] = choice.start;
    ends_[choice.task] = choice.end;
    answer_.makespan = std::max(answer_.makespan, choice.end);
    if (choice.end == choice.start.at) {
      return;
    }
    network_end_ = task.is_network ? choice.end : network_end_;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      std::vector<Time>& cores = cores_[kind];
      if (takes_all(task, choice.start.wide, kind)) {
        std::fill(cores.begin(), cores.end(), choice.end);
      } else if (task.needs[kind]) {
        cores.front() = choice.end;
        for (std::size_t c = 1; c < cores.size() && cores[c - 1] > cores[c]; ++c) {
          std::swap(cores[c - 1], cores[c]);
        }
      }
    }
  }

  const Piece& piece_;
  const Squeezer& windows_;
  const Guide guide_;
  std::array<std::vector<Time>, kKinds> cores_;  // when they are free, the first first
  Time network_end_ = 0;
  std::vector<Time> ends_;
  Mask done_ = 0;
  std::vector<Choice> choices_;  // scratch
  PieceAnswer answer_;
};

}  // namespace

PieceAnswer guided_schedule(const Piece& piece, const Squeezer& windows, Guide guide, Time limit) {
  return Builder(piece, windows, guide).run(limit);
}

}  // namespace phaze::schedule
