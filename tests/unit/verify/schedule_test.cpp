// The checker of schedules: one that is sound, and every fault planted in it.
#include "verify/schedule.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "verify/schedule_bounds.h"

namespace phaze::verify {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

constexpr TaskId kA(0), kB(1), kV(2), kF(3), kN(4), kM(5), kX(6), kZ(7), kW(8);

//        0    2    4    6    8    10   12
//   t0   [a   ][f      ]     [w   ]             a, b, w: tensor; v: vector; f: both
//   t1   [b      ]           [w   ]             n, m: network; x: nothing; z: tensor, no time
//   v0   [v   ][f      ]
//   net  [n                      ][m   ]        a before f before w; b before z before w
//   -                        [x       ]
ScheduleProblem small_problem(bool exclusive = true) {
  ScheduleProblem p;
  p.tensor_cores = 2;
  p.vector_cores = 1;
  p.exclusive_wide = exclusive;
  p.tasks.push_back({"a", TaskUnit::kTensor, Picoseconds(2), {}});
  p.tasks.push_back({"b", TaskUnit::kTensor, Picoseconds(3), Picoseconds(2)});
  p.tasks.push_back({"v", TaskUnit::kVector, Picoseconds(2), Picoseconds(2)});
  p.tasks.push_back({"f", TaskUnit::kBoth, Picoseconds(3), {}});
  p.tasks.push_back({"n", TaskUnit::kNetwork, Picoseconds(10), {}});
  p.tasks.push_back({"m", TaskUnit::kNetwork, Picoseconds(2), {}});
  p.tasks.push_back({"x", TaskUnit::kNone, Picoseconds(4), {}});
  p.tasks.push_back({"z", TaskUnit::kTensor, Picoseconds(0), {}});
  p.tasks.push_back({"w", TaskUnit::kTensor, Picoseconds(4), Picoseconds(2)});
  p.edges = {{kA, kF}, {kF, kW}, {kB, kZ}, {kZ, kW}};
  return p;
}

TaskRun run(std::int64_t start, std::int64_t end, std::vector<std::int64_t> tensor = {},
            std::vector<std::int64_t> vector = {}, bool wide = false) {
  return {Picoseconds(start), Picoseconds(end), wide, std::move(tensor), std::move(vector)};
}

Schedule small_schedule() {
  Schedule s;
  s.runs.push_back(run(0, 2, {0}));
  s.runs.push_back(run(0, 3, {1}));
  s.runs.push_back(run(0, 2, {}, {0}));
  s.runs.push_back(run(2, 5, {0}, {0}));
  s.runs.push_back(run(0, 10));
  s.runs.push_back(run(10, 12));
  s.runs.push_back(run(8, 12));
  s.runs.push_back(run(4, 4, {0}));  // while f has the core
  s.runs.push_back(run(8, 10, {0, 1}, {}, true));
  s.makespan = s.lower_bound = Picoseconds(12);
  s.status = SolveStatus::kOptimal;
  return s;
}

std::string faults_of(const ScheduleProblem& problem, const Schedule& schedule) {
  std::string text;
  for (const std::string& fault : find_faults(problem, schedule)) {
    text += fault + "\n";
  }
  return text;
}

std::string faults_after(const std::function<void(Schedule&)>& change, bool exclusive = true) {
  Schedule schedule = small_schedule();
  change(schedule);
  return faults_of(small_problem(exclusive), schedule);
}

TEST(VerifySchedule, SoundSchedules) {
  EXPECT_EQ(faults_of(small_problem(true), small_schedule()), "");
  EXPECT_EQ(faults_of(small_problem(false), small_schedule()), "");
  EXPECT_EQ(faults_of({}, {}), "");
  // A bound that is not reached.
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.status = SolveStatus::kFeasible;
              s.lower_bound = Picoseconds(3);
            }),
            "");
}

