// The brute force over orders against one that needs no argument: every task at every start.
#include "support/schedule_brute_force.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/schedule_generators.h"
#include "verify/schedule.h"
#include "verify/schedule_bounds.h"

namespace phaze::tests {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskUnit;

// The least makespan below `end`, or `end`: every width and whole start of every task, what runs at
// each moment counted on its own.
class EveryStart {
 public:
  EveryStart(const ScheduleProblem& problem, std::int64_t end) : p_(problem), best_(end) {}

  std::int64_t solve() {
    place(0);
    return best_;
  }

 private:
  struct Placed {
    std::int64_t start, end;
    bool wide;
  };

  void place(std::size_t index) {
    if (index == p_.tasks.size()) {
      std::int64_t end = 0;
      for (const Placed& run : runs_) {
        end = std::max(end, run.end);
      }
      if (end < best_ && is_sound(end)) {
        best_ = end;
      }
      return;
    }
    const Task& task = p_.tasks[TaskId(index)];
    for (const bool wide : {false, true}) {
      if (wide && !task.all_cores) {
        continue;
      }
      const std::int64_t length = (wide ? *task.all_cores : task.one_core).value();
      for (std::int64_t start = 0; start + length < best_; ++start) {
        runs_.push_back({start, start + length, wide});
        place(index + 1);
        runs_.pop_back();
      }
    }
  }

  bool is_sound(std::int64_t end) const {
    for (const auto& [before, after] : p_.edges) {
      if (runs_[after.index()].start < runs_[before.index()].end) {
        return false;
      }
    }
    for (std::int64_t moment = 0; moment < end; ++moment) {
      int narrow_tensor = 0, narrow_vector = 0, wide_tensor = 0, wide_vector = 0;
      int narrow = 0, wide = 0, network = 0;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (moment < runs_[i].start || moment >= runs_[i].end) {
          continue;
        }
        const TaskUnit unit = p_.tasks[TaskId(i)].unit;
        if (unit == TaskUnit::kNetwork) {
          ++network;
        } else if (unit != TaskUnit::kNone) {
          ++(runs_[i].wide ? wide : narrow);
          if (unit != TaskUnit::kVector) {
            ++(runs_[i].wide ? wide_tensor : narrow_tensor);
          }
          if (unit != TaskUnit::kTensor) {
            ++(runs_[i].wide ? wide_vector : narrow_vector);
          }
        }
      }
      const bool is_alone = wide == 0 || (wide == 1 && narrow == 0);
      const bool has_tensor = wide_tensor == 0 || (wide_tensor == 1 && narrow_tensor == 0);
      const bool has_vector = wide_vector == 0 || (wide_vector == 1 && narrow_vector == 0);
      if (network > 1 || narrow_tensor > p_.tensor_cores || narrow_vector > p_.vector_cores ||
          !has_tensor || !has_vector || (p_.exclusive_wide && !is_alone)) {
        return false;
      }
    }
    return true;
  }

  const ScheduleProblem& p_;
  std::int64_t best_;
  std::vector<Placed> runs_;
};

TEST(ScheduleBruteForce, EveryStartAgrees) {
  ScheduleProblemOptions options;
  options.most_tasks = 5;
  options.most_cores = 2;
  options.most_time = Picoseconds(4);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const ScheduleProblem p = random_schedule_problem(seed, options);
    const Schedule schedule = solve_schedule_by_brute_force(p);
    const std::int64_t one_after_another = verify::plain_makespan(p).value();
    EXPECT_EQ(schedule.makespan.value(), EveryStart(p, one_after_another + 1).solve()) << seed;
  }
}

TEST(ScheduleBruteForce, SchedulesAreSound) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ScheduleProblemOptions options;
    options.most_tasks = 6;
    const ScheduleProblem p = random_schedule_problem(seed, options);
    const Schedule schedule = solve_schedule_by_brute_force(p);
    const std::vector<std::string> faults = verify::find_faults(p, schedule);
    EXPECT_TRUE(faults.empty()) << seed << ": " << faults.front();
  }
}

// Two tasks of 3 on two cores, wide 2 each: beside one another they take 3, wide 4. With a third
// one wide beside nothing else: 3 + 2.
TEST(ScheduleBruteForce, ByHand) {
  ScheduleProblem p;
  p.tensor_cores = 2;
  p.tasks.push_back({"a", TaskUnit::kTensor, Picoseconds(3), Picoseconds(2)});
  p.tasks.push_back({"b", TaskUnit::kTensor, Picoseconds(3), Picoseconds(2)});
  EXPECT_EQ(solve_schedule_by_brute_force(p).makespan, Picoseconds(3));
  EXPECT_EQ(solve_schedule_by_brute_force(p).work, 2 * 4);
  p.tasks.push_back({"c", TaskUnit::kTensor, Picoseconds(3), Picoseconds(2)});
  EXPECT_EQ(solve_schedule_by_brute_force(p).makespan, Picoseconds(5));
  // In a row, with a vector task of 4: beside the first, which is narrow, or beside wide ones where
  // the rule does not forbid it.
  p.tasks.push_back({"v", TaskUnit::kVector, Picoseconds(4), {}});
  p.edges = {{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(2)}};
  EXPECT_EQ(solve_schedule_by_brute_force(p).makespan, Picoseconds(8));
  p.exclusive_wide = false;
  EXPECT_EQ(solve_schedule_by_brute_force(p).makespan, Picoseconds(6));
}

// Seven tasks that may run in any order, wide or not.
TEST(ScheduleBruteForce, Largest) {
  ScheduleProblem p;
  p.tensor_cores = 2;
  for (int i = 0; i < 7; ++i) {
    p.tasks.push_back({"a", TaskUnit::kTensor, Picoseconds(10 + i), Picoseconds(6 + i)});
  }
  EXPECT_EQ(solve_schedule_by_brute_force(p).work, 5040 * 128);
  p.tasks.push_back({"a", TaskUnit::kTensor, Picoseconds(1), {}});
  EXPECT_THROW(solve_schedule_by_brute_force(p), std::invalid_argument);
}

}  // namespace
}  // namespace phaze::tests
