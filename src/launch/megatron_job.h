#pragma once
// What a training run with Megatron-LM is, from its launch arguments.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "launch/layout.h"
#include "models/spec.h"
#include "plan/plan_record.h"

namespace phaze::launch {

struct MegatronJob {
  std::optional<models::ModelSpec> spec;  // nothing where it was not asked for
  // What the arguments say of a model that they were not asked for.
  std::optional<std::int64_t> layers, hidden, heads;
  plan::Strategy strategy;
  std::int64_t devices = 1;                     // that run, all of them busy
  std::int64_t global_batch = 1, sequence = 0;  // sequence 0: not said
  plan::Recompute recompute = plan::Recompute::kNone;
  plan::PlanWorkload workload;
  // In the order of forward, stages or all chunks; nothing: even.
  std::optional<std::vector<StageShape>> layout;
  // Names: what was not read, and what changes the time of an iteration by nobody knows how much.
  std::vector<std::string> unused, not_modelled;
  Location layout_where;  // of what says how layers are cut, for faults found later
};

struct JobRequest {
  bool needs_model = true;              // the shape comes from the arguments
  std::optional<std::int64_t> devices;  // where the arguments of torchrun do not say
};

// A command line with or without torchrun and the script in front, as text that a shell would
// read. Nothing after a fault: values that are none, arguments that contradict one another, and
// what has no price here (context parallelism, experts spread over devices, 8-bit numbers, ...).
std::optional<MegatronJob> read_megatron(std::string_view text, const std::string& source,
                                         const JobRequest& request, Diagnostics& diagnostics);

}  // namespace phaze::launch
