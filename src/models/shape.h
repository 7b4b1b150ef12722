#pragma once
// A decoder from its sizes alone, as papers print them: what a row of measured runs describes.

#include <cstdint>
#include <string_view>

#include "models/spec.h"

namespace phaze::models {

enum class ShapeFamily {
  kGpt,    // LayerNorm, biases, GELU, learned positions, tied embedding, dropout 0.1 (Megatron-LM)
  kLlama,  // RMSNorm, no biases, gated SiLU, rotary positions, no tied embedding, no dropout
};
std::optional<ShapeFamily> parse_shape_family(std::string_view name);
std::string_view to_string(ShapeFamily family);

struct TransformerShape {
  ShapeFamily family = ShapeFamily::kGpt;
  std::int64_t hidden = 0, heads = 0, layers = 0;
  std::int64_t kv_heads = 0;  // 0: as many as heads
  std::int64_t ffn = 0;       // 0: 4 x hidden
  std::int64_t sequence = 2048;
  std::int64_t vocabulary = 51200;
  std::optional<bool> is_tied;    // nothing: as the family has it
  std::optional<double> dropout;  // the same

  bool operator==(const TransformerShape&) const = default;
};

// Sizes must be positive, heads divide hidden, K and V heads divide heads, and a gated model's
// heads be even in size. A vocabulary that `tensor_width` does not divide is padded as Megatron-LM
// does: to a multiple of 128 times the width.
ModelSpec make_spec(const TransformerShape& shape, std::int64_t tensor_width);

}  // namespace phaze::models
