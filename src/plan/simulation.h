#pragma once
// One iteration of a training plan, event by event: what simulate/ makes and report/ and io/ show.
// docs/models.md, section 19.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "plan/training_plan.h"

namespace phaze::plan {

enum class PassKind { kForward, kBackward };
std::string_view to_string(PassKind kind);

// One micro-batch through one chunk of a stage; or what such a pass sends on: activations after a
// forward, gradients after a backward.
struct SimulatedPass {
  PassKind kind = PassKind::kForward;
  std::int32_t chunk = 0, microbatch = 0;  // of the pass, or of the one that sends
  Seconds start, end;

  bool operator==(const SimulatedPass&) const = default;
};

// The time of a device of one stage; the parts add up to the iteration.
struct SimulatedStage {
  Seconds passes;     // forward and backward
  Seconds transfers;  // nothing to do while what it needs next is on its way
  Seconds reduction;  // of gradients: what of it no backward hides; and of tied embeddings
  Seconds optimizer;
  Seconds bubble;  // all other time without work

  Seconds reduction_start, reduction_end;
  std::int64_t in_flight = 0;  // passes of chunks whose activations are kept, at most
  Bytes peak_memory;
  std::vector<SimulatedPass> runs;  // passes, by their start
  std::vector<SimulatedPass> sent;  // transfers to the next and to the previous stage, by their end

  bool operator==(const SimulatedStage&) const = default;
};

// Means over the stages; they add up to the iteration.
struct SimulatedParts {
  Seconds passes, transfers, reduction, optimizer, bubble;

  bool operator==(const SimulatedParts&) const = default;
};

struct SimulatedIteration {
  Seconds iteration;
  Seconds closed_form;  // the plan's
  SimulatedParts parts;
  std::vector<SimulatedStage> stages;
  Seconds tied_start, tied_end;  // tied embeddings are made equal
  Seconds optimizer_start;       // all have their gradients
  std::int64_t events = 0;

  // By how much the simulated iteration is longer than the closed form, as a share of that.
  double difference() const;
  Bytes peak_memory() const;

  bool operator==(const SimulatedIteration&) const = default;
};

// The iteration of a plan that differs in one thing: what that thing costs.
struct PlanVariation {
  std::string what;
  Seconds iteration;

  bool operator==(const PlanVariation&) const = default;
};

// Chunks of layers on each device.
std::int64_t chunks_of(const TrainingPlan& plan);

// Who gets what a stage sends: the next one or the previous one, in a circle.
std::size_t receiver_of(std::size_t stage, PassKind kind, std::size_t stages);

// What each chunk of a stage takes: its own, or an equal share.
std::vector<PlanChunk> shares_of_chunks(const PlanStage& stage, std::int64_t chunks);

// Bytes on a device of the stage: weights, gradients, optimiser states and the rest that is always
// there, saved activations, and what a pass needs while one runs.
Bytes memory_in_use(const PlanStage& stage, Bytes saved, bool is_running);

// How much of that there is over the iteration, cut into `pieces` of equal length: the most in
// each. O(passes + pieces).
std::vector<Bytes> memory_over_time(const TrainingPlan& plan, const SimulatedIteration& simulated,
                                    std::size_t stage, std::size_t pieces);

}  // namespace phaze::plan
