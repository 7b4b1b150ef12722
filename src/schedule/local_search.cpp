// Simulated annealing over orders and widths (Kirkpatrick, Gelatt and Vecchi 1983): for pieces that
// the first look of the search does not settle. A schedule is made from an order of tasks with
// their widths, each as early as possible but no earlier than the one before; every schedule that
// cannot be shifted left has such an order. A step moves one task to another place that its
// neighbours in the graph allow, or turns its width.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {
namespace {

constexpr int kRuns = 4;
constexpr std::int64_t kStepsBetweenCalls = 4096;
constexpr double kHot = 0.02;      // of the makespan, to begin with
constexpr double kWarm = 0.002;    // where the best known schedule is to be changed little
constexpr double kCooling = 1e-3;  // last temperature over the first

struct Plan {
  std::vector<std::size_t> order;
  std::vector<bool> wide;
};

class Annealing {
 public:
  Annealing(const Piece& piece, PieceAnswer& best, Time goal,
            const std::function<bool()>& is_cancelled)
      : piece_(piece), best_(best), goal_(goal), is_cancelled_(is_cancelled) {}

  void run(Plan plan, Rng& rng, std::int64_t steps, double heat) {
    Time length = evaluate(plan);
    const double hot = heat * static_cast<double>(best_.makespan);
    for (std::int64_t step = 0; step < steps && best_.makespan > goal_; ++step) {
      if (step % kStepsBetweenCalls == 0 && is_cancelled_()) {
        return;
      }
      const double done = static_cast<double>(step) / static_cast<double>(steps);
      const double temperature = hot * std::pow(kCooling, done);
      Plan other = plan;
      change(other, rng);
      const Time other_length = evaluate(other);
      const auto worse = static_cast<double>(other_length - length);
      if (worse <= 0 || rng.uniform() < std::exp(-worse / temperature)) {
        length = other_length;
        plan = std::move(other);
      }
    }
  }

 private:
  Time evaluate(const Plan& plan) {
    State state(piece_);
    starts_.resize(piece_.tasks.size());
    for (const std::size_t task : plan.order) {
      starts_[task] = {state.earliest(task, plan.wide[task]), plan.wide[task]};
      state.add(task, starts_[task]);
    }
    ++best_.work;
    if (state.latest_end() < best_.makespan) {
      best_.makespan = state.latest_end();
      best_.starts = starts_;
    }
    return state.latest_end();
  }

  void change(Plan& plan, Rng& rng) const {
    const std::size_t n = plan.order.size();
    const std::size_t kind = rng.below(10);
    if (kind < 3) {
      turn(plan, rng.below(n));
      return;
    }
    const std::size_t from = rng.below(n);
    const std::size_t task = plan.order[from];
    std::size_t first = from, last = from;
    while (first > 0 && !(piece_.tasks[task].before & bit(plan.order[first - 1]))) {
      --first;
    }
    while (last + 1 < n && !(piece_.tasks[task].after & bit(plan.order[last + 1]))) {
      ++last;
    }
    const std::size_t to = first + rng.below(last - first + 1);
    const auto at = [&plan](std::size_t i) {
      return plan.order.begin() + static_cast<std::ptrdiff_t>(i);
    };
    if (to < from) {
      std::rotate(at(to), at(from), at(from + 1));
    } else {
      std::rotate(at(from), at(from + 1), at(to + 1));
    }
    if (kind == 9) {
      turn(plan, rng.below(n));
    }
  }
  void turn(Plan& plan, std::size_t task) const {
    if (piece_.tasks[task].all != kNever) {
      plan.wide[task] = !plan.wide[task];
    }
  }

  const Piece& piece_;
  PieceAnswer& best_;
  const Time goal_;
  const std::function<bool()>& is_cancelled_;
  std::vector<Start> starts_;
};

}  // namespace

PieceAnswer improve(const Piece& piece, PieceAnswer best, Time goal, std::int64_t steps,
                    const std::function<bool()>& is_cancelled) {
  const std::size_t n = piece.tasks.size();
  Plan known{by_starts(best.starts), std::vector<bool>(n)};
  Plan fastest = known;
  std::iota(fastest.order.begin(), fastest.order.end(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    known.wide[i] = best.starts[i].wide;
    fastest.wide[i] = piece.tasks[i].all < piece.tasks[i].one;
  }
  Annealing annealing(piece, best, goal, is_cancelled);
  Rng rng(1);
  for (int run = 0; run < kRuns; ++run) {
    const bool is_known = run < kRuns / 2;
    annealing.run(is_known ? known : fastest, rng, steps / kRuns, is_known ? kWarm : kHot);
  }
  return best;
}

}  // namespace phaze::schedule
