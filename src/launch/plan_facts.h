#pragma once
// What all launch files ask of a plan. Inside launch/ only.

#include <optional>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace phaze::launch {

// Do the groups of more than one device come in this order, from the innermost out?
bool has_order(const plan::Strategy& strategy, const plan::AxisOrder& order);

// The way of all stages that have layers to recompute; nothing where they differ.
std::optional<plan::Recompute> common_recompute(const plan::PlanRecord& record);

// How the model trains; where the plan does not say, the defaults, and a sentence about that.
plan::PlanWorkload workload_of(const plan::PlanRecord& record, std::vector<std::string>& left_out);

// Nodes and devices of each; nothing where nodes are not known or would not be full.
struct Nodes {
  std::int64_t count = 1, devices = 1;
};
std::optional<Nodes> nodes_of(const LaunchRequest& request);

// What no program has a setting for.
void note_idle(const plan::PlanRecord& record, std::vector<std::string>& left_out);
// Batches that data width and micro-batch do not divide, which plans of the original have.
void note_batch(const plan::PlanRecord& record, std::vector<std::string>& left_out);

// "gpt3-175b on 1,024 h100, cluster dgx-h100: 5.02 s an iteration", on one line.
std::string title_of(const plan::PlanRecord& record);

}  // namespace phaze::launch
