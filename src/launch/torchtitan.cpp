// A plan as a job configuration of torchtitan.
#include "base/plural.h"
#include "base/text.h"
#include "launch/launch.h"
#include "launch/layout.h"
#include "launch/plan_facts.h"

namespace phaze::launch {
namespace {

using plan::PlanRecord;
using plan::Recompute;
using plan::Strategy;

// Names of modules as torchtitan's language models have them.
std::string modules_of(const std::vector<StageShape>& shapes) {
  std::string text = "[";
  std::int64_t layer = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::string names;
    const auto add = [&names](const std::string& name) {
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
    };
    if (shapes[i].has_embedding) {
      add("tok_embeddings");
    }
    for (std::int64_t block = 0; block < shapes[i].blocks; ++block) {
      add("layers." + std::to_string(layer++));
    }
    if (shapes[i].has_head) {
      add("norm");
      add("output");
    }
    text += (i == 0 ? "\n  [" : ",\n  [") + names + "]";
  }
  return text + ",\n]";
}

class Writer {
 public:
  explicit Writer(const LaunchRequest& request)
      : request_(request), record_(*request.record), strategy_(record_.plan.strategy) {}

  plan::LaunchFile write() {
    const plan::PlanWorkload workload = workload_of(record_, left_out_);
    left_out_.emplace_back(
        "the model's shape: torchtitan has models by name and flavor; add [model]");
    write_training(workload);
    write_parallelism();
    write_recompute();
    note_idle(record_, left_out_);
    note_batch(record_, left_out_);
    return {text(), left_out_};
  }

 private:
  static void add(std::string& section, const std::string& key, const std::string& value) {
    section += key + " = " + value + "\n";
  }
  static void add(std::string& section, const std::string& key, std::int64_t value) {
    add(section, key, std::to_string(value));
  }

  void write_training(const plan::PlanWorkload& workload) {
    // Pipelines cut what a device gets into micro-batches; without stages it is added up over
    // steps.
    const std::int64_t local = strategy_.pipeline > 1
                                   ? strategy_.microbatch * record_.plan.microbatches
                                   : strategy_.microbatch;
    add(training_, "seq_len", record_.sequence);
    add(training_, "local_batch_size", local);
    add(training_, "global_batch_size", record_.plan.global_batch);
    write_precision(workload);
    if (workload.optimizer == "sgd") {
      left_out_.emplace_back("the optimiser, sgd: torchtitan has Adam and AdamW");
    }
    if (workload.attention == "eager") {
      left_out_.emplace_back("attention operator by operator: torchtitan's is fused");
    }
    if (!workload.overlap) {
      left_out_.emplace_back("reduction after backward: torchtitan's is beside it");
    }
  }

  // All in bf16 is a setting of its own. bf16 beside fp32 comes with sharded weights, or where data
  // parallelism is all there is.
  void write_precision(const plan::PlanWorkload& workload) {
    if (workload.precision == "bf16") {
      add(training_, "dtype", "\"bfloat16\"");
      if (strategy_.data > 1) {
        left_out_.emplace_back("gradients reduced in bf16: torchtitan reduces them in fp32");
      }
      return;
    }
    const bool is_mixed = workload.precision == "mixed";
    if (is_mixed && strategy_.zero == 0 && is_split()) {
      left_out_.emplace_back(
          "mixed precision: torchtitan's needs sharded weights (ZeRO 2 or 3) beside tensor or "
          "pipeline parallelism");
      return;
    }
    add(training_, "mixed_precision_param", is_mixed ? "\"bfloat16\"" : "\"float32\"");
    add(training_, "mixed_precision_reduce", "\"float32\"");
  }

  bool is_split() const { return strategy_.tensor > 1 || strategy_.pipeline > 1; }

