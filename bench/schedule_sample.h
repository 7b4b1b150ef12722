#pragma once
// Exact schedules, timed and checked, and what a benchmark says of many of them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/schedule.h"
#include "schedule/exact.h"

namespace phaze::bench {

struct Timed {
  plan::Schedule schedule;
  double seconds = 0;  // of the processor: a busy machine does not change it
  int schedules = 1;   // that were sought for it
};
double processor_seconds();
Timed solve_timed(const plan::ScheduleProblem& problem, const schedule::ExactOptions& options);

// PHAZE_SCHEDULE_WORK nodes, or so many.
schedule::ExactOptions limited_to(std::int64_t otherwise);

// Of the makespan, how much is not proved.
double gap_of(const plan::Schedule& schedule);

class Sample {
 public:
  // What takes longer does not count as proved.
  explicit Sample(double time_limit_s) : time_limit_s_(time_limit_s) {}

  // `kind` and `name` say where the problem is from, `faults` what verify/ found in the answer.
  void add(const std::string& kind, const std::string& name, const plan::ScheduleProblem& problem,
           const Timed& timed, const std::vector<std::string>& faults);
  // Prints the figures of those that were added last by themselves too, with all of this name.
  void count_last_as(const std::string& group);

  // The figures, and the worst of each of the worst ten kinds: what was not proved by its gap,
  // before what was by its time. With PHAZE_SCHEDULE_DUMP naming a folder, these are written there
  // for `phaze schedule --problem`.
  void print(const std::string& title) const;
  // What is wrong with the first answer that is not sound; empty: all are.
  const std::string& fault() const { return fault_; }
  double proved_percent() const;
  double mean_us() const;

 private:
  struct Case {
    std::string name;
    plan::ScheduleProblem problem;
    double seconds = 0, gap = 0;
    bool is_proved = false;
    std::int64_t work = 0;

    bool is_worse_than(const Case& other) const;
  };

  double time_limit_s_;
  std::vector<double> tasks_, us_, open_gaps_;
  std::vector<double> proof_us_;  // without end where there is none
  // Settled by bounds alone, by a search, and not within the limit.
  struct Class {
    std::size_t count = 0;
    double seconds = 0;
  };
  Class settled_, searched_, open_;
  std::map<std::string, std::vector<std::size_t>> groups_;  // which
  std::int64_t work_ = 0, schedules_ = 0;
  std::map<std::string, Case> worst_;  // by kind
  std::string fault_;
};

}  // namespace phaze::bench
