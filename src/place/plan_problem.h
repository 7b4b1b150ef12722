#pragma once
// What the planner is asked, and where it gets costs from.

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/strategy.h"
#include "plan/training_plan.h"

namespace phaze::place {

// Values that a choice may take; empty: all that make sense.
struct PlanLimits {
  std::vector<std::int64_t> tensor, pipeline, data, microbatch, interleave, zero;
  std::vector<bool> sequence_parallel;
  std::vector<plan::Recompute> recompute;
  std::vector<plan::PipelineSchedule> schedule;
  std::vector<plan::AxisOrder> order;
};

struct PlanProblem {
  std::int64_t devices = 1;
  std::int64_t global_batch = 1;  // sequences
  Bytes capacity;                 // of a device
  Bytes other;                    // of it, that no plan can use
  plan::StateBytes states;
  // Gradient reduction and weight gathering run beside backward and forward.
  bool overlap = true;
  // Of the time that both are at work: what compute loses to it, by the cores that the network's
  // kernels hold (16 of an H100's 132, NCCL's default).
  double slowed = 0.12;
  PlanLimits limits;
};

// Costs on a chip and a cluster.
class PlanCosts {
 public:
  virtual ~PlanCosts() = default;

  // Tensor widths that divide what they must; ascending.
  virtual std::vector<std::int64_t> tensor_widths() const = 0;
  // Whether the strategy's groups have a place on the cluster.
  virtual bool has_place(const plan::Strategy& strategy) = 0;
  // Needs a place. Nothing when the model cannot be cut so. The same pointer for the same tensor
  // width, sequence parallelism, micro-batch and place of the tensor group, valid as long as this.
  virtual const plan::Chain* chain(const plan::Strategy& strategy) = 0;
  // Of a device's message to its neighbour in the next stage, all devices at once.
  virtual Seconds transfer(const plan::Strategy& strategy, Bytes bytes) = 0;
  // Over the data-parallel group, all groups at once; `bytes` as in cost/collective.h.
  virtual Seconds all_reduce(const plan::Strategy& strategy, Bytes bytes) = 0;
  virtual Seconds reduce_scatter(const plan::Strategy& strategy, Bytes bytes) = 0;
  virtual Seconds all_gather(const plan::Strategy& strategy, Bytes bytes) = 0;
  // All-reduce between the first and the last stage.
  virtual Seconds tie(const plan::Strategy& strategy, Bytes bytes) = 0;
};

}  // namespace phaze::place
