// The checker of schedules against the definition, pair by pair, on sound schedules and on those
// with something changed.
#include "verify/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/schedule_brute_force.h"
#include "support/schedule_generators.h"

namespace phaze::verify {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

std::int64_t pick(std::int64_t least, std::int64_t most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

bool has_right_cores(const std::vector<std::int64_t>& cores, std::int64_t there_are, bool is_on,
                     bool wide) {
  std::vector<bool> taken(static_cast<std::size_t>(there_are), false);
  for (const std::int64_t core : cores) {
    if (core < 0 || core >= there_are || taken[static_cast<std::size_t>(core)]) {
      return false;
    }
    taken[static_cast<std::size_t>(core)] = true;
  }
  return std::cmp_equal(cores.size(), !is_on ? 0 : wide ? there_are : 1);
}

bool has_common(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return std::ranges::any_of(
      a, [&](std::int64_t core) { return std::ranges::find(b, core) != b.end(); });
}

bool is_sound_run(const ScheduleProblem& p, const Task& task, const TaskRun& run) {
  const bool is_tensor = task.unit == TaskUnit::kTensor || task.unit == TaskUnit::kBoth;
  const bool is_vector = task.unit == TaskUnit::kVector || task.unit == TaskUnit::kBoth;
  return (!run.wide || task.all_cores) && run.start >= Picoseconds(0) &&
         run.end == run.start + (run.wide ? *task.all_cores : task.one_core) &&
         has_right_cores(run.tensor_cores, p.tensor_cores, is_tensor, run.wide) &&
         has_right_cores(run.vector_cores, p.vector_cores, is_vector, run.wide);
}

bool may_run_together(const ScheduleProblem& p, TaskId a, TaskId b, const Schedule& s) {
  const TaskRun& x = s.runs[a];
  const TaskRun& y = s.runs[b];
  const auto is_on_cores = [&](TaskId id) {
    return p.tasks[id].unit != TaskUnit::kNetwork && p.tasks[id].unit != TaskUnit::kNone;
  };
  const bool are_both_network =
      p.tasks[a].unit == TaskUnit::kNetwork && p.tasks[b].unit == TaskUnit::kNetwork;
  const bool is_wide_beside_another =
      p.exclusive_wide && (x.wide || y.wide) && is_on_cores(a) && is_on_cores(b);
  return !has_common(x.tensor_cores, y.tensor_cores) &&
         !has_common(x.vector_cores, y.vector_cores) && !are_both_network &&
         !is_wide_beside_another;
}

bool is_sound(const ScheduleProblem& p, const Schedule& s) {
  Picoseconds end(0);
  for (const TaskId a : ids_of(p.tasks)) {
    const TaskRun& x = s.runs[a];
    if (!is_sound_run(p, p.tasks[a], x)) {
      return false;
    }
    end = std::max(end, x.end);
    for (const TaskId b : ids_of(p.tasks)) {
      const TaskRun& y = s.runs[b];
      const bool do_overlap =
          x.start < x.end && y.start < y.end && x.start < y.end && y.start < x.end;
      if (a != b && do_overlap && !may_run_together(p, a, b, s)) {
        return false;
      }
    }
  }
  return s.makespan == end && std::ranges::all_of(p.edges, [&](const auto& edge) {
           return s.runs[edge.first].end <= s.runs[edge.second].start;
         });
}

void change_something(const ScheduleProblem& p, Schedule& s) {
  const TaskId id(static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(p.tasks.size()) - 1)));
  TaskRun& run = s.runs[id];
  const Task& task = p.tasks[id];
  const auto change_core = [](std::vector<std::int64_t>& cores, std::int64_t there_are) {
    if (!cores.empty()) {
      cores[static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(cores.size()) - 1))] =
          pick(0, pick(0, 9) == 0 ? there_are : there_are - 1);
    }
  };
  switch (pick(0, 5)) {
    case 0:
    case 1: {  // elsewhere in time
      const Picoseconds length = run.end - run.start;
      run.start = Picoseconds(pick(0, s.makespan.value() + 1));
      run.end = run.start + length;
      break;
    }
    case 2:
      change_core(run.tensor_cores, p.tensor_cores);
      break;
    case 3:
      change_core(run.vector_cores, p.vector_cores);
      break;
    case 4:  // the other width, on the cores that it has
      run.wide = !run.wide;
      run.end = run.start + (run.wide ? task.all_cores.value_or(task.one_core) : task.one_core);
      break;
    default:  // when another one starts
      const Picoseconds length = run.end - run.start;
      run.start = s.runs[TaskId(static_cast<std::size_t>(
                             pick(0, static_cast<std::int64_t>(p.tasks.size()) - 1)))]
                      .start;
      run.end = run.start + length;
  }
}

RC_GTEST_PROP(VerifySchedule, AgreesWithTheDefinition, ()) {
  tests::ScheduleProblemOptions options;
  options.most_tasks = 5;
  options.most_cores = 3;
  options.most_time = Picoseconds(pick(1, 12));
  const ScheduleProblem p =
      tests::random_schedule_problem(static_cast<std::uint64_t>(pick(0, 1'000'000)), options);
  Schedule s = tests::solve_schedule_by_brute_force(p);
  RC_ASSERT(find_faults(p, s).empty());
  RC_ASSERT(is_sound(p, s));
  s.lower_bound = Picoseconds(0);
  s.status = plan::SolveStatus::kFeasible;
  for (std::int64_t changes = pick(1, 3); changes > 0; --changes) {
    change_something(p, s);
  }
  Picoseconds end(0);
  for (const TaskRun& run : s.runs) {
    end = std::max(end, run.end);
  }
  s.makespan = end;
  RC_CLASSIFY(is_sound(p, s), "sound");
  RC_ASSERT(find_faults(p, s).empty() == is_sound(p, s));
}

}  // namespace
}  // namespace phaze::verify
