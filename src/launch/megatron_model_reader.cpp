// A model from Megatron's arguments.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "launch/megatron_model.h"

namespace phaze::launch {
namespace {

using models::Activation;
using models::Attention;
using models::Block;
using models::ModelSpec;
using models::NormKind;

// Sizes beyond these are no model that anyone means.
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostHidden = std::int64_t{1} << 20;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 24;
constexpr std::int64_t kMostHeads = std::int64_t{1} << 16;
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 28;
constexpr std::int64_t kMostPositions = std::int64_t{1} << 30;

class Reader {
 public:
  Reader(Arguments& arguments, Diagnostics& diagnostics)
      : arguments_(arguments), diagnostics_(diagnostics) {}

  std::optional<ModelSpec> read(std::int64_t tensor) {
    const std::size_t before = diagnostics_.error_count();
    ModelSpec spec;
    spec.name = spec.family = "megatron";
    spec.source = "arguments of Megatron-LM";
    Block block;
    const std::int64_t layers = require("--num-layers", kMostLayers);
    spec.hidden = spec.embedding.width = require("--hidden-size", kMostHidden);
    read_feed_forward(spec, block);
    read_attention(spec, block);
    read_norm(spec, block);
    read_biases(block);
    read_vocabulary(tensor, spec);
    read_positions(spec, block);
    // Megatron's own defaults.
    block.attention.dropout = arguments_.fraction("--attention-dropout").value_or(0.1);
    block.dropout = spec.embedding.dropout = arguments_.fraction("--hidden-dropout").value_or(0.1);
    spec.stacks = {{"decoder", {{block, layers}}, 0, true, 0}};
    if (diagnostics_.error_count() > before) {
      return std::nullopt;
    }
    return spec;
  }

 private:
  std::int64_t require(const std::string& name, std::int64_t most) {
    if (!arguments_.has(name)) {
      arguments_.error(name, "is missing: without a MODEL its shape comes from the arguments");
    }
    return arguments_.count(name, most).value_or(1);
  }

  void read_feed_forward(const ModelSpec& spec, Block& block) {
    models::FeedForward& part = block.feed_forward;
    const bool is_swiglu = arguments_.flag("--swiglu");
    const bool is_quick = arguments_.flag("--quick-geglu");
    if (is_swiglu && is_quick) {
      arguments_.error("--quick-geglu", "contradicts --swiglu");
    }
    arguments_.flag("--openai-gelu");
    part.is_gated = is_swiglu || is_quick;
    part.activation = is_swiglu  ? Activation::kSilu
                      : is_quick ? Activation::kQuickGelu
                                 : Activation::kGeluNew;
    // As Megatron does where it is not given: as many weights as without a gate, in steps of 64.
    const std::int64_t width = is_swiglu ? spec.hidden * 8 / 3 / 64 * 64 : 4 * spec.hidden;
    part.width = arguments_.count("--ffn-hidden-size", kMostWidth).value_or(width);
    if (const auto experts = arguments_.count("--num-experts", kMostHeads)) {
      part.experts = *experts;
      part.experts_per_token = arguments_.count("--moe-router-topk", kMostHeads).value_or(2);
      part.width = arguments_.count("--moe-ffn-hidden-size", kMostWidth).value_or(part.width);
      if (part.experts_per_token > part.experts) {
        arguments_.error("--moe-router-topk",
                         "expected at most --num-experts, " + std::to_string(part.experts));
      }
    }
  }

  void read_attention(const ModelSpec& spec, Block& block) {
    Attention& attention = block.attention;
    attention.heads = require("--num-attention-heads", kMostHeads);
    attention.kv_heads = attention.heads;
    const bool is_grouped = arguments_.flag("--group-query-attention");
    const auto groups = arguments_.count("--num-query-groups", kMostHeads);
    if (is_grouped) {
      attention.kv_heads = groups.value_or(1);
    }
    if (attention.heads % attention.kv_heads != 0) {
      arguments_.error("--num-query-groups", std::to_string(attention.kv_heads) +
                                                 " does not divide the heads, " +
                                                 std::to_string(attention.heads));
    }
    const auto channels = arguments_.count("--kv-channels", kMostHidden);
    if (!channels && spec.hidden % attention.heads != 0) {
      arguments_.error("--num-attention-heads", std::to_string(attention.heads) +
                                                    " does not divide --hidden-size, " +
                                                    std::to_string(spec.hidden));
    }
    attention.head_dim =
        channels.value_or(std::max<std::int64_t>(1, spec.hidden / attention.heads));
    attention.is_causal = true;
    // As the models that place knows by name: gated ones have three products, others one.
    attention.is_merged = !block.feed_forward.is_gated;
    attention.has_f32_softmax = block.feed_forward.is_gated;
    if (const auto window = arguments_.text("--window-size")) {
      const std::size_t comma = window->find(',');
      std::string left = window->substr(0, comma);
      std::erase_if(left, [](char c) { return c == '(' || c == ' '; });
      const bool is_number = !left.empty() && left.size() < 10 &&
                             left.find_first_not_of("0123456789") == std::string::npos;
      if (comma == std::string::npos || !is_number) {
        arguments_.error("--window-size",
                         "expected keys before and after a query, such as "
                         "4095,0, found \"" +
                             shortened(*window) + "\"");
      } else {
        attention.window = std::stoll(left) + 1;
      }
    }
  }

