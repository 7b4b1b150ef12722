// A plan as arguments of Megatron-LM.
#include <algorithm>

#include "base/plural.h"
#include "launch/launch.h"
#include "launch/layout.h"
#include "launch/megatron_model.h"
#include "launch/plan_facts.h"

namespace phaze::launch {
namespace {

using plan::PlanRecord;
using plan::Recompute;
using plan::Strategy;

// Bash takes it as one word, whatever it holds.
std::string quoted(const std::string& value) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,_-+/:";
  return value.find_first_not_of(kPlain) == std::string::npos ? value : "'" + value + "'";
}

class Writer {
 public:
  explicit Writer(const LaunchRequest& request)
      : request_(request), record_(*request.record), strategy_(record_.plan.strategy) {}

  plan::LaunchFile write() {
    const plan::PlanWorkload workload = workload_of(record_, left_out_);
    write_sizes();
    write_stages();
    write_recompute();
    write_sharding(workload);
    write_training(workload);
    if (request_.spec) {
      for (auto& option : model_options(*request_.spec, record_.sequence, left_out_)) {
        options_.push_back(std::move(option));
      }
    } else {
      left_out_.emplace_back("the model's shape: its graph file does not say it");
    }
    note_idle(record_, left_out_);
    note_batch(record_, left_out_);
    return {text(), left_out_};
  }

 private:
  void add(const std::string& name, const std::string& value = "") {
    options_.emplace_back(name, value);
  }
  void add(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }

  void write_sizes() {
    add("--tensor-model-parallel-size", strategy_.tensor);
    add("--pipeline-model-parallel-size", strategy_.pipeline);
    if (strategy_.sequence_parallel) {
      add("--sequence-parallel");
    }
    constexpr plan::AxisOrder kTensorPipelineData = {plan::Axis::kTensor, plan::Axis::kPipeline,
                                                     plan::Axis::kData};
    if (!has_order(strategy_, plan::kTensorDataPipeline)) {
      if (has_order(strategy_, kTensorPipelineData)) {
        add("--use-tp-pp-dp-mapping");
      } else {
        left_out_.push_back("the order of groups, " + plan::to_string(strategy_.order) +
                            ": Megatron has tdp and tpd");
      }
    }
    add("--micro-batch-size", strategy_.microbatch);
    add("--global-batch-size", record_.plan.global_batch);
  }

  void write_stages() {
    if (strategy_.schedule == plan::PipelineSchedule::kGpipe && strategy_.pipeline > 1) {
      left_out_.emplace_back("the schedule of GPipe: Megatron has 1F1B, plain and interleaved");
    }
    const std::vector<StageShape> shapes = shapes_of(record_);
    std::int64_t blocks = 0;
    for (const StageShape& shape : shapes) {
      blocks += shape.blocks;
    }
    const bool is_even = even_shapes(blocks, static_cast<std::int64_t>(shapes.size())) == shapes;
    if (request_.spec && request_.spec->stacks.size() > 1) {
      if (shapes.size() > 1) {
        left_out_.emplace_back(
            "which layers each stage has: pretrain_gpt.py trains decoders with a vocabulary only");
      }
    } else if (strategy_.interleave > 1 && is_even) {
      add("--num-virtual-stages-per-pipeline-rank", strategy_.interleave);
    } else if (!is_even && shapes.front().has_embedding && shapes.back().has_head) {
      add("--pipeline-model-parallel-layout", write_layout(shapes));
    } else if (!is_even) {
      left_out_.emplace_back(
          "which layers each stage has: Megatron's layouts begin with the embedding and end with "
          "the head");
    }
  }

  void write_recompute() {
    const std::optional<Recompute> way = common_recompute(record_);
    if (!way) {
      left_out_.emplace_back("recomputation, which differs from stage to stage");
    } else if (*way == Recompute::kSelective) {
      add("--recompute-granularity", "selective");
    } else if (*way == Recompute::kFull) {
      add("--recompute-granularity", "full");
      add("--recompute-method", "uniform");
      add("--recompute-num-layers", 1);
    }
  }

  void write_sharding(const plan::PlanWorkload& workload) {
    if (strategy_.zero == 1) {
      add("--use-distributed-optimizer");
    } else if (strategy_.zero > 1) {
      // Its own optimiser knows the shards of FSDP; the others would take them for whole weights.
      add("--use-distributed-optimizer");
      add("--use-megatron-fsdp");
      add("--data-parallel-sharding-strategy",
          strategy_.zero == 2 ? "optim_grads" : "optim_grads_params");
      add("--ckpt-format", "fsdp_dtensor");
      comments_.emplace_back(
          "Megatron's FSDP needs CUDA_DEVICE_MAX_CONNECTIONS to be other than 1.");
    }
    if (strategy_.zero < 2 && strategy_.tensor > 1) {
      comments_.emplace_back(
          "Before Blackwell, tensor parallelism needs CUDA_DEVICE_MAX_CONNECTIONS=1.");
    }
    if (workload.overlap && strategy_.data > 1) {
      add("--overlap-grad-reduce");
      if (strategy_.zero > 0) {
        add("--overlap-param-gather");
      }
    }
  }

  void write_training(const plan::PlanWorkload& workload) {
    if (workload.precision == "mixed") {
      add("--bf16");
    } else if (workload.precision == "bf16") {
      left_out_.emplace_back("moments and gradients in bf16: Megatron's own are in fp32");
    }
    add("--optimizer", workload.optimizer);
    add("--attention-backend", workload.attention == "flash" ? "flash" : "unfused");
  }

  std::string text() const {
    std::string text = "# " + title_of(record_) + "\n";
    text +=
        "# Written by phaze export. To add: data, tokenizer, learning rate, and what a plan does "
        "not know of\n# the model (norm epsilon, rotary base, initialisation).\n";
    for (const std::string& comment : comments_) {
      text += "# " + comment + "\n";
    }
    for (const std::string& what : left_out_) {
      text += "# left out: " + what + "\n";
    }
    if (const auto nodes = nodes_of(request_)) {
      text += "# torchrun \"${TORCHRUN_ARGS[@]}\" pretrain_gpt.py \"${MEGATRON_ARGS[@]}\"\n";
      text += "TORCHRUN_ARGS=(\n  --nnodes " + std::to_string(nodes->count) +
              "\n  --nproc-per-node " + std::to_string(nodes->devices) + "\n)\n";
    } else {
      text += "# torchrun ... pretrain_gpt.py \"${MEGATRON_ARGS[@]}\" on " +
              counted(plan::devices_of(strategy_), "device") + "\n";
    }
    text += "MEGATRON_ARGS=(\n";
    for (const auto& [name, value] : options_) {
      text += "  " + name + (value.empty() ? "" : " " + quoted(value)) + "\n";
    }
    return text + ")\n";
  }

  const LaunchRequest& request_;
  const PlanRecord& record_;
  const Strategy& strategy_;
  OptionList options_;
  std::vector<std::string> comments_, left_out_;
};

}  // namespace

plan::LaunchFile write_megatron(const LaunchRequest& request) { return Writer(request).write(); }

}  // namespace phaze::launch
