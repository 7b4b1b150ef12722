// A segment saves time only once its cores are full, so no change of one task leads to it from all
// tasks alone. It is filled as a whole: from some task on, up to some length, with tasks that can
// start as soon as a core is free and end by then, by one of a few rules. Of all of these the
// segment that saves most is taken, its tasks are one from there on for all that comes before and
// behind, and the next one is sought. A segment that is filled again seldom saves more than before,
// so that it is filled again only when it was the best of all that are left.
#include "schedule/segment_greedy.h"

#include <algorithm>
#include <functional>

#include "schedule/state.h"

namespace phaze::schedule {
namespace {

// Of tasks that could start: the longest; the same, but those before which something would have to
// run alone last; what gains least from all cores.
enum class First { kLongest, kLongestReady, kLeastGain };

class Greedy {
 public:
  Greedy(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
         const std::function<bool()>& is_cancelled)
      : piece_(piece),
        order_(order),
        tasks_(tasks),
        is_cancelled_(is_cancelled),
        above_(order.above),
        below_(order.below),
        open_(tasks.in_segments) {
    // Of lengths that are nearly the same the longest.
    std::vector<Time> lengths = tasks.beside;
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    for (const Time length : lengths) {
      if (lengths_.empty() || lengths_.back() - length > lengths_.back() / 64) {
        lengths_.push_back(length);
      }
    }
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      const PieceTask& task = piece.tasks[i];
      open_ &= task.needs_cores() && tasks.beside[i] > 0 ? ~Mask{0} : ~bit(i);
    }
  }

  SegmentPlan run() {
    for (Mask rest = open_; rest != 0 && !is_cancelled_(); rest &= rest - 1) {
      add_tries(lowest(rest));
    }
    std::make_heap(tries_.begin(), tries_.end());
    bool is_over = is_cancelled_();
    while (!tries_.empty() && !is_over) {
      std::pop_heap(tries_.begin(), tries_.end());
      Try& best = tries_.back();
      const bool is_open = (open_ & bit(best.task)) != 0;
      best.saved = is_open ? fill(best) : 0;
      if (best.saved <= 0) {
        tries_.pop_back();
      } else if (best < tries_.front()) {
        std::push_heap(tries_.begin(), tries_.end());
      } else {
        tries_.pop_back();
        take(now_);
        is_over = is_cancelled_();
      }
    }
    return in_order();
  }

 private:
  struct Segment {
    std::vector<std::size_t> tasks;  // by their starts
    Mask in = 0;
  };

  // A segment that begins with a task, has at most some length, and is filled by a rule.
  struct Try {
    std::size_t task = 0;
    Time length = 0;
    First first = First::kLongest;
    std::size_t number = 0;
    Time saved = 0;  // when it was last filled
    bool operator<(const Try& other) const {
      return saved != other.saved ? saved < other.saved : number > other.number;
    }
  };

  void add_tries(std::size_t task) {
    for (const Time length : lengths_) {
      for (const First first : {First::kLongest, First::kLongestReady, First::kLeastGain}) {
        Try one{task, length, first, tries_.size()};
        one.saved = length >= tasks_.beside[task] ? fill(one) : 0;
        if (one.saved > 0) {
          tries_.push_back(one);
        }
      }
    }
  }

  // Fills the segment at hand; what it saves.
  Time fill(const Try& one) {
    now_.tasks.clear();
    now_.in = done_ = behind_ = 0;
    running_.clear();
    free_ = piece_.cores;
    Time at = 0, length = 0, saved = 0;
    for (std::size_t next = one.task; next != kNoTask;
         next = find_next(at, one.length, one.first)) {
      add(next, at);
      saved += tasks_.alone[next];
      length = std::max(length, at + tasks_.beside[next]);
    }
    return saved - length;
  }

  void add(std::size_t task, Time at) {
    now_.tasks.push_back(task);
    now_.in |= bit(task);
    done_ |= above_[task] | bit(task);
    behind_ |= below_[task];
    running_.emplace_back(task, at + tasks_.beside[task]);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      free_[kind] -= piece_.tasks[task].needs[kind] ? 1 : 0;
    }
  }

