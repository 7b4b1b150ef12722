#pragma once
// What placement sees of a model on a chip, and the plan that it makes. Solvers are in place/,
// what the numbers come from is search/'s, the event simulation of a plan is simulate/'s.
// docs/models.md, section 18.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "plan/schedule.h"
#include "plan/strategy.h"

namespace phaze::plan {

// One pass over a layer with one micro-batch, on one device of a tensor-parallel group.
struct LayerWork {
  Seconds forward;
  Seconds backward;   // recomputation included
  Seconds recompute;  // of backward, without what is on the network
  // Of these, on the tensor-parallel network.
  Seconds forward_network, backward_network;
  Bytes saved;      // kept from forward to backward
  Bytes transient;  // the most that is alive beside what is saved, in either pass; with constants
  Joules energy;    // of both passes
  Flops recompute_flops;
  // Busy core time over the time of all cores, and bytes from and to HBM, of both passes.
  double tensor_busy_s = 0, vector_busy_s = 0, hbm_bytes = 0;
  // Shares of the passes that better schedules of their operators could save at most; 0: proved.
  double forward_gap = 0, backward_gap = 0;

  bool operator==(const LayerWork&) const = default;
};

struct ChainLayer {
  std::string name;
  std::int64_t repeat = 1;
  std::int64_t parameters = 0;  // on one device
  Bytes constants;              // masks and tables that all executions share, there all the time
  // By way to recompute; nothing where it is the same as a cheaper one, or not offered.
  std::array<std::optional<LayerWork>, kRecomputes> work;
  Seconds optimizer;  // with all states on the device
  // Adding its weights' gradients to those of other micro-batches: in each backward where there are
  // several.
  Seconds accumulation;
  Flops flops;      // of forward and backward without recomputation, as MFU counts, on one device
  Flops run_flops;  // that run without recomputation

  bool operator==(const ChainLayer&) const = default;
};

// Of a layer that is asked to recompute in some way: layers that have nothing to recompute in that
// way do what comes before it.
const LayerWork& work_of(const ChainLayer& layer, Recompute recompute);

// A model as a chain of layers, for one tensor width, micro-batch and place of the tensor group.
struct Chain {
  std::vector<ChainLayer> layers;
  Bytes boundary;  // of one micro-batch, that a device sends on to the next stage
  // Parameters of the first layer that the last one uses too (tied embeddings), on one device.
  std::int64_t tied_parameters = 0;
  // The largest gap of its layers' passes; 0: all schedules are proved best.
  double schedule_gap = 0;

  std::int64_t length() const;  // layers with repeats
  // Forward and backward of a micro-batch through all layers; nothing is recomputed.
  Seconds microbatch_time() const;
  bool operator==(const Chain&) const = default;
};

// Bytes for each parameter.
struct StateBytes {
  Bytes weight{2}, gradient{4}, optimizer{12};
  Bytes reduced{4};  // of a gradient on its way between devices

  bool operator==(const StateBytes&) const = default;
};

// Parts of a device's memory at its peak.
struct StageMemory {
  Bytes weights, gradients, optimizer;
  Bytes activations;  // of all micro-batches in flight
  Bytes transient;
  Bytes other;  // workspace of libraries, what programs do not get, constants

  Bytes total() const { return weights + gradients + optimizer + activations + transient + other; }
  bool operator==(const StageMemory&) const = default;
};

// A run of equal layers in a stage.
struct StageLayers {
  std::size_t layer = 0;  // of the chain
  std::int64_t count = 0;

  bool operator==(const StageLayers&) const = default;
};

// One of the chunks of a device where stages are interleaved, of one micro-batch.
struct PlanChunk {
  Seconds forward, backward;
  Bytes saved;

  bool operator==(const PlanChunk&) const = default;
};

// All chunks of a device together where stages are interleaved.
struct PlanStage {
  std::vector<StageLayers> layers;
  Recompute recompute = Recompute::kNone;
  // Of one micro-batch, tensor-parallel communication and recomputation included.
  Seconds forward, backward;
  Seconds network;        // of both, on the tensor-parallel network
  Seconds recomputation;  // of backward
  std::int64_t in_flight =
      1;        // micro-batches whose activations are kept at most (in chunks' shares)
  Bytes saved;  // of one micro-batch
  // In the order in which forward passes them, adding up to the above; none: equal shares.
  std::vector<PlanChunk> chunks;
  StageMemory memory;
  Seconds gradients;  // reduction of its gradients, and gathering of weights after the step
  Seconds exposed;    // of that, not hidden behind backward
  Seconds optimizer;

  bool operator==(const PlanStage&) const = default;
};

// Parts of an iteration; they add up to it. Means over the stages.
struct IterationParts {
  Seconds compute, recompute, tensor, pipeline, data, optimizer, bubble;

  Seconds total() const {
    return compute + recompute + tensor + pipeline + data + optimizer + bubble;
  }
  bool operator==(const IterationParts&) const = default;
};

struct TrainingPlan {
  Strategy strategy;
  std::int64_t devices = 1;       // that there are; the strategy may leave some idle
  std::int64_t global_batch = 1;  // sequences
  std::int64_t microbatches = 1;  // of each pipeline
  std::vector<PlanStage> stages;
  Seconds transfer;  // of one micro-batch's activations from one stage to the next
  Bytes transfer_bytes;
  Seconds tied;  // synchronisation of tied embeddings
  Seconds iteration;
  IterationParts parts;
  Bytes capacity;  // of a device
  bool fits = true;

  bool operator==(const TrainingPlan&) const = default;
};

Bytes peak_memory(const TrainingPlan& plan);

}  // namespace phaze::plan
