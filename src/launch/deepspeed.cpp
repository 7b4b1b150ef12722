// A plan as a configuration of DeepSpeed. Widths of tensors and stages are the training script's:
// its file says batches, sharding and precision.
#include "base/plural.h"
#include "base/text.h"
#include "io/launch_json.h"
#include "launch/launch.h"
#include "launch/layout.h"
#include "launch/plan_facts.h"

namespace phaze::launch {

plan::LaunchFile write_deepspeed(const LaunchRequest& request) {
  const plan::PlanRecord& record = *request.record;
  const plan::Strategy& strategy = record.plan.strategy;
  std::vector<std::string> left_out;
  const plan::PlanWorkload workload = workload_of(record, left_out);
  plan::DeepSpeedSettings settings;
  settings.train_batch = record.plan.global_batch;
  settings.microbatch = strategy.microbatch;
  settings.accumulation = record.plan.microbatches;
  const bool has_sharded_pipeline = strategy.pipeline > 1 && strategy.zero > 1;
  if (has_sharded_pipeline) {
    left_out.push_back("ZeRO " + std::to_string(strategy.zero) +
                       ": DeepSpeed's pipelines have ZeRO 0 and 1 only");
  } else {
    settings.zero = strategy.zero;
  }
  settings.overlap = workload.overlap;
  settings.has_bf16 = workload.precision == "mixed";
  if (workload.precision == "bf16") {
    left_out.emplace_back(
        "gradients and moments in bf16 with no copy of the weights: DeepSpeed keeps one");
  }
  left_out.emplace_back("the model's shape and the optimiser: they are the training script's");
  if (strategy.tensor > 1) {
    left_out.push_back("a tensor width of " + std::to_string(strategy.tensor) +
                       (strategy.sequence_parallel ? ", sequence parallel" : "") +
                       ": it is the training script's");
  }
  if (strategy.pipeline > 1) {
    left_out.push_back("a pipeline of " + counted(strategy.pipeline, "stage") +
                       ": it is the training script's; as layers, E the embedding, t a "
                       "layer, L the head: " +
                       shortened(write_layout(shapes_of(record)), 400));
    if (strategy.schedule != plan::PipelineSchedule::k1F1B) {
      left_out.emplace_back("the pipeline's schedule: DeepSpeed has 1F1B");
    }
  }
  if (!has_order(strategy, plan::kTensorDataPipeline)) {
    left_out.push_back("the order of groups, " + plan::to_string(strategy.order));
  }
  const std::optional<plan::Recompute> way = common_recompute(record);
  if (!way || *way != plan::Recompute::kNone) {
    left_out.push_back("recomputation (" + plan::recompute_of(record.plan) +
                       "): layers are checkpointed by the training script");
  }
  note_idle(record, left_out);
  note_batch(record, left_out);
  settings.comments.push_back(title_of(record));
  settings.comments.emplace_back("Written by phaze export.");
  const auto nodes = nodes_of(request);
  settings.comments.push_back(nodes
                                  ? "Start: deepspeed --num_nodes " + std::to_string(nodes->count) +
                                        " --num_gpus " + std::to_string(nodes->devices)
                                  : "Start: on " + counted(plan::devices_of(strategy), "device"));
  for (const std::string& what : left_out) {
    settings.comments.push_back("left out: " + what);
  }
  return {io::write_deepspeed(settings), left_out};
}

}  // namespace phaze::launch
