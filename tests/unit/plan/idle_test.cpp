// Idle time of cores: small schedules drawn, and sums over random ones.
#include "plan/idle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "schedule/exact.h"
#include "support/schedule_generators.h"

namespace phaze::plan {
namespace {

constexpr std::int64_t kUnit = 1'000'000'000'000;  // picoseconds of a second
constexpr std::int64_t kNoLimit = 1'000'000;

Task task(const std::string& id, TaskUnit unit, std::int64_t one_core,
          std::optional<std::int64_t> all_cores = {}) {
  Task t{id, unit, Picoseconds(one_core * kUnit), {}};
  if (all_cores) {
    t.all_cores = Picoseconds(*all_cores * kUnit);
  }
  return t;
}

TaskRun run(std::int64_t start, std::int64_t end, std::vector<std::int64_t> tensor,
            std::vector<std::int64_t> vector = {}, bool wide = false) {
  return {Picoseconds(start * kUnit), Picoseconds(end * kUnit), wide, std::move(tensor),
          std::move(vector)};
}

// "tensor operator a 3; vector done 1"
std::string text(const ScheduleProblem& problem, const std::vector<IdleTime>& idle) {
  std::string all;
  for (const IdleTime& item : idle) {
    all += (all.empty() ? "" : "; ") + std::string(to_string(item.unit)) + " " +
           std::string(to_string(item.reason)) +
           (item.task ? " " + problem.tasks[*item.task].id : "") + " " +
           std::to_string(std::llround(item.core_time.value()));
  }
  return all;
}

std::string idle_of(const ScheduleProblem& problem, Schedule schedule,
                    std::int64_t busy_cores = kNoLimit, std::int64_t time = 0) {
  for (const TaskRun& each : schedule.runs) {
    schedule.makespan = std::max(schedule.makespan, each.end);
  }
  const Picoseconds until = std::max(schedule.makespan, Picoseconds(time * kUnit));
  return text(problem, idle_times(problem, schedule, until, busy_cores));
}

ScheduleProblem two_and_one(bool exclusive = false) {
  ScheduleProblem p;
  p.tensor_cores = 2;
  p.vector_cores = 1;
  p.exclusive_wide = exclusive;
  return p;
}

//        0    2    4    6    8
//   t0   [a  ]          [c   ]     a before n before v before c
//   t1   [b     ]
//   v0             [v   ]
//   net       [n  ]
TEST(IdleTimes, NameWhatRunsOnTheWayToTheNextTask) {
  ScheduleProblem p = two_and_one();
  p.tasks.push_back(task("a", TaskUnit::kTensor, 2));
  p.tasks.push_back(task("b", TaskUnit::kTensor, 3));
  p.tasks.push_back(task("n", TaskUnit::kNetwork, 2));
  p.tasks.push_back(task("v", TaskUnit::kVector, 2));
  p.tasks.push_back(task("c", TaskUnit::kTensor, 2));
  p.edges = {{TaskId(0), TaskId(2)}, {TaskId(2), TaskId(3)}, {TaskId(3), TaskId(4)}};
  Schedule s;
  s.runs.push_back(run(0, 2, {0}));
  s.runs.push_back(run(0, 3, {1}));
  s.runs.push_back(run(2, 4, {}));
  s.runs.push_back(run(4, 6, {}, {0}));
  s.runs.push_back(run(6, 8, {0}));
  EXPECT_EQ(idle_of(p, s),
            "tensor operator v 4; tensor operator n 3; tensor done 2; "
            "vector operator a 2; vector operator n 2; vector done 2");
  // Bytes that still move.
  EXPECT_EQ(idle_of(p, s, kNoLimit, 10),
            "tensor operator v 4; tensor floor 4; tensor operator n 3; tensor done 2; "
            "vector operator a 2; vector operator n 2; vector done 2; vector floor 2");
}

//        0    2    4
//   t0   [a   ][w   ]     w is wide
//   t1         [w   ]
TEST(IdleTimes, CoresThatAWideTaskNeeds) {
  for (const bool exclusive : {false, true}) {
    ScheduleProblem p = two_and_one(exclusive);
    p.tasks.push_back(task("a", TaskUnit::kTensor, 2));
    p.tasks.push_back(task("w", TaskUnit::kTensor, 4, 2));
    Schedule s;
    s.runs.push_back(run(0, 2, {0}));
    s.runs.push_back(run(2, 4, {0, 1}, {}, true));
    EXPECT_EQ(idle_of(p, s), "tensor cores a 2; vector unused 4");
  }
}

//        0    2    4
//   t0   [w   ]           w is wide, and nothing runs beside it
//   t1   [w   ]
//   v0         [v   ]
TEST(IdleTimes, Exclusive) {
  ScheduleProblem p = two_and_one(true);
  p.tasks.push_back(task("w", TaskUnit::kTensor, 4, 2));
  p.tasks.push_back(task("v", TaskUnit::kVector, 2));
  Schedule s;
  s.runs.push_back(run(0, 2, {0, 1}, {}, true));
  s.runs.push_back(run(2, 4, {}, {0}));
  EXPECT_EQ(idle_of(p, s), "tensor done 4; vector exclusive_wide w 2");
  // Without the rule nothing holds it.
  p.exclusive_wide = false;
  EXPECT_EQ(idle_of(p, s), "tensor done 4; vector slack v 2");
}

//        0    2    4
//   t0         [w   ]     w is wide, and nothing runs beside it
//   t1         [w   ]
//   v0   [v   ]
TEST(IdleTimes, AWideTaskWaitsUntilNothingRunsBesideIt) {
  ScheduleProblem p = two_and_one(true);
  p.tasks.push_back(task("w", TaskUnit::kTensor, 4, 2));
  p.tasks.push_back(task("v", TaskUnit::kVector, 2));
  Schedule s;
  s.runs.push_back(run(2, 4, {0, 1}, {}, true));
  s.runs.push_back(run(0, 2, {}, {0}));
  EXPECT_EQ(idle_of(p, s), "tensor exclusive_wide v 4; vector done 2");
  p.exclusive_wide = false;
  EXPECT_EQ(idle_of(p, s), "tensor slack w 4; vector done 2");
}

//        0    2    4    6
//   t0   [d         ][w   ]     w before v: the vector core waits for a result that nobody makes
//   t1   [d         ][w   ]     yet, not for the cores that d has
//   v0                    [v]
TEST(IdleTimes, WhatWaitsForAResultDoesNotWaitForCores) {
  for (const bool exclusive : {false, true}) {
    ScheduleProblem p = two_and_one(exclusive);
    p.tasks.push_back(task("d", TaskUnit::kTensor, 8, 4));
    p.tasks.push_back(task("w", TaskUnit::kTensor, 4, 2));
    p.tasks.push_back(task("v", TaskUnit::kVector, 1));
    p.edges = {{TaskId(1), TaskId(2)}};
    Schedule s;
    s.runs.push_back(run(0, 4, {0, 1}, {}, true));
    s.runs.push_back(run(4, 6, {0, 1}, {}, true));
    s.runs.push_back(run(6, 7, {}, {0}));
    EXPECT_EQ(idle_of(p, s), "tensor done 2; vector operator w 6");
  }
}

//        0    2    4    6
//   t0   [d         ][f ]     f is ready, on one core of each kind
//   t1   [e         ]
//   v0               [f ]
TEST(IdleTimes, CoresOfTheOtherKind) {
  ScheduleProblem p = two_and_one();
  p.tasks.push_back(task("d", TaskUnit::kTensor, 4));
  p.tasks.push_back(task("e", TaskUnit::kTensor, 4));
  p.tasks.push_back(task("f", TaskUnit::kBoth, 1));
  Schedule s;
  s.runs.push_back(run(0, 4, {0}));
  s.runs.push_back(run(0, 4, {1}));
  s.runs.push_back(run(4, 5, {0}, {0}));
  EXPECT_EQ(idle_of(p, s), "tensor done 1; vector other_cores d 4");
  // Wide, it needs those of the last to end.
  p.tasks[TaskId(1)].one_core = Picoseconds(3 * kUnit);
  p.tasks[TaskId(2)].all_cores = Picoseconds(kUnit);
  s.runs[TaskId(1)] = run(0, 3, {1});
  s.runs[TaskId(2)] = run(4, 5, {0, 1}, {0}, true);
  EXPECT_EQ(idle_of(p, s), "tensor cores d 1; vector other_cores d 4");
  // One core of the other kind is free: on one core it could have begun.
  p.tasks[TaskId(2)].all_cores.reset();
  s.runs[TaskId(2)] = run(4, 5, {0}, {0});
  EXPECT_EQ(idle_of(p, s),
            "tensor slack f 1; tensor done 1; vector other_cores d 3; "
            "vector slack f 1");
}

//        0    2    4    6
//   t0   [a   ]     [c  ]    a before c; b is ready from the start, and c is the first to begin
//   t1                 [b]
TEST(IdleTimes, AReadyTaskCountsBeforeOneThatIsNot) {
  ScheduleProblem p = two_and_one();
  p.tasks.push_back(task("a", TaskUnit::kNetwork, 4));
  p.tasks.push_back(task("b", TaskUnit::kTensor, 1));
  p.tasks.push_back(task("c", TaskUnit::kTensor, 2));
  p.edges = {{TaskId(0), TaskId(2)}};
  Schedule s;
  s.runs.push_back(run(0, 4, {}));
  s.runs.push_back(run(5, 6, {1}));
  s.runs.push_back(run(4, 6, {0}));
  EXPECT_EQ(idle_of(p, s), "tensor slack b 9; vector unused 6");
}

//        0    2    4
//   t0   [a   ][b   ]     one core may be busy
//   t1
TEST(IdleTimes, LimitOfBusyCores) {
  ScheduleProblem p = two_and_one();
  p.tasks.push_back(task("a", TaskUnit::kTensor, 2));
  p.tasks.push_back(task("b", TaskUnit::kTensor, 2));
  Schedule s;
  s.runs.push_back(run(0, 2, {0}));
  s.runs.push_back(run(2, 4, {0}));
  EXPECT_EQ(idle_of(p, s, 1), "tensor busy_cores a 2; tensor done 2; vector unused 4");
  EXPECT_EQ(idle_of(p, s, 2), "tensor slack b 2; tensor done 2; vector unused 4");
}

//        0    2    4    6
//   net  [n   ][m   ]          m before z before v; z takes no time
//   v0               [v ]
TEST(IdleTimes, NetworkAndTasksOfNoLength) {
  ScheduleProblem p = two_and_one();
  p.tensor_cores = 0;
  p.tasks.push_back(task("n", TaskUnit::kNetwork, 2));
  p.tasks.push_back(task("m", TaskUnit::kNetwork, 2));
  p.tasks.push_back(task("z", TaskUnit::kVector, 0));
  p.tasks.push_back(task("v", TaskUnit::kVector, 1));
  p.edges = {{TaskId(1), TaskId(2)}, {TaskId(2), TaskId(3)}};
  Schedule s;
  s.runs.push_back(run(0, 2, {}));
  s.runs.push_back(run(2, 4, {}));
  s.runs.push_back(run(4, 4, {}, {0}));
  s.runs.push_back(run(4, 5, {}, {0}));
  EXPECT_EQ(idle_of(p, s), "vector operator m 4");
}

TEST(IdleTimes, NothingToDo) { EXPECT_EQ(idle_of(two_and_one(), {}), ""); }

using Reason = std::pair<IdleReason, std::optional<TaskId>>;

// What is true at the moments from `at` to the next at which something begins or ends, by looking
// at all tasks.
class Moment {
 public:
  Moment(const ScheduleProblem& p, const Schedule& s, Picoseconds at) : p_(p), s_(s), at_(at) {}