  void write_parallelism() {
    add(parallelism_, "tensor_parallel_degree", strategy_.tensor);
    if (strategy_.tensor > 1 && !strategy_.sequence_parallel) {
      left_out_.emplace_back("whole sequences on tensor-parallel devices: torchtitan splits them");
    }
    write_sharding();
    add(parallelism_, "pipeline_parallel_degree", strategy_.pipeline);
    if (strategy_.pipeline > 1) {
      const bool is_gpipe = strategy_.schedule == plan::PipelineSchedule::kGpipe;
      add(parallelism_, "pipeline_parallel_schedule",
          strategy_.interleave > 1 ? "\"Interleaved1F1B\""
          : is_gpipe               ? "\"GPipe\""
                                   : "\"1F1B\"");
      add(parallelism_, "pipeline_parallel_microbatch_size", strategy_.microbatch);
      const std::vector<StageShape> shapes = shapes_of(record_);
      if (shapes.front().has_embedding && shapes.back().has_head) {
        add(parallelism_, "module_fqns_per_model_part", modules_of(shapes));
      } else {
        left_out_.emplace_back(
            "which layers each stage has: torchtitan's models begin with an embedding and end with "
            "a head");
      }
    }
    if (!has_order(strategy_, plan::kTensorDataPipeline)) {
      left_out_.push_back("the order of groups, " + plan::to_string(strategy_.order) +
                          ": torchtitan has tdp");
    }
  }

  void write_sharding() {
    if (strategy_.zero == 1) {
      left_out_.push_back("ZeRO 1 over a data width of " + with_thousands(strategy_.data) +
                          ": torchtitan shards weights too, or nothing");
      return;
    }
    const bool is_sharded = strategy_.zero > 1;
    if (!is_sharded && strategy_.data > 1 && is_split()) {
      left_out_.push_back("whole weights on each of a data width of " +
                          with_thousands(strategy_.data) +
                          ": torchtitan shards them beside tensor or pipeline parallelism");
      return;
    }
    add(parallelism_, "data_parallel_replicate_degree", is_sharded ? 1 : strategy_.data);
    add(parallelism_, "data_parallel_shard_degree", is_sharded ? strategy_.data : 1);
    if (is_sharded) {
      add(parallelism_, "fsdp_reshard_after_forward",
          strategy_.zero == 3 ? "\"always\"" : "\"never\"");
    }
  }

  void write_recompute() {
    const std::optional<Recompute> way = common_recompute(record_);
    if (!way) {
      left_out_.emplace_back("recomputation, which differs from stage to stage");
    } else if (*way == Recompute::kSelective) {
      left_out_.emplace_back(
          "recomputation of the attention core: torchtitan's selective ways are others");
    } else {
      add(checkpoint_, "mode", *way == Recompute::kFull ? "\"full\"" : "\"none\"");
    }
  }

  std::string text() const {
    std::string text = "# " + title_of(record_) +
                       "\n# Written by phaze export for torchtitan 0.2, the last that reads TOML. "
                       "To add: [model], data,\n# tokenizer, learning rate.\n";
    if (const auto nodes = nodes_of(request_)) {
      text += "# torchrun --nnodes " + std::to_string(nodes->count) + " --nproc-per-node " +
              std::to_string(nodes->devices) + "\n";
    } else {
      text += "# on " + counted(plan::devices_of(strategy_), "device") + "\n";
    }
    for (const std::string& what : left_out_) {
      text += "# left out: " + what + "\n";
    }
    text += "\n[training]\n" + training_ + "\n[parallelism]\n" + parallelism_;
    return checkpoint_.empty() ? text : text + "\n[activation_checkpoint]\n" + checkpoint_;
  }

  const LaunchRequest& request_;
  const PlanRecord& record_;
  const Strategy& strategy_;
  std::string training_, parallelism_, checkpoint_;
  std::vector<std::string> left_out_;
};

}  // namespace

plan::LaunchFile write_torchtitan(const LaunchRequest& request) { return Writer(request).write(); }

}  // namespace phaze::launch
