#include "launch/megatron_job.h"

#include <algorithm>

#include "base/plural.h"
#include "base/text.h"
#include "launch/arguments.h"
#include "launch/megatron_cuts.h"
#include "launch/megatron_model.h"
#include "launch/megatron_unpriced.h"

namespace phaze::launch {
namespace {

using plan::Recompute;

constexpr std::int64_t kMostDevices = 1'000'000'000;
constexpr std::int64_t kMostWidth = 1'000'000;
constexpr std::int64_t kMostSequences = 1'000'000'000'000;
constexpr std::int64_t kMostMicrobatch = 1'000'000'000;  // times all devices it is a number still

class Reader {
 public:
  Reader(Arguments& arguments, const JobRequest& request, Diagnostics& diagnostics)
      : arguments_(arguments), request_(request), diagnostics_(diagnostics) {}

  MegatronJob read() {
    refuse_unpriced(arguments_);
    read_widths();
    read_cuts(arguments_, job_);
    read_recompute();
    read_sharding();
    read_training();
    const auto sequence = arguments_.count("--seq-length", kMostSequences);
    job_.sequence = sequence.value_or(0);
    if (request_.needs_model) {
      job_.spec = read_model(arguments_, job_.strategy.tensor, diagnostics_);
    } else {
      job_.layers = arguments_.count("--num-layers", kMostWidth);
      job_.hidden = arguments_.count("--hidden-size", kMostWidth);
      job_.heads = arguments_.count("--num-attention-heads", kMostWidth);
    }
    for (const std::string& name : arguments_.unused()) {
      constexpr std::size_t kMostEdits = 2;  // Megatron has names that are as close as three
      const std::string near = nearest_name(name, arguments_.asked(), kMostEdits);
      if (changes_time(name)) {
        job_.not_modelled.push_back(name);
      } else if (!near.empty()) {
        arguments_.error(name, "is not known; did you mean " + near + "?");
      } else {
        job_.unused.push_back(name);
      }
    }
    return std::move(job_);
  }

 private:
  std::int64_t width(const std::string& name) {
    return arguments_.count(name, kMostWidth).value_or(1);
  }
  // Under both of its spellings.
  std::optional<std::int64_t> launcher(const std::string& dashes, const std::string& underscores) {
    const auto value = arguments_.count(dashes, kMostDevices);
    const auto other = arguments_.count(underscores, kMostDevices);
    if (value && other && *value != *other) {
      arguments_.error(underscores, "contradicts " + dashes);
    }
    return value ? value : other;
  }

  void read_widths() {
    plan::Strategy& strategy = job_.strategy;
    strategy.tensor = width("--tensor-model-parallel-size");
    strategy.pipeline = width("--pipeline-model-parallel-size");
    strategy.sequence_parallel = arguments_.flag("--sequence-parallel") && strategy.tensor > 1;
    if (arguments_.count("--expert-tensor-parallel-size", kMostWidth).value_or(strategy.tensor) !=
        strategy.tensor) {
      arguments_.error("--expert-tensor-parallel-size",
                       "other than --tensor-model-parallel-size has no price here");
    }
    if (arguments_.flag("--use-tp-pp-dp-mapping")) {
      strategy.order = {plan::Axis::kTensor, plan::Axis::kPipeline, plan::Axis::kData};
    }
    const auto nodes = launcher("--nnodes", "--nnodes");
    const auto each = launcher("--nproc-per-node", "--nproc_per_node");
    std::string name = "--nproc-per-node";
    if (each && nodes.value_or(1) <= kMostDevices / *each) {
      job_.devices = nodes.value_or(1) * *each;
      name = arguments_.has("--nproc_per_node") ? "--nproc_per_node" : name;
    } else if (request_.devices) {
      job_.devices = *request_.devices;
      name = "--devices";
    } else {
      arguments_.error(name,
                       "how many devices there are is not said; expected --nnodes and "
                       "--nproc-per-node of torchrun, or --devices beside --from");
      return;
    }
    const std::int64_t parts = strategy.tensor * strategy.pipeline;
    if (job_.devices % parts != 0) {
      arguments_.error(name, counted(job_.devices, "device is", "devices are") +
                                 " no multiple of tensor x pipeline, " + with_thousands(parts));
      return;
    }
    strategy.data = job_.devices / parts;
    read_batch();
  }

  void read_batch() {
    plan::Strategy& strategy = job_.strategy;
    const auto size = arguments_.count("--micro-batch-size", kMostMicrobatch);
    if (!size) {
      arguments_.error("--micro-batch-size", "is missing");
      return;
    }
    strategy.microbatch = *size;
    job_.global_batch = arguments_.count("--global-batch-size", kMostSequences)
                            .value_or(strategy.microbatch * strategy.data);
    if (job_.global_batch / strategy.data % strategy.microbatch != 0 ||
        job_.global_batch % strategy.data != 0) {
      arguments_.error("--global-batch-size",
                       std::to_string(job_.global_batch) +
                           " is no multiple of --micro-batch-size times the data width, " +
                           std::to_string(strategy.microbatch) + " x " +
                           std::to_string(strategy.data));
    }
  }