  std::int64_t idle_cores(TaskUnit kind) const {
    std::int64_t idle = kind == TaskUnit::kTensor ? p_.tensor_cores : p_.vector_cores;
    for (const TaskId id : ids_of(p_.tasks)) {
      idle -= runs(id) ? static_cast<std::int64_t>(cores(id, kind).size()) : 0;
    }
    return idle;
  }

  Reason reason(TaskUnit kind) const {
    std::optional<TaskId> next;
    std::optional<TaskId> ready;
    bool is_used = false;
    for (const TaskId id : ids_of(p_.tasks)) {
      if (cores(id, kind).empty() || s_.runs[id].start == s_.runs[id].end) {
        continue;
      }
      is_used = true;
      const auto keep_first = [&](std::optional<TaskId>& kept) {
        kept = !kept || s_.runs[id].start < s_.runs[*kept].start ? id : *kept;
      };
      if (s_.runs[id].start > at_) {
        keep_first(next);
        if (!last_before(id)) {
          keep_first(ready);
        }
      }
    }
    if (ready) {
      return reason_of_ready(*ready, kind);
    }
    if (next) {
      TaskId awaited = *last_before(*next);
      while (const auto before = last_before(awaited)) {
        awaited = *before;
      }
      return {IdleReason::kTask, awaited};
    }
    return {is_used ? IdleReason::kDone : IdleReason::kUnused, {}};
  }

