// Decoder-only families: gpt2, opt, llama, mistral, qwen2, mixtral, phi, gpt_neox.
#include "models/families.h"

namespace phaze::models {
namespace {

// A rotated share of each head, under its names in both versions of the library.
double rotary_fraction(Fields& fields, const std::vector<std::string>& names, double fallback) {
  const io::Value* nested = fields.find({"rope_parameters", "rope_scaling"});
  if (nested != nullptr && nested->kind != io::ValueKind::kMap) {
    fields.diagnostics().error(nested->where, "expected a map, found " + io::describe(*nested));
  } else if (nested != nullptr && nested->find("partial_rotary_factor") != nullptr) {
    Fields inner(*nested, fields.diagnostics());
    return inner.fraction({"partial_rotary_factor"}, fallback);
  }
  return fields.fraction(names, fallback);
}

Head causal_head(Fields& fields, bool is_tied, bool has_bias) {
  Head head;
  head.vocabulary = VocabularyProjection{fields.flag("tie_word_embeddings", is_tied), has_bias, 0};
  head.has_f32_loss = true;
  return head;
}

Stack decoder_stack(std::vector<Run> runs, bool has_final_norm) {
  return {"decoder", std::move(runs), 0, has_final_norm, 0};
}

// What llama, mistral, qwen2 and mixtral have in common, with the defaults in which they differ.
struct LlamaDefaults {
  std::int64_t vocabulary = 32000, intermediate = 11008, kv_heads = 0, positions = 2048;
  bool reads_biases = false;
  bool has_qkv_bias = false;
};

ModelSpec read_llama_like(Fields& fields, const LlamaDefaults& defaults) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, 4096, kMaxHidden);
  spec.norm = {NormKind::kRmsNorm, true, false, false};
  spec.embedding.vocabulary = fields.count({"vocab_size"}, defaults.vocabulary, kMaxVocabulary);
  spec.embedding.width = spec.hidden;
  spec.default_sequence =
      fields.count({"max_position_embeddings"}, defaults.positions, kMaxPositions);

  Block block;
  block.norm = spec.norm;
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, 32, kMaxHeads);
  attention.kv_heads =
      fields.count({"num_key_value_heads"},
                   defaults.kv_heads > 0 ? defaults.kv_heads : attention.heads, kMaxHeads);
  // A written null means "as many as heads", whatever the family's default.
  if (fields.is_null("num_key_value_heads")) {
    attention.kv_heads = attention.heads;
  }
  const std::optional<std::int64_t> head_dim = fields.optional_count({"head_dim"}, kMaxHidden);
  attention.head_dim = head_dim ? *head_dim : even_head_dim(fields, spec.hidden, attention.heads);
  check_kv_heads(fields, attention);
  attention.is_causal = true;
  attention.rotary_dim = attention.head_dim;
  check_rotary_dim(fields, attention, {"head_dim", "num_attention_heads"});
  attention.has_f32_softmax = true;
  attention.dropout = fields.fraction({"attention_dropout"}, 0);
  if (defaults.reads_biases) {
    attention.has_qkv_bias = fields.flag("attention_bias", false);
    attention.has_out_bias = attention.has_qkv_bias;
    block.feed_forward.has_bias = fields.flag("mlp_bias", false);
  }
  attention.has_qkv_bias = attention.has_qkv_bias || defaults.has_qkv_bias;
  block.feed_forward.width = fields.count({"intermediate_size"}, defaults.intermediate, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"hidden_act"}, "silu");
  block.feed_forward.is_gated = true;
  const std::int64_t layers = fields.count({"num_hidden_layers"}, 32, kMaxLayers);
  spec.stacks = {decoder_stack({{block, layers}}, true)};
  spec.head = causal_head(fields, false, false);
  return spec;
}

// Which layers have a window: those that `layer_types` names, or all after the first `full_layers`.
std::vector<bool> sliding_layers(Fields& fields, std::int64_t layers, std::int64_t full_layers) {
  std::vector<bool> slides;
  for (std::int64_t i = 0; i < layers; ++i) {
    slides.push_back(i >= full_layers);
  }
  const io::Value* types = fields.find({"layer_types"});
  if (types == nullptr) {
    return slides;
  }
  if (types->kind != io::ValueKind::kList || types->items.size() != slides.size()) {
    fields.error("layer_types", "expected a list of " + std::to_string(layers) +
                                    " types, one a layer, found " + io::describe(*types));
    return slides;
  }
  for (std::size_t i = 0; i < slides.size(); ++i) {
    const std::string& type = types->items[i].text;
    if (type != "full_attention" && type != "sliding_attention") {
      fields.diagnostics().error(
          types->items[i].where,
          "expected full_attention or sliding_attention, found " + io::describe(types->items[i]));
    }
    slides[i] = type == "sliding_attention";
  }
  return slides;
}

}  // namespace

ModelSpec read_llama(Fields& fields) {
  LlamaDefaults defaults;
  defaults.reads_biases = true;
  return read_llama_like(fields, defaults);
}

