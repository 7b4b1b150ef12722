#include "support/schedule_checks.h"

#include <gtest/gtest.h>

#include "schedule/exact.h"
#include "verify/schedule.h"

namespace phaze::tests {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;

std::string faults_of(const ScheduleProblem& problem, const Schedule& schedule) {
  std::string text;
  for (const std::string& fault : verify::find_faults(problem, schedule)) {
    text += fault + "; ";
  }
  return text;
}

void expect_agreement(std::uint64_t first_seed, std::uint64_t problems,
                      const ScheduleProblemOptions& options, schedule::Formulation formulation) {
  std::uint64_t proved = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + problems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ScheduleProblem problem = random_schedule_problem(seed, options);
    const Schedule exact = schedule::solve_exact(problem);
    ASSERT_EQ(faults_of(problem, exact), "");
    ASSERT_EQ(exact.status, SolveStatus::kOptimal);
    schedule::IlpOptions ilp;
    ilp.formulation = formulation;
    ilp.time_limit = Seconds(600);  // none: tests limit work
    ilp.node_limit = 300;
    const Schedule other = schedule::solve_ilp(problem, ilp);
    ASSERT_EQ(faults_of(problem, other), "");
    ASSERT_GE(other.makespan, exact.makespan);
    ASSERT_LE(other.lower_bound, exact.makespan);
    proved += other.status == SolveStatus::kOptimal ? 1 : 0;
  }
  EXPECT_GE(proved, problems * 3 / 4);
}

}  // namespace phaze::tests