// Beside a wide task of tensor cores runs a vector task only where the rule does not forbid it.
TEST(VerifySchedule, BesideAWideTask) {
  const auto later = [](Schedule& s) { s.runs[kV] = run(9, 11, {}, {0}); };
  EXPECT_EQ(faults_after(later, true), "task v: runs beside w, which runs wide\n");
  EXPECT_EQ(faults_after(later, false), "");
  const auto wide_later = [](Schedule& s) { s.runs[kV] = run(7, 9, {}, {0}, true); };
  EXPECT_EQ(faults_after(wide_later, true), "task w: runs wide beside v, which runs wide\n");
  EXPECT_EQ(faults_after(wide_later, false), "");
  const auto first = [](Schedule& s) {
    s.runs[kA] = run(2, 4, {0});
    s.runs[kF] = run(4, 7, {0}, {0});
    s.runs[kB] = run(0, 2, {0, 1}, {}, true);
  };
  EXPECT_EQ(faults_after(first, true), "task v: runs beside b, which runs wide\n");
  EXPECT_EQ(faults_after(first, false), "");
  // On the same cores it may not in any case.
  const auto same = [](Schedule& s) { s.runs[kB] = run(1, 3, {0, 1}, {}, true); };
  EXPECT_EQ(faults_after(same, false),
            "task b: starts at 1 ps, when a has the tensor core 0 until 2 ps\n"
            "task f: starts at 2 ps, when b has the tensor core 0 until 3 ps\n");
  EXPECT_EQ(faults_after(same, true),
            "task b: starts at 1 ps, when a has the tensor core 0 until 2 ps\n"
            "task f: starts at 2 ps, when b has the tensor core 0 until 3 ps\n"
            "task b: runs wide beside a\n"
            "task f: runs beside b, which runs wide\n");
}

// A long narrow task that ends after later ones have come and gone.
TEST(VerifySchedule, TheLatestEndCounts) {
  ScheduleProblem p;
  p.tensor_cores = 3;
  p.vector_cores = 0;
  p.tasks.push_back({"long", TaskUnit::kTensor, Picoseconds(9), {}});
  p.tasks.push_back({"short", TaskUnit::kTensor, Picoseconds(2), {}});
  p.tasks.push_back({"wide", TaskUnit::kTensor, Picoseconds(3), Picoseconds(1)});
  Schedule s;
  s.runs.push_back(run(0, 9, {2}));
  s.runs.push_back(run(1, 3, {0}));
  s.runs.push_back(run(5, 6, {2, 1, 0}, {}, true));
  s.makespan = Picoseconds(9);
  EXPECT_EQ(faults_of(p, s),
            "task wide: starts at 5 ps, when long has the tensor core 2 until 9 ps\n"
            "task wide: runs wide beside long\n");
}

// Wide on both kinds, and no wide task of one kind beside another that needs it.
TEST(VerifySchedule, WideOnBothKinds) {
  ScheduleProblem p;
  p.tensor_cores = 2;
  p.vector_cores = 3;
  p.exclusive_wide = false;
  p.tasks.push_back({"f", TaskUnit::kBoth, Picoseconds(4), Picoseconds(2)});
  p.tasks.push_back({"v", TaskUnit::kVector, Picoseconds(1), {}});
  Schedule s;
  s.runs.push_back(run(0, 2, {0, 1}, {0, 1, 2}, true));
  s.runs.push_back(run(2, 3, {}, {1}));
  s.makespan = Picoseconds(3);
  EXPECT_EQ(faults_of(p, s), "");
  s.runs[TaskId(0)].vector_cores = {0};
  EXPECT_EQ(faults_of(p, s), "task f: has 1 vector cores and needs 3\n");
  s.runs[TaskId(0)].vector_cores = {0, 1, 2};
  s.runs[TaskId(1)] = run(1, 2, {}, {1});
  s.makespan = Picoseconds(2);
  EXPECT_EQ(faults_of(p, s), "task v: starts at 1 ps, when f has the vector core 1 until 2 ps\n");
}

TEST(VerifySchedule, Runs) {
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs.push_back({}); }),
            "the schedule has 10 runs for 9 tasks\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs.resize(2, {}); }),
            "the schedule has 2 runs for 9 tasks\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kA] = run(-1, 1, {0}); }),
            "task a: starts at -1 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kA] = run(0, 1, {0}); }),
            "task a: runs from 0 ps to 1 ps and takes 2 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kX] = run(4, 3); }),
            "task x: runs from 4 ps to 3 ps and takes 4 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.runs[kW] = run(8, 12, {0, 1}, {}, true);
            }),
            "task w: runs from 8 ps to 12 ps and takes 2 ps\n");
  EXPECT_EQ(faults_after(
                [](Schedule& s) {
                  s.runs[kA] = run(0, 2, {0, 1}, {}, true);
                },
                false)
                .substr(0, 29),
            "task a: runs wide and cannot\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kN].wide = true; }),
            "task n: runs wide and cannot\n");
}

