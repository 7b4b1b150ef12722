// Solving, phase by phase: write a program, let CBC solve it, make an exact schedule of its order
// and widths, and see whether that meets the bound. The original's formulation leaves out the cores
// at first and adds those of a kind when an answer uses too many of them, so there are up to three
// phases; each is a relaxation of the next, and the bound of one holds for all.
//
// What makes the result exact: schedules are made in whole picoseconds by ilp_serial; and every
// makespan of a schedule that cannot be shifted to the left is a sum of times, hence a multiple of
// their grain. A bound of CBC's less what its tolerances may hide is rounded up to that.

#include "schedule/ilp.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "schedule/ilp_program.h"
#include "schedule/ilp_serial.h"
#include "schedule/ilp_tasks.h"

namespace phaze::schedule {

namespace {

using ilp::CoreKind;
using ilp::Limits;
using ilp::Placement;
using ilp::ScheduleProgram;
using ilp::Tasks;

// A makespan in CBC's units: as grains where they are this many at most, otherwise about this.
constexpr double kMostGrains = 1e6;
constexpr double kUnits = 1e5;
// What CBC's tolerances (1e-9 each, times the largest constant, along a chain of rows) and its
// least step between solutions may hide of a bound.
constexpr double kHiddenShare = 1e-7;
constexpr double kHidden = 1e-4;
// The original's program grows with the cube of the tasks: beyond this CBC would not get to its
// root.
constexpr std::size_t kMostTasks = 128;

class Clock {
 public:
  explicit Clock(Seconds limit) : limit_(limit) {}
  Seconds left() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return Seconds(std::max(0.0, limit_.value() - gone.count()));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Seconds limit_;
};

class Solver {
 public:
  Solver(const plan::ScheduleProblem& problem, const IlpOptions& options)
      : options_(options),
        clock_(options.time_limit),
        tasks_(ilp::read_tasks(problem)),
        best_(ilp::list_schedule(tasks_)),
        bound_(ilp::trivial_bound(tasks_)) {
    const auto grain = static_cast<double>(tasks_.grain);
    const auto makespan = static_cast<double>(best_.makespan);
    unit_ = makespan / grain <= kMostGrains ? grain : makespan / kUnits;
  }

  void solve() {
    if (!ilp::has_cbc() || tasks_.count == 0 || tasks_.count > kMostTasks || is_cancelled()) {
      return;
    }
    if (options_.formulation == Formulation::kStrong) {
      if (!is_proved()) {
        solve_phase(ilp::write_strong(tasks_, unit_, best_), Limits());
      }
      return;
    }
    Limits limits = {.tensor = false, .vector = false};
    while (solve_phase(ilp::write_original(tasks_, unit_, limits), limits)) {
      limits.tensor = limits.tensor || uses_too_many(CoreKind::kTensor);
      limits.vector = limits.vector || uses_too_many(CoreKind::kVector);
    }
  }

  plan::Schedule take(const plan::ScheduleProblem& problem) const {
    plan::Schedule schedule = ilp::to_schedule(problem, best_);
    schedule.lower_bound = Picoseconds(bound_);
    schedule.status = is_proved() ? plan::SolveStatus::kOptimal : plan::SolveStatus::kFeasible;
    schedule.work = nodes_;
    return schedule;
  }

 private:
  bool is_proved() const { return bound_ == best_.makespan; }
  bool is_cancelled() const { return options_.is_cancelled && options_.is_cancelled(); }

  bool uses_too_many(CoreKind kind) const {
    return static_cast<std::int64_t>(ilp::most_at_once(tasks_, relaxed_, kind)) >
           tasks_.cores(kind);
  }

  // Whether another phase, with more limits, is needed and worth it.
  bool solve_phase(const ScheduleProgram& program, const Limits& limits) {
    const ilp::ProgramLimits work = {clock_.left(), options_.node_limit - nodes_, options_.gap,
                                     options_.is_cancelled};
    if (work.time.value() <= 0 || work.nodes <= 0) {
      return false;
    }
    const ilp::ProgramAnswer answer = ilp::solve_by_cbc(program, work);
    nodes_ += answer.nodes;
    if (answer.values) {
      take_schedule(program, *answer.values, limits);
    }
    take_bound(answer);
    const bool is_relaxed = answer.values && relaxed_.makespan < best_.makespan;
    return answer.is_finished && is_relaxed && !is_proved() &&
           ((!limits.tensor && uses_too_many(CoreKind::kTensor)) ||
            (!limits.vector && uses_too_many(CoreKind::kVector)));
  }

  void take_schedule(const ScheduleProgram& program, const std::vector<double>& values,
                     const Limits& limits) {
    std::vector<double> starts;
    std::vector<bool> wide;
    for (std::size_t task = 0; task < tasks_.count; ++task) {
      starts.push_back(ilp::value_of(program.start[task], values));
      wide.push_back(ilp::value_of(program.wide[task], values) > 0.5);
    }
    const std::vector<std::size_t> list = ilp::list_by(starts);
    relaxed_ = ilp::place_serially(tasks_, list, wide, limits);
    Placement placement = ilp::place_serially(tasks_, list, wide);
    if (placement.makespan < best_.makespan) {
      best_ = std::move(placement);
    }
  }

  void take_bound(const ilp::ProgramAnswer& answer) {
    if (!answer.is_finished && !answer.bound) {
      return;
    }
    const double makespan = answer.values ? answer.values->front() : HUGE_VAL;
    const double proved =
        answer.is_finished ? makespan * (1 - options_.gap) : std::min(*answer.bound, makespan);
    const double safe = proved - kHidden - kHiddenShare * std::abs(proved);
    const auto grain = static_cast<double>(tasks_.grain);
    const double grains = std::ceil(safe * unit_ / grain);
    // A search that was stopped has not proved its own answer.
    const std::int64_t most = best_.makespan / tasks_.grain - (answer.is_finished ? 0 : 1);
    if (grains <= static_cast<double>(most)) {
      bound_ = std::max(bound_, static_cast<std::int64_t>(grains) * tasks_.grain);
    } else if (!answer.is_finished && grains == static_cast<double>(most) + 1) {
      bound_ = std::max(bound_, most * tasks_.grain);
    }
    // A bound above a schedule that exists is none: CBC erred.
  }

  const IlpOptions& options_;
  Clock clock_;
  Tasks tasks_;
  Placement best_;
  Placement relaxed_;  // the last phase's, within its limits only
  std::int64_t bound_;
  std::int64_t nodes_ = 0;
  double unit_ = 1;
};

}  // namespace

bool has_ilp() { return ilp::has_cbc(); }

plan::Schedule solve_ilp(const plan::ScheduleProblem& problem, const IlpOptions& options) {
  Solver solver(problem, options);
  solver.solve();
  return solver.take(problem);
}

}  // namespace phaze::schedule
