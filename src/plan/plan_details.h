#pragma once
// What lies behind a training plan: the chip and the cluster that it is for, and what the operators
// of its layers do there. search/plan_details.h computes it.

#include <optional>
#include <string>
#include <vector>

#include "hw/cluster.h"
#include "hw/figures.h"
#include "plan/operator_cost.h"
#include "plan/schedule.h"

namespace phaze::plan {

// One operator by itself on the whole chip.
struct DetailedOperator {
  std::string kind;  // as graphs name it
  OperatorCost cost;
};

// One pass of a layer: when its operators run, and what each of them is.
struct DetailedPass {
  LayerSchedule schedule;
  std::vector<DetailedOperator> operators;  // as the schedule's tasks
  // What the plan counts: the schedule's time, or what the host needs to launch the operators.
  Seconds counted;
};

struct PlanDetails {
  hw::Chip chip;
  std::optional<hw::ChipFigures> figures;  // nothing: its technology has none for it
  hw::Cluster cluster;                     // as the chip's links leave it
  FlopsPerSecond peak;                     // of matrix units, in the format of the weights
  std::string recompute;                   // that the layers below are shown with
  std::vector<DetailedPass> passes;        // forward and backward of each distinct layer
};

}  // namespace phaze::plan