TEST(VerifySchedule, Precedence) {
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kF] = run(5, 8, {0}, {0}); }), "");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kF] = run(6, 9, {0}, {0}); }).substr(0, 53),
            "task w: starts at 8 ps, before f ends at 9 ps\ntask w:");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kZ] = run(2, 2, {0}); }),
            "task z: starts at 2 ps, before b ends at 3 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kZ] = run(9, 9, {0}); }),
            "task w: starts at 8 ps, before z ends at 9 ps\n");
}

TEST(VerifySchedule, Cores) {
  const auto with = [](TaskId id, std::vector<std::int64_t> tensor,
                       std::vector<std::int64_t> vector) {
    return faults_after([&](Schedule& s) {
      s.runs[id].tensor_cores = tensor;
      s.runs[id].vector_cores = vector;
    });
  };
  EXPECT_EQ(with(kB, {2}, {}), "task b: has a tensor core that does not exist\n");
  EXPECT_EQ(with(kB, {-1}, {}), "task b: has a tensor core that does not exist\n");
  EXPECT_EQ(with(kV, {}, {1}), "task v: has a vector core that does not exist\n");
  EXPECT_EQ(with(kB, {}, {}), "task b: has 0 tensor cores and needs 1\n");
  EXPECT_EQ(with(kF, {0}, {}), "task f: has 0 vector cores and needs 1\n");
  EXPECT_EQ(with(kF, {}, {0}), "task f: has 0 tensor cores and needs 1\n");
  EXPECT_EQ(with(kZ, {}, {}), "task z: has 0 tensor cores and needs 1\n");
  EXPECT_EQ(with(kM, {0}, {}), "task m: has 1 tensor cores and needs 0\n");
  EXPECT_EQ(with(kX, {}, {0}), "task x: has 1 vector cores and needs 0\n");
  EXPECT_EQ(with(kW, {1, 1}, {}), "task w: has a tensor core twice\n");
  EXPECT_EQ(with(kW, {0}, {}), "task w: has 1 tensor cores and needs 2\n");
}

TEST(VerifySchedule, Bookings) {
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kB].tensor_cores = {0}; }),
            "task b: starts at 0 ps, when a has the tensor core 0 until 2 ps\n"
            "task f: starts at 2 ps, when b has the tensor core 0 until 3 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kV] = run(4, 6, {}, {0}); }),
            "task v: starts at 4 ps, when f has the vector core 0 until 5 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.runs[kM] = run(9, 11); }),
            "task m: starts at 9 ps, when n has the network until 10 ps\n");
}

TEST(VerifySchedule, Claims) {
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.makespan = Picoseconds(13);
              s.status = SolveStatus::kFeasible;
            }),
            "the makespan is said to be 13 ps, and the last task ends at 12 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.makespan = s.lower_bound = Picoseconds(11); }),
            "the makespan is said to be 11 ps, and the last task ends at 12 ps\n"
            "the makespan 11 ps is below 12 ps, which no schedule can beat\n");
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.lower_bound = Picoseconds(-1);
              s.status = SolveStatus::kFeasible;
            }),
            "the lower bound is -1 ps\n");
  EXPECT_EQ(
      faults_after([](Schedule& s) { s.lower_bound = Picoseconds(11); }),
      "the schedule is called optimal, and its lower bound 11 ps is not its makespan 12 ps\n");
  EXPECT_EQ(faults_after([](Schedule& s) { s.work = -1; }), "the work is negative\n");
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.lower_bound = Picoseconds(13);
              s.status = SolveStatus::kFeasible;
            }),
            "the lower bound 13 ps is above the makespan 12 ps\n"
            "the lower bound 13 ps is above 12 ps, which a plain schedule takes\n");
  // A schedule that dawdles and is called optimal.
  EXPECT_EQ(faults_after([](Schedule& s) {
              s.runs[kM] = run(20, 22);
              s.makespan = s.lower_bound = Picoseconds(22);
            }),
            "the lower bound 22 ps is above 12 ps, which a plain schedule takes\n");
}