ModelSpec read_mistral(Fields& fields) {
  LlamaDefaults defaults;
  defaults.intermediate = 14336;
  defaults.kv_heads = 8;
  defaults.positions = 131072;
  ModelSpec spec = read_llama_like(fields, defaults);
  const std::int64_t window = fields.count({"sliding_window"}, 4096, kMaxPositions);
  spec.stacks[0].runs[0].block.attention.window = fields.is_null("sliding_window") ? 0 : window;
  return spec;
}

ModelSpec read_qwen2(Fields& fields) {
  LlamaDefaults defaults;
  defaults.vocabulary = 151936;
  defaults.intermediate = 22016;
  defaults.kv_heads = 32;
  defaults.positions = 32768;
  defaults.has_qkv_bias = true;
  ModelSpec spec = read_llama_like(fields, defaults);
  const bool slides = fields.flag("use_sliding_window", false);
  const std::int64_t window = fields.count({"sliding_window"}, 4096, kMaxPositions);
  const std::int64_t full_layers = fields.count({"max_window_layers"}, 28, kMaxLayers, 0);
  if (!slides || fields.is_null("sliding_window")) {
    return spec;
  }
  const Run all = spec.stacks[0].runs[0];
  std::vector<Run>& runs = spec.stacks[0].runs;
  runs.clear();
  for (const bool is_sliding : sliding_layers(fields, all.count, full_layers)) {
    const std::int64_t own_window = is_sliding ? window : 0;
    if (runs.empty() || runs.back().block.attention.window != own_window) {
      runs.push_back({all.block, 0});
      runs.back().block.attention.window = own_window;
    }
    ++runs.back().count;
  }
  return spec;
}

ModelSpec read_mixtral(Fields& fields) {
  LlamaDefaults defaults;
  defaults.intermediate = 14336;
  defaults.kv_heads = 8;
  defaults.positions = 131072;
  ModelSpec spec = read_llama_like(fields, defaults);
  Block& block = spec.stacks[0].runs[0].block;
  block.attention.window = fields.optional_count({"sliding_window"}, kMaxPositions).value_or(0);
  const std::vector<std::string> experts =
      library_version(fields) >= 5 ? std::vector<std::string>{"num_experts", "num_local_experts"}
                                   : std::vector<std::string>{"num_local_experts"};
  block.feed_forward.experts = fields.count(experts, 8, kMaxExperts);
  block.feed_forward.experts_per_token = fields.count({"num_experts_per_tok"}, 2, kMaxExperts);
  if (block.feed_forward.experts_per_token > block.feed_forward.experts) {
    fields.error("num_experts_per_tok", "expected at most the number of experts");
  }
  return spec;
}

ModelSpec read_gpt2(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size", "n_embd"}, 768, kMaxHidden);
  spec.embedding.vocabulary = fields.count({"vocab_size"}, 50257, kMaxVocabulary);
  spec.embedding.width = spec.hidden;
  spec.embedding.positions =
      fields.count({"max_position_embeddings", "n_positions"}, 1024, kMaxPositions);
  spec.embedding.dropout = fields.fraction({"embd_pdrop"}, 0.1);
  spec.default_sequence = spec.embedding.positions;
  spec.longest_sequence = spec.embedding.positions;
  Block block;
  block.has_cross_attention = fields.flag("add_cross_attention", false);
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads", "n_head"}, 12, kMaxHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim =
      even_head_dim(fields, spec.hidden, attention.heads, {"num_attention_heads", "n_head"});
  attention.has_qkv_bias = attention.has_out_bias = true;
  attention.is_merged = true;
  attention.is_causal = true;
  attention.dropout = fields.fraction({"attn_pdrop"}, 0.1);
  block.dropout = fields.fraction({"resid_pdrop"}, 0.1);
  block.feed_forward.width = fields.count({"n_inner"}, 4 * spec.hidden, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"activation_function"}, "gelu_new");
  block.feed_forward.has_bias = true;
  const std::int64_t layers = fields.count({"num_hidden_layers", "n_layer"}, 12, kMaxLayers);
  spec.stacks = {decoder_stack({{block, layers}}, true)};
  spec.head = causal_head(fields, true, false);
  return spec;
}

