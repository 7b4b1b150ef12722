// A model as Megatron's arguments.
#include "base/text.h"
#include "launch/megatron_model.h"

namespace phaze::launch {
namespace {

using models::Activation;
using models::Attention;
using models::Block;
using models::ModelSpec;
using models::NormKind;
using models::Residual;

bool is_gelu(Activation activation) {
  return activation == Activation::kGelu || activation == Activation::kGeluNew ||
         activation == Activation::kGeluTanh;
}

class Writer {
 public:
  Writer(const ModelSpec& spec, std::vector<std::string>& left_out)
      : spec_(spec), left_out_(left_out) {}

  OptionList write(std::int64_t sequence) {
    const bool is_decoder = spec_.stacks.size() == 1 && !spec_.stacks[0].runs.empty() &&
                            spec_.stacks[0].runs[0].block.attention.is_causal &&
                            !spec_.stacks[0].runs[0].block.has_cross_attention &&
                            spec_.embedding.vocabulary > 0 && spec_.head.vocabulary.has_value();
    if (!is_decoder) {
      leave_out("the model's shape: pretrain_gpt.py trains decoders with a vocabulary only");
      return {};
    }
    std::int64_t layers = 0;
    bool has_one_window = true;
    for (const models::Run& run : spec_.stacks[0].runs) {
      layers += run.count;
      has_one_window = has_one_window && run.block.attention.window == block().attention.window;
    }
    add("--num-layers", std::to_string(layers));
    add("--hidden-size", std::to_string(spec_.hidden));
    add("--ffn-hidden-size", std::to_string(block().feed_forward.width));
    add("--seq-length", std::to_string(sequence));
    write_attention(has_one_window);
    write_positions(sequence);
    write_norm();
    write_feed_forward();
    write_biases();
    write_vocabulary();
    add("--attention-dropout", shortest(block().attention.dropout));
    add("--hidden-dropout", shortest(block().dropout));
    if (spec_.embedding.dropout != block().dropout) {
      leave_out("the dropout of embeddings, " + shortest(spec_.embedding.dropout) +
                ": Megatron has one with that of layers");
    }
    return std::move(options_);
  }

 private:
  const Block& block() const { return spec_.stacks[0].runs[0].block; }
  void add(const std::string& name, const std::string& value = "") {
    options_.emplace_back(name, value);
  }
  void leave_out(const std::string& what) { left_out_.push_back(what); }

  void write_attention(bool has_one_window) {
    const Attention& attention = block().attention;
    add("--num-attention-heads", std::to_string(attention.heads));
    if (attention.head_dim * attention.heads != spec_.hidden) {
      add("--kv-channels", std::to_string(attention.head_dim));
    }
    if (attention.kv_heads != attention.heads) {
      add("--group-query-attention");
      add("--num-query-groups", std::to_string(attention.kv_heads));
    }
    if (!has_one_window) {
      leave_out("windows of attention that differ from layer to layer");
    } else if (attention.window > 0) {
      // Keys before a query's own; none after it.
      add("--window-size", std::to_string(attention.window - 1) + ",0");
    }
    if (attention.qk_norm_width > 0) {
      leave_out("norms on each head's query and key");
    }
  }

  void write_positions(std::int64_t sequence) {
    const Attention& attention = block().attention;
    const bool is_learned = spec_.embedding.positions > 0;
    add("--position-embedding-type", attention.rotary_dim > 0 ? "rope"
                                     : is_learned             ? "learned_absolute"
                                                              : "none");
    add("--max-position-embeddings",
        std::to_string(is_learned ? spec_.embedding.positions : sequence));
    if (attention.rotary_dim > 0 && attention.rotary_dim < attention.head_dim) {
      add("--rotary-percent", shortest(static_cast<double>(attention.rotary_dim) /
                                       static_cast<double>(attention.head_dim)));
    }
    if (attention.rotary_dim > 0 && is_learned) {
      leave_out("learned positions beside rotated ones");
    }
    if (spec_.embedding.token_types > 0 || spec_.embedding.has_norm) {
      leave_out("token types and the norm of embeddings");
    }
  }

  void write_norm() {
    add("--normalization", block().norm.kind == NormKind::kRmsNorm ? "RMSNorm" : "LayerNorm");
    if (block().residual != Residual::kPreNorm) {
      leave_out("the order of norms and residuals: Megatron's layers have their norms in front");
    }
  }

  void write_feed_forward() {
    const models::FeedForward& part = block().feed_forward;
    if (part.is_gated && part.activation == Activation::kSilu) {
      add("--swiglu");
    } else if (part.is_gated && part.activation == Activation::kQuickGelu) {
      add("--quick-geglu");
    } else if (part.is_gated || !is_gelu(part.activation)) {
      leave_out("the feed-forward part's activation: Megatron has GELU and SwiGLU");
    }
    if (part.experts > 0) {
      add("--num-experts", std::to_string(part.experts));
      add("--moe-router-topk", std::to_string(part.experts_per_token));
    }
  }

  void write_biases() {
    const bool has_others = block().attention.has_out_bias;
    if (has_others != block().feed_forward.has_bias ||
        (has_others && !block().attention.has_qkv_bias)) {
      leave_out("biases that some of a layer's products have and others have not");
      return;
    }
    if (!has_others) {
      add("--disable-bias-linear");
      if (block().attention.has_qkv_bias) {
        add("--add-qkv-bias");
      }
    }
  }

  void write_vocabulary() {
    add("--vocab-size", std::to_string(spec_.embedding.vocabulary));
    add("--make-vocab-size-divisible-by", "1");
    if (!spec_.head.vocabulary->is_tied) {
      add("--untie-embeddings-and-output-weights");
    }
    if (spec_.embedding.width != spec_.hidden) {
      leave_out("embeddings that are narrower than the model");
    }
    if (spec_.head.vocabulary->has_bias || spec_.head.has_transform) {
      leave_out("what is between the last layer and the vocabulary");
    }
  }

  const ModelSpec& spec_;
  std::vector<std::string>& left_out_;
  OptionList options_;
};

}  // namespace

OptionList model_options(const ModelSpec& spec, std::int64_t sequence,
                         std::vector<std::string>& left_out) {
  return Writer(spec, left_out).write(sequence);
}

}  // namespace phaze::launch