 private:
  const std::vector<std::int64_t>& cores(TaskId id, TaskUnit kind) const {
    return kind == TaskUnit::kTensor ? s_.runs[id].tensor_cores : s_.runs[id].vector_cores;
  }
  bool runs(TaskId id) const { return s_.runs[id].start <= at_ && at_ < s_.runs[id].end; }

  // Of the tasks before it that have not ended.
  std::optional<TaskId> last_before(TaskId task) const {
    std::optional<TaskId> last;
    for (const TaskId id : ids_of(p_.tasks)) {
      if (std::ranges::count(p_.edges, std::pair(id, task)) > 0 && s_.runs[id].end > at_ &&
          (!last || s_.runs[id].end > s_.runs[*last].end)) {
        last = id;
      }
    }
    return last;
  }

  // Of those that run and have one of these cores, the last to end.
  std::optional<TaskId> holder(TaskUnit kind, const std::vector<std::int64_t>& of) const {
    std::optional<TaskId> last;
    for (const TaskId id : ids_of(p_.tasks)) {
      const bool shares = std::ranges::any_of(
          cores(id, kind), [&of](std::int64_t core) { return std::ranges::count(of, core) > 0; });
      if (runs(id) && shares && (!last || s_.runs[id].end > s_.runs[*last].end)) {
        last = id;
      }
    }
    return last;
  }

