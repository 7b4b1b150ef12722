#pragma once
// Made-up models and networks for the planner, small enough to try everything.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "place/plan_problem.h"

namespace phaze::tests {

// Times and bytes of a layer for one sequence on one device.
struct MadeUpLayer {
  std::int64_t repeat = 1;
  std::int64_t parameters = 0;
  double forward_s = 0, backward_s = 0, optimizer_s = 0;
  double accumulation_s = 0;  // of gradients over micro-batches
  std::int64_t transient = 0;
  std::int64_t constants = 0;
  std::int64_t message = 0;  // of the tensor-parallel group, in each pass
  // By way to recompute; ways that are not offered have nothing.
  struct Way {
    double recompute_s = 0;
    std::int64_t saved = 0;
    double forward_share = 1;  // of the layer's forward time, with less to write
  };
  std::array<std::optional<Way>, plan::kRecomputes> ways;
};

// Devices that are less than `node` apart are near.
struct MadeUpNetwork {
  std::int64_t node = 4;
  double latency_s = 0;
  double near_bytes_per_s = 1, far_bytes_per_s = 1;
  // Of groups by size and distance, one in so many has no place; 0: all have one.
  std::int64_t unplaced = 0;
};

struct MadeUpModel {
  std::vector<MadeUpLayer> layers;
  std::vector<std::int64_t> widths = {1};
  bool has_sequence_parallel = true;
  double pass_s = 0;  // of a layer, whatever the micro-batch
  std::int64_t boundary = 0;
  std::int64_t tied_parameters = 0;
};

class MadeUpCosts : public place::PlanCosts {
 public:
  MadeUpCosts(const MadeUpModel& model, const MadeUpNetwork& network)
      : model_(model), network_(network) {}

  std::vector<std::int64_t> tensor_widths() const override { return model_.widths; }
  bool has_place(const plan::Strategy& strategy) override;
  const plan::Chain* chain(const plan::Strategy& strategy) override;
  Seconds transfer(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_reduce(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds reduce_scatter(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_gather(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds tie(const plan::Strategy& strategy, Bytes bytes) override;

 private:
  double message_s(std::int64_t stride, double bytes) const;
  // Steps of a ring, each with a share of the bytes.
  double ring_s(const plan::Strategy& strategy, double rounds, Bytes bytes) const;
  plan::Chain make_chain(const plan::Strategy& strategy) const;

  MadeUpModel model_;
  MadeUpNetwork network_;
  std::map<std::tuple<std::int64_t, bool, std::int64_t, bool>, std::unique_ptr<plan::Chain>>
      chains_;
};

struct PlanCase {
  place::PlanProblem problem;
  MadeUpModel model;
  MadeUpNetwork network;

  MadeUpCosts costs() const { return {model, network}; }
};

struct PlanCaseOptions {
  std::int64_t most_layers = 5;  // with repeats
  std::int64_t most_devices = 6;
  std::int64_t most_batch = 8;
  bool has_limits = true;  // on some choices, in half of the cases
  bool is_deep = false;    // all devices can only be stages
  std::vector<plan::PipelineSchedule> schedules = {plan::PipelineSchedule::k1F1B};
};

// The same case for the same seed, everywhere.
PlanCase random_plan_case(std::uint64_t seed, const PlanCaseOptions& options = {});

}  // namespace phaze::tests
