#include "models/shape.h"

#include "base/check.h"
#include "models/build.h"

namespace phaze::models {
namespace {

constexpr double kDropout = 0.1;  // Megatron-LM's default, of attention and hidden states

}  // namespace

std::optional<ShapeFamily> parse_shape_family(std::string_view name) {
  return name == "gpt"     ? std::optional(ShapeFamily::kGpt)
         : name == "llama" ? std::optional(ShapeFamily::kLlama)
                           : std::nullopt;
}

std::string_view to_string(ShapeFamily family) {
  return family == ShapeFamily::kGpt ? "gpt" : "llama";
}

ModelSpec make_spec(const TransformerShape& shape, std::int64_t tensor_width) {
  CHECK(shape.hidden > 0 && shape.heads > 0 && shape.layers > 0 && shape.sequence > 0 &&
            shape.hidden % shape.heads == 0,
        "a shape has sizes that divide");
  const bool is_gpt = shape.family == ShapeFamily::kGpt;
  const double dropout = shape.dropout.value_or(is_gpt ? kDropout : 0);
  ModelSpec spec;
  spec.family = to_string(shape.family);
  spec.hidden = shape.hidden;
  spec.default_sequence = shape.sequence;
  spec.longest_sequence = is_gpt ? shape.sequence : 0;
  spec.norm = is_gpt ? Norm{} : Norm{NormKind::kRmsNorm, true, false, false};
  spec.embedding.vocabulary = padded_vocabulary(shape.vocabulary, tensor_width);
  spec.embedding.width = shape.hidden;
  spec.embedding.positions = is_gpt ? shape.sequence : 0;
  spec.embedding.dropout = dropout;
  Block block;
  block.norm = spec.norm;
  block.dropout = dropout;
  Attention& attention = block.attention;
  attention.heads = shape.heads;
  attention.kv_heads = shape.kv_heads > 0 ? shape.kv_heads : shape.heads;
  attention.head_dim = shape.hidden / shape.heads;
  attention.has_qkv_bias = attention.has_out_bias = is_gpt;
  attention.is_merged = true;
  attention.is_causal = true;
  attention.rotary_dim = is_gpt ? 0 : attention.head_dim;
  attention.dropout = dropout;
  block.feed_forward.width = shape.ffn > 0 ? shape.ffn : 4 * shape.hidden;
  block.feed_forward.activation = is_gpt ? Activation::kGelu : Activation::kSilu;
  block.feed_forward.is_gated = !is_gpt;
  block.feed_forward.has_bias = is_gpt;
  spec.stacks = {Stack{"decoder", {{block, shape.layers}}, 0, true, 0}};
  spec.head.vocabulary = VocabularyProjection{shape.is_tied.value_or(is_gpt), false, 0};
  spec.head.has_f32_loss = true;
  return spec;
}

}  // namespace phaze::models
