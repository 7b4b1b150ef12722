#include "launch/plan_facts.h"

#include "base/text.h"

namespace phaze::launch {

bool has_order(const plan::Strategy& strategy, const plan::AxisOrder& order) {
  const auto groups = [&strategy](const plan::AxisOrder& axes) {
    std::vector<plan::Axis> wide;
    for (const plan::Axis axis : axes) {
      const std::int64_t size = axis == plan::Axis::kTensor ? strategy.tensor
                                : axis == plan::Axis::kData ? strategy.data
                                                            : strategy.pipeline;
      if (size > 1) {
        wide.push_back(axis);
      }
    }
    return wide;
  };
  return groups(strategy.order) == groups(order);
}

std::optional<plan::Recompute> common_recompute(const plan::PlanRecord& record) {
  std::optional<plan::Recompute> common;
  for (const plan::PlanStage& stage : record.plan.stages) {
    bool has_blocks = false;
    for (const plan::StageLayers& run : stage.layers) {
      const std::string& name = record.layers[run.layer];
      has_blocks = has_blocks || (name != "embedding" && name != "head");
    }
    if (has_blocks && common && *common != stage.recompute) {
      return std::nullopt;
    }
    common = has_blocks ? stage.recompute : common;
  }
  return common.value_or(plan::Recompute::kNone);
}

plan::PlanWorkload workload_of(const plan::PlanRecord& record, std::vector<std::string>& left_out) {
  if (!record.workload) {
    left_out.emplace_back(
        "precision, optimiser, attention and overlap of the plan, which its file does not say: "
        "taken as mixed, adam, flash and on");
  }
  return record.workload.value_or(plan::PlanWorkload{});
}

std::optional<Nodes> nodes_of(const LaunchRequest& request) {
  const std::int64_t used = plan::devices_of(request.record->plan.strategy);
  if (!request.devices_per_node) {
    return std::nullopt;
  }
  const std::int64_t each = *request.devices_per_node;
  if (used <= each) {
    return Nodes{1, used};
  }
  return used % each == 0 ? std::optional(Nodes{used / each, each}) : std::nullopt;
}

void note_idle(const plan::PlanRecord& record, std::vector<std::string>& left_out) {
  const std::int64_t used = plan::devices_of(record.plan.strategy);
  if (record.plan.devices > used) {
    left_out.push_back("idle devices: start it on " + with_thousands(used) + " of the " +
                       with_thousands(record.plan.devices) + " that there are");
  }
}

void note_batch(const plan::PlanRecord& record, std::vector<std::string>& left_out) {
  const plan::Strategy& strategy = record.plan.strategy;
  if (record.plan.global_batch % (strategy.data * strategy.microbatch) != 0) {
    left_out.push_back("pipelines with unlike numbers of micro-batches: a batch of " +
                       with_thousands(record.plan.global_batch) +
                       " is no multiple of the data width, " + std::to_string(strategy.data) +
                       ", times the micro-batch, " + std::to_string(strategy.microbatch) +
                       "; choose another batch before this is started");
  }
}

std::string title_of(const plan::PlanRecord& record) {
  return printable(record.model) + " on " + with_thousands(record.plan.devices) + " " +
         printable(record.chip) + ", cluster " + printable(record.cluster) + ": " +
         with_prefix(record.plan.iteration.value(), "s") + " an iteration";
}

}  // namespace phaze::launch
