#pragma once
// A plan as a file that starts its training run in another program. What the program has no setting
// for is left out and said; nothing else takes its place.

#include <cstdint>
#include <optional>

#include "models/spec.h"
#include "plan/launch.h"
#include "plan/plan_record.h"

namespace phaze::launch {

struct LaunchRequest {
  const plan::PlanRecord* record = nullptr;
  std::optional<models::ModelSpec> spec;         // nothing: the model is a graph file
  std::optional<std::int64_t> devices_per_node;  // nothing: not known
};

// Bash: the array MEGATRON_ARGS, and TORCHRUN_ARGS where the size of a node is known.
plan::LaunchFile write_megatron(const LaunchRequest& request);
// A job configuration in TOML.
plan::LaunchFile write_torchtitan(const LaunchRequest& request);
// A configuration in JSON.
plan::LaunchFile write_deepspeed(const LaunchRequest& request);

}  // namespace phaze::launch
