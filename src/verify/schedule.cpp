#include "verify/schedule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "verify/schedule_bounds.h"

namespace phaze::verify {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using plan::Task;
using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

std::string text(Picoseconds time) { return std::to_string(time.value()) + " ps"; }

class Checker {
 public:
  Checker(const ScheduleProblem& problem, const Schedule& schedule)
      : problem_(problem), schedule_(schedule) {}

  std::vector<std::string> check() {
    check_problem();
    if (schedule_.runs.size() != problem_.tasks.size()) {
      add("the schedule has " + std::to_string(schedule_.runs.size()) + " runs for " +
          std::to_string(problem_.tasks.size()) + " tasks");
    }
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    for (const TaskId id : ids_of(problem_.tasks)) {
      check_run(id);
    }
    check_precedence();
    check_bookings("tensor core", &TaskRun::tensor_cores);
    check_bookings("vector core", &TaskRun::vector_cores);
    check_network();
    if (problem_.exclusive_wide) {
      check_exclusive();
    }
    check_claims();
    return std::move(faults_);
  }

 private:
  void add(std::string fault) { faults_.push_back(std::move(fault)); }
  void add(TaskId id, const std::string& fault) {
    add("task " + problem_.tasks[id].id + ": " + fault);
  }

  // Without a sound problem no schedule can be judged.
  void check_problem() {
    if (problem_.tensor_cores < 0 || problem_.vector_cores < 0) {
      add("the problem has a negative number of cores");
    }
    std::int64_t total = 0;
    for (const TaskId id : ids_of(problem_.tasks)) {
      const Task& task = problem_.tasks[id];
      const std::int64_t longest =
          std::max(task.one_core, task.all_cores.value_or(task.one_core)).value();
      if (task.one_core < Picoseconds(0) ||
          task.all_cores.value_or(Picoseconds(0)) < Picoseconds(0)) {
        add(id, "takes a negative time");
      } else if (__builtin_add_overflow(total, longest, &total)) {
        add("the tasks take too long together");
        return;
      }
      if ((plan::needs_tensor(task.unit) && problem_.tensor_cores == 0) ||
          (plan::needs_vector(task.unit) && problem_.vector_cores == 0)) {
        add(id, "needs a kind of core of which there is none");
      }
      if (task.all_cores && !plan::needs_core(task.unit)) {
        add(id, "has a time on all cores and runs on none");
      }
    }
    for (const auto& [before, after] : problem_.edges) {
      if (!problem_.tasks.contains(before) || !problem_.tasks.contains(after)) {
        add("an edge of the problem joins tasks that do not exist");
        return;
      }
    }
    if (!order_tasks(problem_)) {
      add("the edges of the problem close a cycle");
    }
  }

  void check_run(TaskId id) {
    const Task& task = problem_.tasks[id];
    const TaskRun& run = schedule_.runs[id];
    if (run.wide && !task.all_cores) {
      add(id, "runs wide and cannot");
    } else {
      const Picoseconds length = run.wide ? *task.all_cores : task.one_core;
      if (run.start < Picoseconds(0)) {
        add(id, "starts at " + text(run.start));
      } else if (run.end < run.start || run.end - run.start != length) {
        add(id,
            "runs from " + text(run.start) + " to " + text(run.end) + " and takes " + text(length));
      }
    }
    check_cores(id, "tensor", run.tensor_cores, problem_.tensor_cores,
                plan::needs_tensor(task.unit));
    check_cores(id, "vector", run.vector_cores, problem_.vector_cores,
                plan::needs_vector(task.unit));
  }

  void check_cores(TaskId id, const std::string& kind, std::vector<std::int64_t> cores,
                   std::int64_t there_are, bool uses) {
    const std::int64_t needed = !uses ? 0 : schedule_.runs[id].wide ? there_are : 1;
    if (std::cmp_not_equal(cores.size(), needed)) {
      add(id, "has " + std::to_string(cores.size()) + " " + kind + " cores and needs " +
                  std::to_string(needed));
    }
    std::ranges::sort(cores);
    if (!cores.empty() && (cores.front() < 0 || cores.back() >= there_are)) {
      add(id, "has a " + kind + " core that does not exist");
    }
    if (std::ranges::adjacent_find(cores) != cores.end()) {
      add(id, "has a " + kind + " core twice");
    }
  }

  void check_precedence() {
    for (const auto& [before, after] : problem_.edges) {
      const Picoseconds end = schedule_.runs[before].end;
      const Picoseconds start = schedule_.runs[after].start;
      if (start < end) {
        add(after, "starts at " + text(start) + ", before " + problem_.tasks[before].id +
                       " ends at " + text(end));
      }
    }
  }

  // A time during which a resource is taken.
  struct Booking {
    std::int64_t core;
    Picoseconds start, end;
    TaskId task;
  };

