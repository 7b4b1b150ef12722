// Simulated annealing over segments: a plan (segment_plan.h) from the greedy one or the best known
// on; a step moves a task into a segment, takes one out, lets two change places, or ends a segment
// elsewhere.
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "schedule/segment_greedy.h"
#include "schedule/segments.h"

namespace phaze::schedule {
namespace {

constexpr int kRuns = 4;
constexpr std::int64_t kStepsBetweenCalls = 4096;
constexpr double kHot = 0.001;    // of the makespan
constexpr double kCooling = 0.1;  // last temperature over the first
constexpr std::size_t kEnds = 8;  // one of so many tasks ends its segment
constexpr std::int64_t kStepsForNode = 8;

class Annealing {
 public:
  Annealing(const Piece& piece, const Widths& widths, PieceAnswer& best)
      : order_(find_intervals(predecessors(piece)).value()),
        tasks_(find_segment_tasks(piece, order_, widths, false)),
        plans_(piece, order_, tasks_),
        best_(best) {
    for (Mask rest = tasks_.in_segments & all_of(piece); rest != 0; rest &= rest - 1) {
      movable_.push_back(lowest(rest));
    }
    try_out(greedy_segments(piece, order_, tasks_));
  }

  void run(SegmentPlan plan, Rng& rng, std::int64_t steps, Time goal,
           const std::function<bool()>& is_cancelled) {
    Time length = plans_.end(plan);
    const double hot = kHot * static_cast<double>(best_.makespan);
    for (std::int64_t step = 0; step < steps && best_.makespan > goal; ++step) {
      if (step % kStepsBetweenCalls == 0 && is_cancelled()) {
        return;
      }
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

  bool can_change() const { return !movable_.empty(); }

 private:
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

  const Intervals order_;
  const SegmentTasks tasks_;
  SegmentPlans plans_;
  PieceAnswer& best_;
  std::vector<std::size_t> movable_;
  SegmentPlan other_;  // scratch
};

}  // namespace

PieceAnswer improve_segments(const Piece& piece, const Widths& widths, PieceAnswer best, Time goal,
                             std::int64_t steps, const std::function<bool()>& is_cancelled) {
  Annealing annealing(piece, widths, best);
  const SegmentPlan first = plan_of(best.starts, piece);
  Rng rng(static_cast<std::uint64_t>(steps));
  for (int run = 0; run < kRuns && annealing.can_change(); ++run) {
    annealing.run(run % 2 == 0 ? first : plan_of(best.starts, piece), rng, steps / kRuns, goal,
                  is_cancelled);
  }
  const auto n = static_cast<std::int64_t>(piece.tasks.size());
  best.work += steps / kStepsForNode + n * n / 4;  // the greedy plan takes about so long
  return best;
}

}  // namespace phaze::schedule
