#pragma once
// What tests ask of schedules.

#include <cstdint>
#include <string>

#include "schedule/ilp.h"
#include "support/schedule_generators.h"

namespace phaze::tests {

// What the checker says of a schedule, in one text; empty when it is sound.
std::string faults_of(const plan::ScheduleProblem& problem, const plan::Schedule& schedule);

// Expects of random problems, one a seed, that the exact search proves its schedule and that an
// integer program, which shares no code with it, finds none shorter and proves no more. CBC stops
// at a limit of nodes, but must come to the same proof for three in four.
void expect_agreement(std::uint64_t first_seed, std::uint64_t problems,
                      const ScheduleProblemOptions& options, schedule::Formulation formulation);

}  // namespace phaze::tests
