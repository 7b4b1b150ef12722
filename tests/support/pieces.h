#pragma once
// Pieces of schedules for tests of what the exact search is made of.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "schedule/piece.h"
#include "schedule/state.h"
#include "support/schedule_generators.h"

namespace phaze::tests {

// A random problem whose tasks stand in an order in which they can run, and the same as one piece.
struct PieceCase {
  plan::ScheduleProblem problem;
  schedule::Piece piece;
};
PieceCase random_piece(std::uint64_t seed, const ScheduleProblemOptions& options);

// A state with some tasks of the piece scheduled, each as early as it can and in a width that is of
// use.
schedule::State random_state(const schedule::Piece& piece, Rng& rng);

// What may be scheduled next.
struct Step {
  std::size_t task = 0;
  bool wide = false;
};
using Steps = std::function<std::vector<Step>(const schedule::State&)>;
// Every task that waits for none, in every width that it has but for tasks of `narrow`.
std::vector<Step> all_steps(const schedule::Piece& piece, const schedule::State& state,
                            schedule::Mask narrow = 0);

// The earliest end of all schedules that go on from the state, each task as early as it can but no
// earlier than the one before; kNever: none. `visit` is told every step that is taken, and taken
// back.
struct Visit {
  std::function<void(const Step&, schedule::Mask scheduled_before)> add;
  std::function<void()> remove;
};
schedule::Time earliest_end(const schedule::Piece& piece, schedule::State& state,
                            const Steps& steps, const Visit& visit = {});

// The same of all schedules whose steps are allowed, from the beginning on.
using Allows = std::function<bool(const schedule::State&, const Step&)>;
schedule::Time best_of(const schedule::Piece& piece, const Allows& allows = {});

// What the checker says of these starts; empty when they are a schedule that ends at `makespan`.
std::string faults_of(const plan::ScheduleProblem& problem,
                      const std::vector<schedule::Start>& starts, schedule::Time makespan);

}  // namespace phaze::tests
