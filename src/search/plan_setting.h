#pragma once
// All that a training plan is made from, as plain data: a model, a chip, a cluster, what is assumed
// and which choices there are.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "graph/training.h"
#include "hw/chip.h"
#include "hw/cluster.h"
#include "models/build.h"
#include "models/load.h"
#include "place/plan_problem.h"
#include "search/assumptions.h"
#include "search/cluster_costs.h"
#include "search/original_plan.h"

namespace phaze::search {

// Schedules of layers with little effort, for the many widths and micro-batches of a plan: at most
// 500 nodes of search a problem. Where that proves less than all effort would, times are within
// its bound; docs/models.md, section 20, says how much that is.
Scheduling quick_scheduling();

struct PlanSetting {
  Assumptions assumptions = Assumptions::kModern;
  models::LoadedModel model;
  models::BuildOptions build;
  graph::TrainingOptions training;
  hw::Chip chip;
  hw::Cluster cluster;  // as it is built; what the chip's links allow is taken care of
  std::int64_t devices = 1024, global_batch = 2048;
  place::PlanLimits limits;
  bool overlap = true;
  Scheduling scheduling = quick_scheduling();  // `exclusive_wide` goes with the assumptions
};

// Of a sequence, in tokens.
std::int64_t sequence_of(const PlanSetting& setting);
// Layers of the chain that stages are cut from, repeats counted; nothing, with a diagnostic, when
// the model cannot be built as it is asked for on one device.
std::optional<std::int64_t> chain_length(const PlanSetting& setting, Diagnostics& diagnostics);
// Tensor widths that the model can be cut into, of the original's those that it tries; ascending.
std::vector<std::int64_t> possible_widths(const PlanSetting& setting);
// Micro-batches that the original tries, or those that are asked for.
std::vector<std::int64_t> original_microbatches(const PlanSetting& setting);
// Dense peak of the matrix units in the weights' format; nothing when the chip lacks it.
std::optional<FlopsPerSecond> peak_of(const PlanSetting& setting);
// The cluster as the chip's links and the assumptions leave it.
hw::Cluster network_of(const PlanSetting& setting);
// Is there a layer with several experts? They are not spread over devices.
bool has_experts(const PlanSetting& setting);

place::PlanProblem make_plan_problem(const PlanSetting& setting);
OriginalTerms make_original_terms(const PlanSetting& setting);

// What chains of layers are priced from, on the setting's chip. Both must outlive it; the cluster
// is network_of's.
ProfileRequest make_profile_request(const PlanSetting& setting, const hw::Cluster& cluster);

// What the planner asks for; stays where it was made. The setting must outlive it.
class SettingCosts {
 public:
  explicit SettingCosts(const PlanSetting& setting);
  SettingCosts(const SettingCosts&) = delete;
  SettingCosts& operator=(const SettingCosts&) = delete;

  ClusterCosts& costs() { return costs_; }

 private:
  hw::Cluster cluster_;
  ProfileRequest request_;
  ClusterCosts costs_;
};

// The graphs and the layers of a setting with the original's assumptions; `setting` must outlive a
// request.
OriginalGraphsRequest make_original_request(const PlanSetting& setting);
OriginalChains make_original_chains(const PlanSetting& setting);

}  // namespace phaze::search
