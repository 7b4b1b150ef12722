#include "launch/megatron_unpriced.h"

#include <algorithm>
#include <iterator>

namespace phaze::launch {
namespace {

constexpr std::string_view kRefused[] = {
    // other numbers
    "--fp8-format", "--fp4-format",
    // other models
    "--multi-latent-attention", "--mtp-num-layers", "--encoder-num-layers", "--decoder-num-layers",
    "--experimental-attention-variant", "--heterogeneous-layers-config-path",
    "--heterogeneous-layers-config-encoded-json", "--hybrid-layer-pattern",
    "--hybrid-override-pattern", "--is-hybrid-model", "--moe-latent-size",
    "--window-attn-skip-freq", "--yaml-cfg",
    // other runs
    "--optimizer-cpu-offload", "--cpu-offloading-num-layers",
    "--fine-grained-activation-offloading", "--rampup-batch-size", "--checkpoint-activations",
    "--model-parallel-size", "--batch-size", "--hybrid-context-parallel"};

// With 1 they say nothing.
constexpr std::string_view kRefusedAboveOne[] = {
    "--context-parallel-size", "--expert-model-parallel-size", "--moe-layer-freq"};

constexpr std::string_view kChangesTime[] = {
    // communication
    "--tp-comm-overlap", "--use-sharp", "--use-nccl-ub", "--no-overlap-p2p-communication",
    "--overlap-p2p-communication-warmup-flush", "--no-scatter-gather-tensors-in-pipeline",
    "--grad-reduce-in-bf16", "--megatron-fsdp-grad-comm-dtype", "--ddp-bucket-size",
    "--ddp-num-buckets", "--fsdp-double-buffer", "--overlap-param-gather-with-optimizer-step",
    "--microbatch-group-size-per-virtual-pipeline-stage",
    // kernels
    "--fp16", "--cuda-graph-impl", "--enable-cuda-graph", "--external-cuda-graph",
    "--optimizer-cuda-graph", "--cross-entropy-loss-fusion", "--no-gradient-accumulation-fusion",
    "--no-bias-dropout-fusion", "--no-bias-gelu-fusion", "--no-bias-swiglu-fusion",
    "--no-rope-fusion", "--no-masked-softmax-fusion", "--no-persist-layer-norm",
    "--disable-jit-fuser", "--transformer-impl", "--use-legacy-models", "--deterministic-mode",
    "--batch-invariant-mode", "--delay-wgrad-compute", "--defer-embedding-wgrad-compute",
    // parts of the model
    "--squared-relu", "--qk-layernorm", "--qk-l2-norm", "--attention-output-gate",
    "--moe-shared-expert-intermediate-size", "--moe-expert-capacity-factor", "--moe-grouped-gemm",
    "--moe-token-dispatcher-type", "--fp32-residual-connection",
    // memory
    "--recompute-modules", "--moe-layer-recompute", "--distribute-saved-activations",
    "--num-distributed-optimizer-instances", "--use-precision-aware-optimizer",
    "--main-grads-dtype", "--main-params-dtype", "--exp-avg-dtype", "--exp-avg-sq-dtype"};

}  // namespace

void refuse_unpriced(Arguments& arguments) {
  for (const std::string_view name : kRefused) {
    if (arguments.has(std::string(name))) {
      arguments.error(std::string(name), "has no price here");
    }
  }
  for (const std::string_view view : kRefusedAboveOne) {
    const std::string name(view);
    // Whatever it is, a pattern too, that is not 1.
    const auto value = arguments.has(name) ? arguments.text(name) : std::nullopt;
    if (value && *value != "1") {
      arguments.error(name, "other than 1 has no price here");
    }
  }
}

bool changes_time(std::string_view name) {
  return std::ranges::find(kChangesTime, name) != std::end(kChangesTime);
}

}  // namespace phaze::launch
