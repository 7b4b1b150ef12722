#pragma once
// A ModelSpec and the choices of a run, turned into the forward graph of each distinct layer as
// one device of a tensor-parallel group runs it.

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "graph/fuse.h"
#include "graph/layer.h"
#include "graph/optimizer.h"
#include "models/spec.h"

namespace phaze::models {

enum class AttentionMode { kFlash, kEager };
enum class Execution {
  kFused,     // a tuned training stack
  kMegatron,  // Megatron-LM as of 2021: fused kernels between the library's products
  kEager,     // the library's operators one by one
};

// What goes with it where nothing else is said.
graph::Fusion default_fusion(Execution execution);

std::optional<AttentionMode> parse_attention(std::string_view name);
std::optional<Execution> parse_execution(std::string_view name);
std::string_view to_string(AttentionMode mode);
std::string_view to_string(Execution execution);

struct BuildOptions {
  std::int64_t sequence = 0;          // 0: the model's own
  std::int64_t decoder_sequence = 0;  // of an encoder-decoder; 0: as long as the encoder's
  std::int64_t microbatch = 1;
  std::int64_t tensor_width = 1;
  bool sequence_parallel = false;
  // Pad a vocabulary that the tensor width does not divide (padded_vocabulary).
  bool pads_vocabulary = false;
  bool expand_kv = false;  // grouped K and V copied out to all heads before attention
  AttentionMode attention = AttentionMode::kFlash;
  Execution execution = Execution::kFused;
  graph::Precision precision = graph::Precision::kMixed;
};

// Tensor widths that divide all that they must: heads, K and V heads, feed-forward width and
// vocabulary, unless that is padded. Ascending, 1 first.
std::vector<std::int64_t> tensor_widths(const ModelSpec& spec, bool pads_vocabulary = false);

// As Megatron-LM pads it: to a multiple of 128 times the width, where the width does not divide it.
std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t width);

// The forward graph; a diagnostic for each option that does not fit the model.
std::optional<graph::Model> build_model(const ModelSpec& spec, const BuildOptions& options,
                                        Diagnostics& diagnostics);

// Parameters of the whole model, each tied one once.
std::int64_t count_parameters(const ModelSpec& spec);

}  // namespace phaze::models