ModelSpec read_opt(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, 768, kMaxHidden);
  const bool is_affine = fields.flag("layer_norm_elementwise_affine", true);
  spec.norm = {NormKind::kLayerNorm, is_affine, is_affine, false};
  spec.embedding.vocabulary = fields.count({"vocab_size"}, 50272, kMaxVocabulary);
  spec.embedding.width = fields.count({"word_embed_proj_dim"}, spec.hidden, kMaxHidden);
  spec.longest_sequence = fields.count({"max_position_embeddings"}, 2048, kMaxPositions);
  spec.embedding.positions = spec.longest_sequence + 2;  // the table starts two rows early
  spec.default_sequence = spec.longest_sequence;

  Block block;
  block.norm = spec.norm;
  const bool is_pre_norm = fields.flag("do_layer_norm_before", true);
  block.residual = is_pre_norm ? Residual::kPreNorm : Residual::kPostNorm;
  const bool has_bias = fields.flag("enable_bias", true);
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, 12, kMaxHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = even_head_dim(fields, spec.hidden, attention.heads);
  attention.has_qkv_bias = attention.has_out_bias = has_bias;
  attention.is_causal = true;
  attention.has_f32_softmax = true;
  attention.scale = ScorePlace::kQuery;
  attention.dropout = fields.fraction({"attention_dropout"}, 0);
  block.dropout = fields.fraction({"dropout"}, 0.1);
  block.feed_forward.width = fields.count({"ffn_dim"}, 3072, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"activation_function"}, "relu");
  block.feed_forward.has_bias = has_bias;
  const std::int64_t layers = fields.count({"num_hidden_layers"}, 12, kMaxLayers);
  const bool has_final_norm = is_pre_norm && !fields.flag("_remove_final_layer_norm", false);
  spec.stacks = {decoder_stack({{block, layers}}, has_final_norm)};
  spec.head = causal_head(fields, true, false);
  return spec;
}

ModelSpec read_phi(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, 2048, kMaxHidden);
  spec.embedding.vocabulary = fields.count({"vocab_size"}, 51200, kMaxVocabulary);
  spec.embedding.width = spec.hidden;
  spec.embedding.dropout = fields.fraction({"embd_pdrop"}, 0);
  spec.default_sequence = fields.count({"max_position_embeddings"}, 2048, kMaxPositions);

  Block block;
  block.residual = Residual::kParallel;
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, 32, kMaxHeads);
  attention.kv_heads = fields.count({"num_key_value_heads"}, attention.heads, kMaxHeads);
  const std::optional<std::int64_t> head_dim = fields.optional_count({"head_dim"}, kMaxHidden);
  attention.head_dim = head_dim ? *head_dim : even_head_dim(fields, spec.hidden, attention.heads);
  check_kv_heads(fields, attention);
  attention.has_qkv_bias = attention.has_out_bias = true;
  attention.is_causal = true;
  attention.has_f32_softmax = true;
  attention.rotary_dim =
      static_cast<std::int64_t>(static_cast<double>(attention.head_dim) *
                                rotary_fraction(fields, {"partial_rotary_factor"}, 0.5));
  check_rotary_dim(fields, attention,
                   {"rope_parameters", "rope_scaling", "partial_rotary_factor", "head_dim"});
  if (fields.flag("qk_layernorm", false)) {
    attention.qk_norm_width = attention.head_dim;
    if (attention.head_dim * attention.heads != spec.hidden) {
      fields.error("qk_layernorm",
                   "needs heads of hidden_size / num_attention_heads: the library's norms have "
                   "that width whatever head_dim says");
    }
  }
  attention.dropout = fields.fraction({"attention_dropout"}, 0);
  block.dropout = fields.fraction({"resid_pdrop"}, 0);
  block.feed_forward.width = fields.count({"intermediate_size"}, 8192, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"hidden_act"}, "gelu_new");
  block.feed_forward.has_bias = true;
  const std::int64_t layers = fields.count({"num_hidden_layers"}, 24, kMaxLayers);
  spec.stacks = {decoder_stack({{block, layers}}, true)};
  spec.head = causal_head(fields, false, true);
  return spec;
}

ModelSpec read_gpt_neox(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, 6144, kMaxHidden);
  spec.embedding.vocabulary = fields.count({"vocab_size"}, 50432, kMaxVocabulary);
  spec.embedding.width = spec.hidden;
  const double dropout = fields.fraction({"hidden_dropout"}, 0);
  spec.embedding.dropout = dropout;
  spec.default_sequence = fields.count({"max_position_embeddings"}, 2048, kMaxPositions);

  Block block;
  block.residual =
      fields.flag("use_parallel_residual", true) ? Residual::kParallelNorms : Residual::kPreNorm;
  block.dropout = dropout;
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, 64, kMaxHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = even_head_dim(fields, spec.hidden, attention.heads);
  const bool has_bias = fields.flag("attention_bias", true);
  attention.has_qkv_bias = attention.has_out_bias = has_bias;
  attention.is_merged = true;
  attention.is_causal = true;
  attention.has_f32_softmax = true;
  attention.rotary_dim = static_cast<std::int64_t>(
      static_cast<double>(attention.head_dim) *
      rotary_fraction(fields, {"rotary_pct", "partial_rotary_factor"}, 0.25));
  check_rotary_dim(fields, attention,
                   {"rope_parameters", "rope_scaling", "rotary_pct", "partial_rotary_factor"});
  attention.dropout = fields.fraction({"attention_dropout"}, 0);
  block.feed_forward.width = fields.count({"intermediate_size"}, 24576, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"hidden_act"}, "gelu");
  block.feed_forward.has_bias = true;
  const std::int64_t layers = fields.count({"num_hidden_layers"}, 44, kMaxLayers);
  spec.stacks = {decoder_stack({{block, layers}}, true)};
  spec.head = causal_head(fields, false, false);
  return spec;
}

}  // namespace phaze::models