  void read_recompute() {
    const bool is_short = arguments_.flag("--recompute-activations");
    const std::string granularity =
        arguments_.text("--recompute-granularity").value_or(is_short ? "selective" : "");
    const auto method = arguments_.text("--recompute-method");
    const auto layers = arguments_.count("--recompute-num-layers", kMostWidth, 0);
    if (is_short && granularity != "selective") {
      arguments_.error("--recompute-activations", "contradicts --recompute-granularity");
    }
    if (granularity == "selective") {
      job_.recompute = Recompute::kSelective;
      if (method) {
        arguments_.error("--recompute-method", "goes with --recompute-granularity full only");
      }
    } else if (granularity == "full") {
      job_.recompute = Recompute::kFull;
      if (!method || (*method != "uniform" && *method != "block")) {
        arguments_.error("--recompute-method",
                         "expected uniform or block with --recompute-granularity full");
      } else if (*method == "block" || layers.value_or(1) != 1) {
        // One layer at a time is what full recomputation means here.
        arguments_.error(*method == "block" ? "--recompute-method" : "--recompute-num-layers",
                         "has no price here; expected uniform, one layer at a time");
      }
    } else if (!granularity.empty()) {
      arguments_.error("--recompute-granularity",
                       "expected full or selective, found \"" + shortened(granularity) + "\"");
    }
  }

  void read_sharding() {
    plan::Strategy& strategy = job_.strategy;
    const bool is_distributed = arguments_.flag("--use-distributed-optimizer");
    const bool is_fsdp =
        arguments_.flag("--use-megatron-fsdp") || arguments_.flag("--use-custom-fsdp");
    const bool is_torch = arguments_.flag("--use-torch-fsdp2");
    const auto way = arguments_.text("--data-parallel-sharding-strategy");
    const bool keeps = arguments_.flag("--torch-fsdp2-no-reshard-after-forward");
    arguments_.text("--ckpt-format");
    if (is_torch && (is_distributed || is_fsdp)) {
      arguments_.error("--use-torch-fsdp2", "contradicts another way of sharding");
    }
    strategy.zero = is_torch ? (keeps ? 2 : 3) : is_distributed ? 1 : 0;
    if (is_fsdp) {
      const std::vector<std::string> ways = {"no_shard", "optim", "optim_grads",
                                             "optim_grads_params"};
      const auto found = std::ranges::find(ways, way.value_or("no_shard"));
      if (found == ways.end()) {
        arguments_.error("--data-parallel-sharding-strategy",
                         "expected no_shard, optim, optim_grads or optim_grads_params, found \"" +
                             shortened(*way) + "\"");
      } else {
        strategy.zero = static_cast<int>(found - ways.begin());
      }
    }
    // Over one device there is nothing to shard.
    strategy.zero = strategy.data == 1 ? 0 : strategy.zero;
    const bool reduces = arguments_.flag("--overlap-grad-reduce");
    arguments_.flag("--overlap-param-gather");
    job_.workload.overlap = reduces || is_fsdp || is_torch || strategy.data == 1;
  }

  void read_training() {
    const bool is_bf16 = arguments_.flag("--bf16");
    if (is_bf16 && arguments_.has("--fp16")) {
      arguments_.error("--fp16", "contradicts --bf16");
    }
    job_.workload.precision = is_bf16 || arguments_.has("--fp16") ? "mixed" : "fp32";
    job_.workload.optimizer = arguments_.text("--optimizer").value_or("adam");
    if (job_.workload.optimizer != "adam" && job_.workload.optimizer != "sgd") {
      arguments_.error("--optimizer", "expected adam or sgd: others have no price here");
    }
    const std::string attention = arguments_.text("--attention-backend").value_or("auto");
    arguments_.flag("--use-flash-attn");
    job_.workload.attention = attention == "unfused" || attention == "local" ? "eager" : "flash";
  }

  Arguments& arguments_;
  const JobRequest& request_;
  Diagnostics& diagnostics_;
  MegatronJob job_;
};

}  // namespace

std::optional<MegatronJob> read_megatron(std::string_view text, const std::string& source,
                                         const JobRequest& request, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const std::vector<Word> words = split_words(text, source, diagnostics);
  Arguments arguments(words, diagnostics);
  MegatronJob job = Reader(arguments, request, diagnostics).read();
  return diagnostics.error_count() > before ? std::nullopt : std::optional(std::move(job));
}

}  // namespace phaze::launch
