#pragma once
// One reader per family of the library, and what they share. Inside models/ only.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/fields.h"
#include "models/spec.h"

namespace phaze::models {

// Sizes beyond these are no model that anyone means.
inline constexpr std::int64_t kMaxHidden = std::int64_t{1} << 20;
inline constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
inline constexpr std::int64_t kMaxLayers = 10'000;
inline constexpr std::int64_t kMaxHeads = std::int64_t{1} << 16;
inline constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 28;
inline constexpr std::int64_t kMaxPositions = std::int64_t{1} << 30;
inline constexpr std::int64_t kMaxExperts = std::int64_t{1} << 16;
inline constexpr std::int64_t kMaxLabels = std::int64_t{1} << 24;

// What a class of the library puts on top of the stack.
enum class HeadKind {
  kNothing,
  kPooler,
  kVocabulary,
  kPreTraining,
  kNextSentence,
  kSequenceClasses,
  kTokenClasses,
  kMultipleChoice,
  kAnswerSpan,        // two outputs
  kAnswerSpanLabels,  // as many outputs as labels
  kDoubleHeads,
  kImageClasses,
  kImageReconstruction,
  kEncoderOnly,
  kEncoderTokenClasses,
};

struct Architecture {
  std::string name;
  HeadKind head;
};

struct Family {
  // The first architecture is what a config without `architectures` means.
  std::vector<Architecture> architectures;
  std::function<ModelSpec(Fields&)> read;
};

const std::map<std::string, Family>& families();

// The readers.
ModelSpec read_bert(Fields& fields);
ModelSpec read_megatron_bert(Fields& fields);
ModelSpec read_vit(Fields& fields);
ModelSpec read_gpt2(Fields& fields);
ModelSpec read_opt(Fields& fields);
ModelSpec read_llama(Fields& fields);
ModelSpec read_mistral(Fields& fields);
ModelSpec read_qwen2(Fields& fields);
ModelSpec read_mixtral(Fields& fields);
ModelSpec read_phi(Fields& fields);
ModelSpec read_gpt_neox(Fields& fields);
ModelSpec read_t5(Fields& fields);

// Shared by them.
Activation read_activation(Fields& fields, const std::vector<std::string>& names,
                           const std::string& fallback);
std::optional<Activation> parse_activation(const std::string& name);
std::vector<std::string> activation_names();

// The major version of the library that wrote the file; the newest known when it does not say.
int library_version(Fields& fields);

// hidden / heads; a fault when that leaves a rest. `heads_keys` are the names of the heads' key.
std::int64_t even_head_dim(Fields& fields, std::int64_t hidden, std::int64_t heads,
                           const std::vector<std::string>& heads_keys = {"num_attention_heads"});
void check_kv_heads(Fields& fields, const Attention& attention);
// Elements are rotated in pairs: a single one is a fault, at the first of `keys` that the file has.
void check_rotary_dim(Fields& fields, const Attention& attention,
                      const std::vector<std::string>& keys);

// Puts the head of `kind` on the model. `spec.head` already holds what the family says of the
// vocabulary and of pooling.
void choose_head(Fields& fields, HeadKind kind, ModelSpec& spec);

}  // namespace phaze::models