TEST(VerifySchedule, Problems) {
  const auto with = [](const std::function<void(ScheduleProblem&)>& change) {
    ScheduleProblem problem = small_problem();
    change(problem);
    return faults_of(problem, small_schedule());
  };
  EXPECT_EQ(with([](ScheduleProblem& p) { p.edges.emplace_back(kZ, kB); }),
            "the edges of the problem close a cycle\n");
  EXPECT_EQ(with([](ScheduleProblem& p) { p.edges.emplace_back(kZ, TaskId(9)); }),
            "an edge of the problem joins tasks that do not exist\n");
  EXPECT_EQ(with([](ScheduleProblem& p) { p.vector_cores = 0; }),
            "task v: needs a kind of core of which there is none\n"
            "task f: needs a kind of core of which there is none\n");
  EXPECT_EQ(with([](ScheduleProblem& p) { p.tensor_cores = -1; }),
            "the problem has a negative number of cores\n");
  EXPECT_EQ(with([](ScheduleProblem& p) { p.tasks[kX].one_core = Picoseconds(-4); }),
            "task x: takes a negative time\n");
  EXPECT_EQ(with([](ScheduleProblem& p) { p.tasks[kX].all_cores = Picoseconds(4); }),
            "task x: has a time on all cores and runs on none\n");
  EXPECT_EQ(with([](ScheduleProblem& p) {
              p.tasks[kX].one_core = Picoseconds(std::numeric_limits<std::int64_t>::max());
            }),
            "the tasks take too long together\n");
}

TEST(VerifySchedule, AnythingIsAnswered) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::string faults = faults_after([](Schedule& s) {
    s.runs[kA] = run(kLeast, kMost, {kLeast, kMost});
    s.runs[kF] = run(kMost, kLeast, {kMost}, {kLeast});
    s.makespan = Picoseconds(kLeast);
    s.lower_bound = Picoseconds(kMost);
  });
  EXPECT_NE(faults, "");
}

// Many tasks, all wide, all faults at once: no quadratic walk.
TEST(VerifySchedule, ManyTasks) {
  ScheduleProblem p;
  p.tensor_cores = p.vector_cores = 100;
  Schedule sound;
  Schedule broken;
  constexpr std::int64_t kTasks = 10'000;
  for (std::int64_t i = 0; i < kTasks; ++i) {
    const bool is_wide = i % 4 == 0;
    p.tasks.push_back({"o" + std::to_string(i), TaskUnit::kTensor, Picoseconds(2), Picoseconds(1)});
    TaskRun one = run(2 * i, 2 * i + (is_wide ? 1 : 2), {0}, {}, is_wide);
    for (std::int64_t core = 1; is_wide && core < 100; ++core) {
      one.tensor_cores.push_back(core);
    }
    sound.runs.push_back(one);
    one.start = Picoseconds(0);
    one.end = Picoseconds(2);
    broken.runs.push_back(one);
    for (std::int64_t j = std::max<std::int64_t>(0, i - 20); j < i; ++j) {
      p.edges.emplace_back(TaskId(static_cast<std::size_t>(j)),
                           TaskId(static_cast<std::size_t>(i)));
    }
  }
  sound.makespan = Picoseconds(2 * kTasks);
  sound.lower_bound = Picoseconds(kTasks);
  EXPECT_EQ(faults_of(p, sound), "");
  broken.makespan = Picoseconds(2);
  EXPECT_GT(find_faults(p, broken).size(), 200'000U);
}

TEST(ScheduleBounds, ByHand) {
  // n and m on the network.
  EXPECT_EQ(least_makespan(small_problem()), Picoseconds(12));
  EXPECT_EQ(plain_makespan(small_problem()), Picoseconds(12));
  ScheduleProblem p;
  p.tensor_cores = 3;
  p.vector_cores = 0;
  for (const char* id : {"a", "b", "c", "d"}) {
    p.tasks.push_back({id, TaskUnit::kTensor, Picoseconds(5), {}});
  }
  EXPECT_EQ(least_makespan(p), Picoseconds(7));  // 20 / 3, rounded up
  EXPECT_EQ(plain_makespan(p), Picoseconds(10));
  for (plan::Task& task : p.tasks) {
    task.all_cores = Picoseconds(1);  // 3 of core time and not 5
  }
  EXPECT_EQ(least_makespan(p), Picoseconds(4));
  EXPECT_EQ(plain_makespan(p), Picoseconds(4));  // one after another
  p.edges = {{TaskId(3), TaskId(1)}, {TaskId(1), TaskId(0)}};
  p.tasks[TaskId(1)].all_cores = Picoseconds(9);
  EXPECT_EQ(least_makespan(p), Picoseconds(7));  // 1 + 5 + 1
  const std::vector<TaskId> order = order_tasks(p).value();
  EXPECT_EQ(order, (std::vector<TaskId>{TaskId(2), TaskId(3), TaskId(1), TaskId(0)}));
  p.edges.emplace_back(TaskId(0), TaskId(3));
  EXPECT_EQ(order_tasks(p), std::nullopt);
}

}  // namespace
}  // namespace phaze::verify