  Reason reason_of_ready(TaskId ready, TaskUnit kind) const {
    std::optional<TaskId> last;  // to end of all on cores
    for (const TaskId id : ids_of(p_.tasks)) {
      const bool on_cores = !s_.runs[id].tensor_cores.empty() || !s_.runs[id].vector_cores.empty();
      if (runs(id) && on_cores && p_.exclusive_wide && s_.runs[id].wide) {
        return {IdleReason::kExclusive, id};
      }
      if (runs(id) && on_cores && (!last || s_.runs[id].end > s_.runs[*last].end)) {
        last = id;
      }
    }
    const TaskUnit other = kind == TaskUnit::kTensor ? TaskUnit::kVector : TaskUnit::kTensor;
    for (const TaskUnit needed : {kind, other}) {
      if (s_.runs[ready].wide || idle_cores(needed) == 0) {
        if (const auto taken = holder(needed, cores(ready, needed))) {
          return {needed == kind ? IdleReason::kCores : IdleReason::kOtherCores, *taken};
        }
      }
    }
    if (p_.exclusive_wide && s_.runs[ready].wide && last) {
      return {IdleReason::kExclusive, *last};
    }
    return {IdleReason::kSlack, ready};
  }

  const ScheduleProblem& p_;
  const Schedule& s_;
  Picoseconds at_;
};

// Moment by moment the same, under both rules for wide tasks.
TEST(IdleTimes, AgreeWithALookAtEveryMoment) {
  std::set<IdleReason> met;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    tests::ScheduleProblemOptions options;
    options.most_tasks = 12;
    options.exclusive = seed % 2 == 0;
    const ScheduleProblem problem = tests::random_schedule_problem(seed, options);
    const Schedule schedule = schedule::solve_list(problem);
    std::set<Picoseconds> moments;
    for (const TaskRun& each : schedule.runs) {
      moments.insert({each.start, each.end});
    }
    std::map<std::pair<TaskUnit, Reason>, double> expected;
    for (auto at = moments.begin(); at != moments.end() && std::next(at) != moments.end(); ++at) {
      const Moment moment(problem, schedule, *at);
      const double length = to_seconds(*std::next(at) - *at).value();
      for (const TaskUnit kind : {TaskUnit::kTensor, TaskUnit::kVector}) {
        if (const std::int64_t idle = moment.idle_cores(kind); idle > 0) {
          expected[{kind, moment.reason(kind)}] += static_cast<double>(idle) * length;
        }
      }
    }
    for (const IdleTime& item : idle_times(problem, schedule)) {
      EXPECT_NEAR((expected[{item.unit, {item.reason, item.task}}]), item.core_time.value(), 1e-15)
          << seed;
      expected[{item.unit, {item.reason, item.task}}] = 0;
      met.insert(item.reason);
    }
    for (const auto& [what, left] : expected) {
      EXPECT_EQ(left, 0) << seed;
    }
  }
  EXPECT_EQ(met.size(), 7U);  // all but a limit of busy cores and a floor
}

double busy_time(const Schedule& schedule, std::vector<std::int64_t> TaskRun::*cores) {
  double busy = 0;
  for (const TaskRun& each : schedule.runs) {
    busy += to_seconds(each.end - each.start).value() * static_cast<double>((each.*cores).size());
  }
  return busy;
}

TEST(IdleTimes, AddUpToWhatTasksLeave) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    tests::ScheduleProblemOptions options;
    options.most_tasks = 30;
    const ScheduleProblem problem = tests::random_schedule_problem(seed, options);
    const Schedule schedule = schedule::solve_list(problem);
    const Picoseconds time = schedule.makespan + Picoseconds(seed % 2 == 0 ? 0 : 1'000);
    double tensor = 0;
    double vector = 0;
    for (const IdleTime& item : idle_times(problem, schedule, time, kNoLimit)) {
      EXPECT_GT(item.core_time.value(), 0);
      (item.unit == TaskUnit::kTensor ? tensor : vector) += item.core_time.value();
    }
    const double until = to_seconds(time).value();
    const double all_tensor = static_cast<double>(problem.tensor_cores) * until;
    const double all_vector = static_cast<double>(problem.vector_cores) * until;
    EXPECT_NEAR(tensor + busy_time(schedule, &TaskRun::tensor_cores), all_tensor,
                1e-12 * all_tensor)
        << seed;
    EXPECT_NEAR(vector + busy_time(schedule, &TaskRun::vector_cores), all_vector,
                1e-12 * all_vector)
        << seed;
  }
}

}  // namespace
}  // namespace phaze::plan