  // Sorted by resource and time, a booking that starts before an earlier one of its resource ends
  // is a fault.
  void check_overlaps(std::vector<Booking> bookings, const std::string& what, bool is_numbered) {
    std::ranges::sort(bookings, {},
                      [](const Booking& b) { return std::tuple(b.core, b.start, b.end, b.task); });
    const Booking* latest = nullptr;
    for (const Booking& b : bookings) {
      const bool is_same = latest != nullptr && latest->core == b.core;
      if (is_same && b.start < latest->end) {
        add(b.task, "starts at " + text(b.start) + ", when " + problem_.tasks[latest->task].id +
                        " has the " + what + (is_numbered ? " " + std::to_string(b.core) : "") +
                        " until " + text(latest->end));
      }
      if (!is_same || b.end > latest->end) {
        latest = &b;
      }
    }
  }

  bool takes_time(TaskId id) const { return schedule_.runs[id].start < schedule_.runs[id].end; }

  void check_bookings(const std::string& what, std::vector<std::int64_t> TaskRun::*cores) {
    std::vector<Booking> bookings;
    for (const TaskId id : ids_of(problem_.tasks)) {
      const TaskRun& run = schedule_.runs[id];
      if (takes_time(id)) {
        std::vector<std::int64_t> distinct = run.*cores;
        std::ranges::sort(distinct);
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (const std::int64_t core : distinct) {
          bookings.push_back({core, run.start, run.end, id});
        }
      }
    }
    check_overlaps(std::move(bookings), what, true);
  }

  void check_network() {
    std::vector<Booking> bookings;
    for (const TaskId id : ids_of(problem_.tasks)) {
      if (problem_.tasks[id].unit == TaskUnit::kNetwork && takes_time(id)) {
        bookings.push_back({0, schedule_.runs[id].start, schedule_.runs[id].end, id});
      }
    }
    check_overlaps(std::move(bookings), "network", false);
  }

  // By start, with the latest end of all tasks so far and of the wide ones: of two tasks that
  // overlap the later one starts before the end of the earlier one.
  void check_exclusive() {
    std::vector<TaskId> order;
    for (const TaskId id : ids_of(problem_.tasks)) {
      if (plan::needs_core(problem_.tasks[id].unit) && takes_time(id)) {
        order.push_back(id);
      }
    }
    const auto& runs = schedule_.runs;
    std::ranges::sort(order, {}, [&](TaskId id) { return std::pair(runs[id].start, id); });
    std::optional<TaskId> latest;
    std::optional<TaskId> latest_wide;
    for (const TaskId id : order) {
      const std::optional<TaskId> other = runs[id].wide ? latest : latest_wide;
      if (other && runs[id].start < runs[*other].end) {
        add(id, std::string(runs[id].wide ? "runs wide" : "runs") + " beside " +
                    problem_.tasks[*other].id + (runs[*other].wide ? ", which runs wide" : ""));
      }
      const auto keep_latest = [&](std::optional<TaskId>& kept) {
        if (!kept || runs[*kept].end < runs[id].end) {
          kept = id;
        }
      };
      keep_latest(latest);
      if (runs[id].wide) {
        keep_latest(latest_wide);
      }
    }
  }

  void check_claims() {
    Picoseconds end(0);
    for (const TaskRun& run : schedule_.runs) {
      end = std::max(end, run.end);
    }
    const Picoseconds makespan = schedule_.makespan;
    const Picoseconds bound = schedule_.lower_bound;
    if (makespan != end) {
      add("the makespan is said to be " + text(makespan) + ", and the last task ends at " +
          text(end));
    }
    if (const Picoseconds least = least_makespan(problem_); makespan < least) {
      add("the makespan " + text(makespan) + " is below " + text(least) +
          ", which no schedule can beat");
    }
    if (bound < Picoseconds(0)) {
      add("the lower bound is " + text(bound));
    }
    if (bound > makespan) {
      add("the lower bound " + text(bound) + " is above the makespan " + text(makespan));
    }
    if (const Picoseconds plain = plain_makespan(problem_); bound > plain) {
      add("the lower bound " + text(bound) + " is above " + text(plain) +
          ", which a plain schedule takes");
    }
    if (schedule_.status == SolveStatus::kOptimal && bound != makespan) {
      add("the schedule is called optimal, and its lower bound " + text(bound) +
          " is not its makespan " + text(makespan));
    }
    if (schedule_.work < 0) {
      add("the work is negative");
    }
  }

  const ScheduleProblem& problem_;
  const Schedule& schedule_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_faults(const ScheduleProblem& problem, const Schedule& schedule) {
  return Checker(problem, schedule).check();
}

}  // namespace phaze::verify
