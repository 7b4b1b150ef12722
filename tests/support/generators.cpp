#include "support/generators.h"

#include <ostream>

#include "models/families.h"

namespace phaze::tests {

using models::BuildOptions;

namespace {

std::int64_t pick(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}

bool flip() { return *rc::gen::arbitrary<bool>(); }

template <class T>
T one_of(std::vector<T> values) {
  return *rc::gen::elementOf(std::move(values));
}

// Lines of a configuration.
class Lines {
 public:
  explicit Lines(const std::string& family) { text_ = "model_type: " + family + "\n"; }
  void add(const std::string& key, const std::string& value) { text_ += key + ": " + value + "\n"; }
  void add(const std::string& key, std::int64_t value) { add(key, std::to_string(value)); }
  void flag(const std::string& key) { add(key, flip() ? "true" : "false"); }
  void dropout(const std::string& key) { add(key, flip() ? "0.1" : "0.0"); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What all families have in some form; even numbers often, so that there are widths to split by.
struct Sizes {
  std::int64_t kv_heads = pick(1, 2) * one_of<std::int64_t>({1, 2, 2});
  std::int64_t heads = kv_heads * pick(1, 3);
  std::int64_t head_dim = one_of<std::int64_t>({4, 8});
  std::int64_t hidden = heads * head_dim;
  std::int64_t width = heads * pick(1, 4);
  std::int64_t vocabulary = heads * pick(1, 4);
  std::int64_t layers = pick(1, 3);
};

void add_llama_keys(Lines& lines, const Sizes& sizes, const std::string& family) {
  const bool has_head_dim = flip();
  lines.add("hidden_size", has_head_dim ? pick(1, 40) : sizes.hidden);
  if (has_head_dim) {
    lines.add("head_dim", sizes.head_dim);
  }
  lines.add("num_attention_heads", sizes.heads);
  lines.add("num_key_value_heads", sizes.kv_heads);
  lines.add("intermediate_size", sizes.width);
  lines.add("vocab_size", sizes.vocabulary);
  lines.add("num_hidden_layers", sizes.layers);
  lines.dropout("attention_dropout");
  lines.flag("tie_word_embeddings");
  lines.add("hidden_act", one_of<std::string>({"silu", "gelu", "relu", "quick_gelu"}));
  if (family == "llama") {
    lines.flag("attention_bias");
    lines.flag("mlp_bias");
  } else if (family == "mixtral") {
    const std::int64_t experts = pick(1, 6);
    lines.add("num_local_experts", experts);
    lines.add("num_experts_per_tok", pick(1, experts));
  }
  if (family != "llama") {
    lines.add("sliding_window", flip() ? "null" : std::to_string(pick(1, 30)));
  }
  if (family == "qwen2") {
    lines.flag("use_sliding_window");
    lines.add("max_window_layers", pick(0, 4));
  }
}

void add_encoder_keys(Lines& lines, const Sizes& sizes) {
  lines.add("hidden_size", sizes.hidden);
  lines.add("num_attention_heads", sizes.heads);
  lines.add("intermediate_size", sizes.width);
  lines.add("num_hidden_layers", sizes.layers);
  lines.add("hidden_act", one_of<std::string>({"gelu", "gelu_new", "relu"}));
  lines.dropout("hidden_dropout_prob");
  lines.dropout("attention_probs_dropout_prob");
}

void add_family_keys(Lines& lines, const Sizes& sizes, const std::string& family) {
  if (family == "bert" || family == "megatron-bert") {
    add_encoder_keys(lines, sizes);
    lines.add("vocab_size", sizes.vocabulary);
    lines.add("max_position_embeddings", 64);
    lines.flag("tie_word_embeddings");
    lines.flag("is_decoder");
    lines.flag("add_cross_attention");
  } else if (family == "vit") {
    add_encoder_keys(lines, sizes);
    lines.flag("qkv_bias");
    lines.add("image_size", "[" + std::to_string(pick(4, 12)) + ", 8]");
    lines.add("patch_size", one_of<std::int64_t>({2, 3, 4}));
    lines.add("encoder_stride", 2);
  } else if (family == "gpt2") {
    lines.add("n_embd", sizes.hidden);
    lines.add("n_head", sizes.heads);
    lines.add("n_inner", sizes.width);
    lines.add("n_layer", sizes.layers);
    lines.add("vocab_size", sizes.vocabulary);
    lines.add("n_positions", 64);
    lines.dropout("attn_pdrop");
    lines.dropout("resid_pdrop");
    lines.flag("add_cross_attention");
    lines.add("activation_function", one_of<std::string>({"gelu_new", "gelu", "relu"}));
  } else if (family == "opt") {
    lines.add("hidden_size", sizes.hidden);
    lines.add("num_attention_heads", sizes.heads);
    lines.add("ffn_dim", sizes.width);
    lines.add("num_hidden_layers", sizes.layers);
    lines.add("vocab_size", sizes.vocabulary);
    lines.add("max_position_embeddings", 64);
    lines.add("word_embed_proj_dim", flip() ? sizes.hidden : pick(1, 20));
    lines.dropout("dropout");
    lines.dropout("attention_dropout");
    lines.flag("do_layer_norm_before");
    lines.flag("enable_bias");
    lines.flag("layer_norm_elementwise_affine");
  } else if (family == "phi" || family == "gpt_neox") {
    lines.add("hidden_size", sizes.hidden);
    lines.add("num_attention_heads", sizes.heads);
    lines.add("intermediate_size", sizes.width);
    lines.add("num_hidden_layers", sizes.layers);
    lines.add("vocab_size", sizes.vocabulary);
    lines.dropout("attention_dropout");
    lines.add("partial_rotary_factor", one_of<std::string>({"0.5", "1.0", "0.0"}));
    if (family == "phi") {
      lines.add("num_key_value_heads", sizes.kv_heads);
      lines.flag("qk_layernorm");
      lines.dropout("resid_pdrop");
    } else {
      lines.flag("use_parallel_residual");
      lines.flag("attention_bias");
      lines.dropout("hidden_dropout");
    }
  } else if (family == "t5") {
    lines.add("d_model", pick(1, 40));
    lines.add("num_heads", sizes.heads);
    lines.add("d_kv", sizes.head_dim);
    lines.add("d_ff", sizes.width);
    lines.add("num_layers", sizes.layers);
    lines.add("num_decoder_layers", pick(1, 3));
    lines.add("vocab_size", sizes.vocabulary);
    lines.add("relative_attention_num_buckets", pick(1, 8));
    lines.dropout("dropout_rate");
    lines.flag("tie_word_embeddings");
    lines.add("feed_forward_proj",
              one_of<std::string>({"relu", "gated-gelu", "gated-silu", "gelu"}));
  } else {
    add_llama_keys(lines, sizes, family);
  }
}

}  // namespace

rc::Gen<std::string> any_config() {
  return rc::gen::exec([] {
    std::vector<std::string> names;
    for (const auto& [name, family] : models::families()) {
      names.push_back(name);
    }
    const std::string family = one_of(names);
    std::vector<std::string> architectures;
    for (const models::Architecture& each : models::families().at(family).architectures) {
      architectures.push_back(each.name);
    }
    Lines lines(family);
    lines.add("architectures", "[" + one_of(architectures) + "]");
    lines.add("num_labels", pick(1, 5));
    add_family_keys(lines, Sizes{}, family);
    return lines.text();
  });
}

rc::Gen<BuildOptions> options_for(const models::ModelSpec& spec) {
  return rc::gen::exec([spec] {
    BuildOptions options;
    options.tensor_width = one_of(models::tensor_widths(spec));
    const bool is_vision = spec.embedding.channels > 0;
    const std::int64_t most = std::max<std::int64_t>(1, 40 / options.tensor_width);
    options.sequence = is_vision ? 0 : pick(1, most) * options.tensor_width;
    if (spec.stacks.size() > 1 && flip()) {
      options.decoder_sequence = pick(1, most) * options.tensor_width;
    }
    options.microbatch = pick(1, 3);
    options.sequence_parallel =
        flip() && (!is_vision || spec.default_sequence % options.tensor_width == 0);
    options.expand_kv = flip();
    options.attention = one_of<models::AttentionMode>(
        {models::AttentionMode::kFlash, models::AttentionMode::kEager});
    options.execution =
        one_of<models::Execution>({models::Execution::kFused, models::Execution::kEager});
    options.precision = one_of<graph::Precision>(
        {graph::Precision::kMixed, graph::Precision::kBf16, graph::Precision::kF32});
    return options;
  });
}

rc::Gen<graph::TrainingOptions> any_training() {
  return rc::gen::exec([] {
    graph::TrainingOptions options;
    options.precision = one_of<graph::Precision>(
        {graph::Precision::kMixed, graph::Precision::kBf16, graph::Precision::kF32});
    options.optimizer =
        one_of<graph::OptimizerKind>({graph::OptimizerKind::kAdam, graph::OptimizerKind::kSgd});
    options.fusion = one_of<graph::Fusion>(
        {graph::Fusion::kNone, graph::Fusion::kElementwise, graph::Fusion::kFull});
    options.recompute = *graph::parse_recompute_policy(
        one_of<std::string>({"none", "selective", "full", "norms", "activations",
                             "norms+activations", "attention+norms+activations"}));
    return options;
  });
}

}  // namespace phaze::tests

namespace phaze::models {

void showValue(const BuildOptions& o, std::ostream& out) {
  out << "sequence " << o.sequence << ", decoder " << o.decoder_sequence << ", microbatch "
      << o.microbatch << ", width " << o.tensor_width
      << (o.sequence_parallel ? ", sequence parallel" : "") << (o.expand_kv ? ", expand" : "")
      << ", attention " << to_string(o.attention) << ", execution " << to_string(o.execution)
      << ", " << graph::to_string(o.precision);
}

}  // namespace phaze::models

namespace phaze::graph {

void showValue(const TrainingOptions& o, std::ostream& out) {
  out << to_string(o.precision) << ", " << to_string(o.optimizer) << ", recompute "
      << to_string(o.recompute) << ", fusion " << to_string(o.fusion);
}

}  // namespace phaze::graph
