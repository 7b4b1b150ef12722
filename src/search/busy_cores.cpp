#include "search/busy_cores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace phaze::search {

using plan::LayerSchedule;
using plan::ScheduleProblem;

namespace {

// Times a ratio, for instance of a rounded time to the time.
Picoseconds scale(Picoseconds time, Picoseconds numerator, Picoseconds denominator) {
  const double by =
      static_cast<double>(numerator.value()) / static_cast<double>(denominator.value());
  return Picoseconds(std::llround(static_cast<double>(time.value()) * by));
}

}  // namespace

void round_durations(ScheduleProblem& problem) {
  constexpr std::int64_t kSteps = 10'000'000;
  constexpr std::int64_t kTimes = 5;  // a ratio below this is kept
  std::int64_t sum = 0;
  for (const plan::Task& task : problem.tasks) {
    sum += task.all_cores.value_or(task.one_core).value();
  }
  std::int64_t step = 1;  // powers of ten: mostly the same on chips that are alike
  while (sum / step > kSteps) {
    step *= 10;
  }
  const auto round = [step](Picoseconds time) {
    return Picoseconds((time.value() + step / 2) / step * step);
  };
  Picoseconds most(step);  // a little more than all tasks wide, one after another
  for (plan::Task& task : problem.tasks) {
    if (task.all_cores) {
      const Picoseconds all = *task.all_cores;
      task.all_cores = round(all);
      if (task.one_core < all * kTimes) {
        task.one_core = scale(task.one_core, *task.all_cores, all);
      }
    }
    task.one_core = round(task.one_core);
    most += task.all_cores.value_or(task.one_core);
  }
  for (plan::Task& task : problem.tasks) {
    task.one_core = std::min(task.one_core, most);
  }
}

schedule::ExactOptions exact_options(const Wanted& wanted, std::int64_t work_limit) {
  schedule::ExactOptions options;
  const std::int64_t least = std::min<std::int64_t>(1, work_limit);
  switch (wanted.effort) {
    case Wanted::Effort::kGlance:
      options.work_limit = least;
      break;
    case Wanted::Effort::kEighth:
      options.work_limit = std::max(least, work_limit / 8);
      break;
    case Wanted::Effort::kAll:
      options.work_limit = work_limit;
      break;
  }
  options.cutoff = wanted.cutoff;
  options.enough = wanted.enough;
  return options;
}

namespace {

// Choices that are looked at one by one, the best schedule so far and what is known of each.
class Choosing {
 public:
  Choosing(const LayerSchedule& layer, const std::vector<BusyCores>& choices, const Solver& solve)
      : layer_(layer),
        choices_(choices),
        solve_(solve),
        bounds_(choices.size(), layer.floor),
        work_(choices.size()),
        is_asked_for_all_(choices.size()) {
    CHECK(!choices.empty(), "one core can be busy");
  }

  LayerSchedule run() {
    std::vector<std::size_t> order(choices_.size());
    std::iota(order.begin(), order.end(), 0);
    if (is_worth_a_glance()) {
      put_most_promising_first(order);
    }
    for (const std::size_t i : order) {
      if (!is_at_floor() && !is_settled(i)) {
        ask(i, is_open_beside(i) ? Effort::kEighth : Effort::kAll);
      }
    }
    for (const std::size_t i : order) {
      if (!is_at_floor() && !is_settled(i) && !is_asked_for_all_[i] && !is_open_beside(i)) {
        ask(i, Effort::kAll);
      }
    }
    // Of a schedule that ends before the floor nothing more is to be won, and it claims no more
    // than its solver does.
    LayerSchedule best = layer_;
    best.busy_cores = choices_[best_choice_].count;
    best.problem = choices_[best_choice_].problem;
    best.schedule = *std::move(best_);
    best.schedule.work = work_[best_choice_];
    if (best.schedule.makespan > layer_.floor) {
      const Picoseconds least = *std::min_element(bounds_.begin(), bounds_.end());
      best.schedule.lower_bound = std::min(least, best.schedule.makespan);
      best.schedule.status = best.schedule.lower_bound == best.schedule.makespan
                                 ? plan::SolveStatus::kOptimal
                                 : plan::SolveStatus::kFeasible;
    }
    return best;
  }

 private:
  using Effort = Wanted::Effort;

  bool is_worth_a_glance() const {
    constexpr std::size_t kFewTasks = 32;  // are scheduled as soon
    const ScheduleProblem& problem = choices_.front().problem;
    return choices_.size() > 1 && problem.exclusive_wide && problem.tasks.size() > kFewTasks;
  }
  // By a glance at one after another, as long as bounds fall.
  void put_most_promising_first(std::vector<std::size_t>& order) {
    auto most = order.begin();
    for (auto next = most; next != order.end() && !is_at_floor(); ++next) {
      ask(*next, Effort::kGlance);
      if (next != most && bounds_[*next] >= bounds_[*most]) {
        break;
      }
      most = next;
    }
    std::rotate(order.begin(), most, most + 1);
  }

  Picoseconds time_of(const plan::Schedule& schedule) const {
    return std::max(schedule.makespan, layer_.floor);
  }
  bool is_at_floor() const { return best_ && time_of(*best_) == layer_.floor; }
  // It has nothing that is better than the best.
  bool is_settled(std::size_t i) const { return best_ && bounds_[i] >= time_of(*best_); }

  // Another one stays open with all of its work.
  bool is_open_beside(std::size_t i) const {
    for (std::size_t other = 0; other < choices_.size(); ++other) {
      if (other != i && is_asked_for_all_[other] && !is_settled(other)) {
        return true;
      }
    }
    return false;
  }

  void ask(std::size_t i, Effort effort) {
    Wanted wanted{std::nullopt, layer_.floor, effort};
    if (best_) {
      wanted.cutoff = time_of(*best_);
    }
    plan::Schedule other = solve_(choices_[i].problem, wanted);
    bounds_[i] = std::max(bounds_[i], other.lower_bound);
    work_[i] += other.work;
    is_asked_for_all_[i] = effort == Effort::kAll;
    if (!best_ || time_of(other) < time_of(*best_)) {
      best_ = std::move(other);
      best_choice_ = i;
    }
  }

  const LayerSchedule& layer_;
  const std::vector<BusyCores>& choices_;
  const Solver& solve_;
  std::optional<plan::Schedule> best_;
  std::size_t best_choice_ = 0;
  std::vector<Picoseconds> bounds_;     // on what each could take
  std::vector<std::int64_t> work_;      // on each
  std::vector<bool> is_asked_for_all_;  // with all of the work
};

}  // namespace

LayerSchedule choose_busy_cores(const LayerSchedule& layer, const std::vector<BusyCores>& choices,
                                const Solver& solve) {
  return Choosing(layer, choices, solve).run();
}

}  // namespace phaze::search
