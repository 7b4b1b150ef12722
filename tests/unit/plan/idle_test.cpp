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
  ScheduleProblem p = two_and_one();
  p.tasks.push_back(task("a", TaskUnit::kTensor, 2));
  p.tasks.push_back(task("w", TaskUnit::kTensor, 4, 2));
  Schedule s;
  s.runs.push_back(run(0, 2, {0}));
  s.runs.push_back(run(2, 4, {0, 1}, {}, true));
  EXPECT_EQ(idle_of(p, s), "tensor cores a 2; vector unused 4");
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
  EXPECT_EQ(idle_of(p, s), "tensor done 4; vector slack 2");
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
  EXPECT_EQ(idle_of(p, s, 2), "tensor cores a 2; tensor done 2; vector unused 4");
}

//        0    2    4    6
//   net  [n   ][m   ]          m before v
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
  EXPECT_EQ(idle_of(p, s), "vector operator m 2; vector cores n 2");
}

TEST(IdleTimes, NothingToDo) { EXPECT_EQ(idle_of(two_and_one(), {}), ""); }

bool takes_time(const TaskRun& each) { return each.start < each.end; }

bool uses(const ScheduleProblem& problem, TaskId id, TaskUnit kind) {
  return problem.tasks[id].unit == kind || problem.tasks[id].unit == TaskUnit::kBoth;
}

bool overlap(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return std::ranges::any_of(a, [&b](std::int64_t x) { return std::ranges::count(b, x) > 0; });
}

// Why a task waits for another that began before it; nothing: it does not.
std::optional<IdleReason> link(const ScheduleProblem& p, const Schedule& s, TaskId before,
                               TaskId task) {
  if (std::ranges::count(p.edges, std::pair(before, task)) > 0) {
    return IdleReason::kTask;
  }
  const TaskRun& a = s.runs[before];
  const TaskRun& b = s.runs[task];
  if (!takes_time(a) || !takes_time(b) || a.start >= b.start) {
    return std::nullopt;
  }
  const auto on_network = [&p](TaskId id) { return p.tasks[id].unit == TaskUnit::kNetwork; };
  if ((on_network(before) && on_network(task)) || overlap(a.tensor_cores, b.tensor_cores) ||
      overlap(a.vector_cores, b.vector_cores)) {
    return IdleReason::kCores;
  }
  const auto on_cores = [](const TaskRun& r) {
    return !r.tensor_cores.empty() || !r.vector_cores.empty();
  };
  if (p.exclusive_wide && (a.wide || b.wide) && on_cores(a) && on_cores(b)) {
    return IdleReason::kExclusive;
  }
  return std::nullopt;
}

// The reason of one kind's idle cores just after a moment, by looking at all tasks.
std::pair<IdleReason, std::optional<TaskId>> reason_at(const ScheduleProblem& p, const Schedule& s,
                                                       TaskUnit kind, Picoseconds at) {
  std::optional<TaskId> next;
  bool is_used = false;
  for (const TaskId id : ids_of(p.tasks)) {
    if (uses(p, id, kind) && takes_time(s.runs[id])) {
      is_used = true;
      if (s.runs[id].start > at && (!next || s.runs[id].start < s.runs[*next].start)) {
        next = id;
      }
    }
  }
  if (!next) {
    return {is_used ? IdleReason::kDone : IdleReason::kUnused, {}};
  }
  for (TaskId held = *next;;) {
    std::optional<std::tuple<std::int64_t, IdleReason, TaskId>> latest;
    for (const TaskId id : ids_of(p.tasks)) {
      if (const auto reason = link(p, s, id, held)) {
        const std::tuple found(-s.runs[id].end.value(), *reason, id);
        latest = latest ? std::min(*latest, found) : found;
      }
    }
    if (!latest || -std::get<0>(*latest) <= at.value()) {
      return {IdleReason::kSlack, {}};
    }
    held = std::get<2>(*latest);
    if (s.runs[held].start <= at) {
      return {std::get<1>(*latest), held};
    }
  }
}

// Moment by moment the same.
TEST(IdleTimes, AgreeWithALookAtEveryMoment) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    tests::ScheduleProblemOptions options;
    options.most_tasks = 12;
    const ScheduleProblem problem = tests::random_schedule_problem(seed, options);
    const Schedule schedule = schedule::solve_list(problem);
    std::set<Picoseconds> moments;
    for (const TaskRun& each : schedule.runs) {
      moments.insert({each.start, each.end});
    }
    std::map<std::tuple<TaskUnit, IdleReason, std::optional<TaskId>>, double> expected;
    for (auto at = moments.begin(); at != moments.end() && std::next(at) != moments.end(); ++at) {
      const double length = to_seconds(*std::next(at) - *at).value();
      for (const TaskUnit kind : {TaskUnit::kTensor, TaskUnit::kVector}) {
        const bool is_tensor = kind == TaskUnit::kTensor;
        auto idle = static_cast<double>(is_tensor ? problem.tensor_cores : problem.vector_cores);
        for (const TaskRun& each : schedule.runs) {
          const bool runs = each.start <= *at && *at < each.end;
          const std::size_t cores = is_tensor ? each.tensor_cores.size() : each.vector_cores.size();
          idle -= runs ? static_cast<double>(cores) : 0;
        }
        const auto [reason, task] = reason_at(problem, schedule, kind, *at);
        expected[{kind, reason, task}] += idle * length;
      }
    }
    for (const IdleTime& item : idle_times(problem, schedule)) {
      EXPECT_NEAR((expected[{item.unit, item.reason, item.task}]), item.core_time.value(), 1e-15)
          << seed;
      expected[{item.unit, item.reason, item.task}] = 0;
    }
    for (const auto& [what, left] : expected) {
      EXPECT_EQ(left, 0) << seed;
    }
  }
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
