#pragma once
// A transformer as plain numbers and choices: all that is needed to build its graph, whatever file
// or library described it. Families differ only in what they put here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phaze::models {

enum class NormKind { kLayerNorm, kRmsNorm };

struct Norm {
  NormKind kind = NormKind::kLayerNorm;
  bool has_weight = true;
  bool has_bias = true;
  // T5 multiplies the input itself, not its fp32 copy; it shows in what eager execution saves.
  bool keeps_input = false;
};

enum class Activation { kGelu, kGeluNew, kGeluTanh, kQuickGelu, kRelu, kSilu, kTanh };

enum class ScorePlace { kScores, kQuery, kNowhere };  // where 1/sqrt(head_dim) is multiplied

struct Attention {
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;
  bool has_qkv_bias = false, has_out_bias = false;
  bool is_merged = false;  // one product makes q, k and v
  bool is_causal = false;
  std::int64_t window = 0;         // keys a query sees at most; 0: all before it
  std::int64_t rotary_dim = 0;     // elements of a head that are rotated by position
  std::int64_t qk_norm_width = 0;  // LayerNorm on each head's q and k; 0: none
  bool has_relative_bias = false;  // T5: a learned bias on the scores
  bool has_f32_softmax = false;    // eager: softmax in fp32, cast back
  ScorePlace scale = ScorePlace::kScores;
  double dropout = 0;
};

struct FeedForward {
  std::int64_t width = 0;
  Activation activation = Activation::kGelu;
  bool is_gated = false;
  bool has_bias = false;
  double inner_dropout = 0;  // between activation and the second product (T5)
  std::int64_t experts = 0;  // 0: dense
  std::int64_t experts_per_token = 0;
};

enum class Residual {
  kPreNorm,        // x + f(norm(x)), twice
  kPostNorm,       // norm(x + f(x)), twice
  kParallel,       // x + attention(norm(x)) + mlp(norm(x)), one norm
  kParallelNorms,  // x + attention(norm1(x)) + mlp(norm2(x))
};

struct Block {
  Residual residual = Residual::kPreNorm;
  Norm norm;
  Attention attention;
  bool has_cross_attention = false;
  FeedForward feed_forward;
  double dropout = 0;  // after attention and after the feed-forward part
};

// Equal layers in a row.
struct Run {
  Block block;
  std::int64_t count = 0;
};

// Tokens to vectors, or an image to vectors.
struct Embedding {
  std::int64_t vocabulary = 0;
  std::int64_t width = 0;      // of a row of the table; projected to hidden when different
  std::int64_t positions = 0;  // rows of the learned position table; 0: none
  std::int64_t token_types = 0;
  bool has_norm = false;
  double dropout = 0;
  // Vision: patches of an image in place of tokens.
  std::int64_t image_height = 0, image_width = 0, patch_height = 0, patch_width = 0, channels = 0;
  bool has_mask_token = false;
};

struct Stack {
  std::string name;  // "decoder", "encoder"
  std::vector<Run> runs;
  std::int64_t relative_buckets = 0;  // rows of the relative-position table in its first layer
  bool has_final_norm = false;
  double final_dropout = 0;
};

struct VocabularyProjection {
  bool is_tied = true;
  bool has_bias = false;
  std::int64_t unused_biases = 0;  // parameters that the library keeps and never uses
};

// A small matrix at the end: classes, answer spans, pixels.
struct Classifier {
  std::int64_t outputs = 0;
  bool has_bias = true;
  bool is_per_token = false;
  bool has_dense = false;  // hidden x hidden and tanh before it (T5)
};

struct Head {
  std::int64_t pooler_width = 0;  // hidden x width and tanh on the first token; 0: none
  bool has_transform = false;     // dense, activation, norm before the vocabulary (BERT)
  Activation transform_activation = Activation::kGelu;
  bool has_scaled_output = false;  // T5 scales by 1/sqrt(hidden) before a tied projection
  std::optional<VocabularyProjection> vocabulary;
  std::vector<Classifier> classifiers;
  bool has_f32_loss = false;  // the library casts logits to fp32 before the loss
  bool is_image_reconstruction = false;
};

struct ModelSpec {
  std::string name;
  std::string family;        // model_type of the config
  std::string architecture;  // class of the library
  std::string source;        // where the figures come from
  std::int64_t hidden = 0;
  std::int64_t default_sequence = 0;
  std::int64_t longest_sequence = 0;  // of learned positions; 0: no limit
  Norm norm;                          // of embeddings, stacks' ends and the head
  Embedding embedding;
  std::vector<Stack> stacks;  // one, or encoder and decoder
  Head head;
};

}  // namespace phaze::models