  // None: nothing fits. In `at` when it starts.
  std::size_t find_next(Time& at, Time most, First first) {
    for (;;) {
      const std::size_t next = choose(at, most, first);
      if (next != kNoTask) {
        return next;
      }
      Time end = kNever;
      for (const auto& [task, until] : running_) {
        end = std::min(end, until);
      }
      if (end >= most) {
        return kNoTask;
      }
      at = end;
      std::erase_if(running_, [&](const auto& one) {
        for (std::size_t kind = 0; kind < kKinds && one.second <= at; ++kind) {
          free_[kind] += piece_.tasks[one.first].needs[kind] ? 1 : 0;
        }
        return one.second <= at;
      });
    }
  }

  std::size_t choose(Time at, Time most, First first) const {
    Mask running = 0;
    for (const auto& [task, end] : running_) {
      running |= bit(task);
    }
    std::size_t best = kNoTask;
    double best_worth = -1;
    for (Mask rest = open_ & ~done_; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      const PieceTask& task = piece_.tasks[i];
      const Mask extra = above_[i] & ~done_;  // would run alone before
      if ((task.needs[kTensor] && free_[kTensor] == 0) ||
          (task.needs[kVector] && free_[kVector] == 0) || at + tasks_.beside[i] > most ||
          (extra & behind_) != 0 || (order_.above[i] & running) != 0) {
        continue;
      }
      const auto beside = static_cast<double>(tasks_.beside[i]);
      constexpr double kLittle = 1e-9;
      const double worth =
          first == First::kLeastGain
              ? static_cast<double>(tasks_.alone[i]) / beside
              : beside * (first == First::kLongestReady && extra != 0 ? kLittle : 1);
      if (worth > best_worth) {
        best_worth = worth;
        best = i;
      }
    }
    return best;
  }

  void take(const Segment& segment) {
    Mask above = 0, below = 0;
    for (const std::size_t i : segment.tasks) {
      above |= above_[i];
      below |= below_[i];
    }
    above &= ~segment.in;
    below &= ~segment.in;
    for (const std::size_t i : segment.tasks) {
      above_[i] |= above;
      below_[i] |= below;
    }
    for (Mask rest = above; rest != 0; rest &= rest - 1) {
      below_[lowest(rest)] |= segment.in | below;
    }
    for (Mask rest = below; rest != 0; rest &= rest - 1) {
      above_[lowest(rest)] |= segment.in | above;
    }
    open_ &= ~segment.in;
    taken_.push_back(segment);
  }

  // Of segments one comes before another where its tasks have fewer before them.
  SegmentPlan in_order() {
    std::stable_sort(taken_.begin(), taken_.end(), [this](const Segment& a, const Segment& b) {
      const auto before = [this](const Segment& segment) {
        return count(above_[segment.tasks.front()] & ~segment.in);
      };
      return before(a) < before(b);
    });
    SegmentPlan plan;
    for (const Segment& segment : taken_) {
      for (const std::size_t task : segment.tasks) {
        plan.items.push_back({task, task == segment.tasks.back()});
      }
    }
    return plan;
  }

  const Piece& piece_;
  const Intervals& order_;
  const SegmentTasks& tasks_;
  const std::function<bool()>& is_cancelled_;
  std::vector<Mask> above_, below_;  // with segments that were taken as one
  Mask open_;                        // in none of these; none that takes no time
  std::vector<Time> lengths_;        // of segments that are tried
  std::vector<Segment> taken_;
  std::vector<Try> tries_;  // a heap: what saved most first
  // The segment at hand; what is done with it; what comes behind it; what runs until when.
  Segment now_;
  Mask done_ = 0, behind_ = 0;
  std::vector<std::pair<std::size_t, Time>> running_;
  std::array<std::int64_t, kKinds> free_{};
};

}  // namespace

SegmentPlan greedy_segments(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
                            const std::function<bool()>& is_cancelled) {
  return Greedy(piece, order, tasks, is_cancelled).run();
}

PieceAnswer greedy_schedule(const Piece& piece, const std::function<bool()>& is_cancelled) {
  const Intervals order = find_intervals(predecessors(piece)).value();
  const SegmentTasks tasks = find_segment_tasks(piece, order, {}, false);
  const SegmentPlan plan = greedy_segments(piece, order, tasks, is_cancelled);
  return replay(piece, SegmentPlans(piece, order, tasks).starts(plan));
}

}  // namespace phaze::schedule
