// Simulated annealing over segments: plans (segment_plan.h) from the greedy one on, or from the
// best known where that is better; a step moves a task into a segment, takes one out, lets two
// change places, or ends a segment elsewhere.
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "schedule/segment_greedy.h"
#include "schedule/segments.h"

namespace phaze::schedule {
namespace {

constexpr int kRuns = 4;
constexpr std::int64_t kStepsBetweenCalls = 4096;
constexpr double kHot = 0.001;             // of the makespan
constexpr double kCooling = 0.1;           // last temperature over the first
constexpr std::size_t kEnds = 8;           // one of so many tasks ends its segment
constexpr std::int64_t kStepsForNode = 8;  // take as long as one of a search

class Annealing {
 public:
  Annealing(const Piece& piece, const Widths& widths, PieceAnswer& best, Time goal,
            const std::function<bool()>& is_cancelled)
      : piece_(piece),
        order_(find_intervals(predecessors(piece)).value()),
        tasks_(find_segment_tasks(piece, order_, widths, false)),
        plans_(piece, order_, tasks_),
        best_(best),
        goal_(goal),
        is_cancelled_(is_cancelled) {
    for (Mask rest = tasks_.in_segments; rest != 0; rest &= rest - 1) {
      movable_.push_back(lowest(rest));
    }
  }

  void run(std::int64_t steps) {
    try_out(greedy_segments(piece_, order_, tasks_, is_cancelled_));
    const SegmentPlan first = plan_of(best_.starts, piece_);
    Rng rng(static_cast<std::uint64_t>(steps));
    for (int run = 0; run < kRuns && !movable_.empty(); ++run) {
      anneal(run % 2 == 0 ? first : plan_of(best_.starts, piece_), rng, steps / kRuns);
    }
  }

  std::int64_t steps_taken() const { return steps_taken_; }

 private:
  void anneal(SegmentPlan plan, Rng& rng, std::int64_t steps) {
    Time length = plans_.end(plan);
    const double hot = kHot * static_cast<double>(best_.makespan);
    for (std::int64_t step = 0; step < steps && best_.makespan > goal_; ++step) {
      if (step % kStepsBetweenCalls == 0 && is_cancelled_()) {
        return;
      }
      ++steps_taken_;
      const double done = static_cast<double>(step) / static_cast<double>(steps);
      const double temperature = hot * std::pow(kCooling, done);
      other_ = plan;
      change(other_.items, rng);
      const Time other_length = try_out(other_);
      const auto worse = static_cast<double>(other_length - length);
      if (worse <= 0 || rng.uniform() < std::exp(-worse / temperature)) {
        length = other_length;
        std::swap(plan, other_);
      }
    }
  }

  Time try_out(const SegmentPlan& plan) {
    const Time end = plans_.end(plan);
    if (end < best_.makespan) {
      best_.makespan = end;
      best_.starts = plans_.starts(plan);
    }
    return end;
  }

  void change(std::vector<SegmentPlan::Item>& items, Rng& rng) const {
    const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t kind = rng.below(10);
    if (items.empty() || kind < 4) {
      const std::size_t task = movable_[rng.below(movable_.size())];
      std::erase_if(items, [task](const auto& item) { return item.task == task; });
      items.insert(at(rng.below(items.size() + 1)), {task, rng.below(kEnds) == 0});
    } else if (kind < 6) {
      items.erase(at(rng.below(items.size())));
    } else if (kind < 8) {
      std::swap(items[rng.below(items.size())].task, items[rng.below(items.size())].task);
    } else {
      SegmentPlan::Item& item = items[rng.below(items.size())];
      item.ends_segment = !item.ends_segment;
    }
  }

  const Piece& piece_;
  const Intervals order_;
  const SegmentTasks tasks_;
  SegmentPlans plans_;
  PieceAnswer& best_;
  const Time goal_;
  const std::function<bool()>& is_cancelled_;
  std::vector<std::size_t> movable_;
  std::int64_t steps_taken_ = 0;
  SegmentPlan other_;  // scratch
};

}  // namespace

PieceAnswer improve_segments(const Piece& piece, const Widths& widths, PieceAnswer best, Time goal,
                             std::int64_t steps, const std::function<bool()>& is_cancelled) {
  Annealing annealing(piece, widths, best, goal, is_cancelled);
  annealing.run(steps);
  best.work += annealing.steps_taken() / kStepsForNode + work_of_greedy(piece.tasks.size());
  return best;
}

}  // namespace phaze::schedule