  void read_norm(ModelSpec& spec, Block& block) {
    const std::string name = arguments_.text("--normalization").value_or("LayerNorm");
    if (name != "LayerNorm" && name != "RMSNorm") {
      arguments_.error("--normalization",
                       "expected LayerNorm or RMSNorm, found \"" + shortened(name) + "\"");
    }
    if (name == "RMSNorm") {
      spec.norm = {NormKind::kRmsNorm, true, false, false};
    }
    block.norm = spec.norm;
  }

  void read_biases(Block& block) {
    const bool has_biases = !arguments_.flag("--disable-bias-linear");
    block.attention.has_out_bias = block.feed_forward.has_bias = has_biases;
    block.attention.has_qkv_bias = arguments_.flag("--add-qkv-bias") || has_biases;
  }

  void read_vocabulary(std::int64_t tensor, ModelSpec& spec) {
    const auto padded = arguments_.count("--padded-vocab-size", kMostVocabulary);
    const auto size = arguments_.count("--vocab-size", kMostVocabulary);
    const std::int64_t step =
        arguments_.count("--make-vocab-size-divisible-by", kMostVocabulary).value_or(128) * tensor;
    if (!padded && !size) {
      arguments_.error("--vocab-size",
                       "is missing: the vocabulary of a tokenizer is not known here");
    }
    spec.embedding.vocabulary = padded.value_or((size.value_or(1) + step - 1) / step * step);
    spec.head.vocabulary = models::VocabularyProjection{
        !arguments_.flag("--untie-embeddings-and-output-weights"), false, 0};
    spec.head.has_f32_loss = true;
  }

  void read_positions(ModelSpec& spec, Block& block) {
    const bool is_old_rope = arguments_.flag("--use-rotary-position-embeddings");
    const std::string kind = arguments_.text("--position-embedding-type")
                                 .value_or(is_old_rope ? "rope" : "learned_absolute");
    const auto positions = arguments_.count("--max-position-embeddings", kMostPositions);
    const auto sequence = arguments_.count("--seq-length", kMostPositions);
    if (!sequence) {
      arguments_.error("--seq-length", "is missing");
    }
    spec.default_sequence = sequence.value_or(1);
    if (positions && sequence && *positions < *sequence) {
      arguments_.error("--max-position-embeddings",
                       "expected at least --seq-length, " + std::to_string(*sequence));
    }
    const auto share = arguments_.fraction("--rotary-percent");
    if (kind == "learned_absolute") {
      spec.embedding.positions = spec.longest_sequence = positions.value_or(spec.default_sequence);
    } else if (kind == "rope") {
      const double width = static_cast<double>(block.attention.head_dim) * share.value_or(1);
      block.attention.rotary_dim = static_cast<std::int64_t>(std::llround(width));
      if (block.attention.rotary_dim % 2 != 0) {
        arguments_.error("--rotary-percent", "rotates " +
                                                 std::to_string(block.attention.rotary_dim) +
                                                 " elements of a head; expected an even number");
      }
    } else if (kind != "none") {
      arguments_.error(
          "--position-embedding-type",
          "expected learned_absolute, rope or none, found \"" + shortened(kind) + "\"");
    }
  }

  Arguments& arguments_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<ModelSpec> read_model(Arguments& arguments, std::int64_t tensor,
                                    Diagnostics& diagnostics) {
  return Reader(arguments, diagnostics).read(tensor);
}

bool has_model(const Arguments& arguments) {
  return arguments.has("--num-layers") || arguments.has("--hidden-size") ||
         arguments.has("--num-attention-heads");
}

}  // namespace phaze::launch
