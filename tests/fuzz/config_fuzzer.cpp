// A configuration from anywhere: refused with a reason, or built into valid graphs.
#include <sstream>

#include "finding.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/config.h"
#include "report/graph_report.h"

namespace phaze::fuzz {
namespace {

models::BuildOptions choose_build(const models::ModelSpec& spec, Choices& choices) {
  models::BuildOptions options;
  const bool is_vision = spec.embedding.channels > 0;
  constexpr std::int64_t kLengths[] = {1, 8, 64, std::int64_t{1} << 20};
  options.sequence = is_vision ? 0 : kLengths[choices.pick(4)];
  options.decoder_sequence = spec.stacks.size() > 1 ? kLengths[choices.pick(4)] : 0;
  options.microbatch = choices.pick(8) == 0 ? std::int64_t{1} << 30 : 1;
  const std::vector<std::int64_t> widths = models::tensor_widths(spec);
  options.tensor_width = choices.flip() ? widths[choices.pick(widths.size())] : 1;
  options.sequence_parallel = choices.flip();
  options.expand_kv = choices.flip();
  options.attention =
      choices.flip() ? models::AttentionMode::kEager : models::AttentionMode::kFlash;
  options.execution = choices.flip() ? models::Execution::kEager : models::Execution::kFused;
  return options;
}

graph::TrainingOptions choose_training(Choices& choices) {
  graph::TrainingOptions options;
  constexpr std::string_view kPolicies[] = {"none", "selective", "full", "norms+activations"};
  options.recompute = *graph::parse_recompute_policy(kPolicies[choices.pick(4)]);
  options.optimizer = choices.flip() ? graph::OptimizerKind::kAdam : graph::OptimizerKind::kSgd;
  options.fusion = choices.flip() ? graph::Fusion::kFull : graph::Fusion::kNone;
  return options;
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "config.json", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const io::Value* wrapped = document->find("config");  // in a file of a built-in model
  const auto spec = models::read_config(wrapped != nullptr ? *wrapped : *document, diagnostics);
  expect_reasons(spec.has_value(), diagnostics);
  if (!spec) {
    return;
  }
  expect(models::count_parameters(*spec) > 0, "a model without parameters");
  Choices choices(text);
  const models::BuildOptions build = choose_build(*spec, choices);
  const auto model = models::build_model(*spec, build, diagnostics);
  expect_reasons(model.has_value(), diagnostics);
  if (!model) {
    return;
  }
  expect_valid(*model);
  const graph::Model training = graph::to_training(*model, choose_training(choices));
  expect_valid(training);
  if (choices.pick(8) == 0) {  // takes longer than all the rest
    expect_round_trip(training);
  }
  expect(!report::graph_tables(training).empty() && !report::graph_dot(training).empty(),
         "an empty report");
}

}  // namespace

// What a configuration may say.
std::vector<std::string> words() {
  std::vector<std::string> words = models::family_names();
  std::istringstream more(
      "_remove_final_layer_norm activation_function add_cross_attention architectures "
      "attention_bias attention_dropout d_ff d_kv d_model do_layer_norm_before enable_bias "
      "encoder_stride feed_forward_proj ffn_dim head_dim hidden_act hidden_size id2label "
      "image_size intermediate_size is_decoder layer_norm_elementwise_affine "
      "max_position_embeddings max_window_layers mlp_bias model_type n_embd n_head n_inner "
      "n_layer n_positions num_attention_heads num_channels num_decoder_layers "
      "num_experts_per_tok num_heads num_hidden_layers num_key_value_heads num_labels "
      "num_layers num_local_experts partial_rotary_factor patch_size pooler_output_size "
      "qk_layernorm qkv_bias relative_attention_num_buckets rope_parameters rotary_pct "
      "sliding_window summary_proj_to_labels summary_use_proj tie_word_embeddings "
      "transformers_version type_vocab_size use_parallel_residual use_sliding_window "
      "vocab_size word_embed_proj_dim gelu_new gated-silu BertForPreTraining "
      "GPT2DoubleHeadsModel LlamaForTokenClassification OPTForQuestionAnswering "
      "T5EncoderModel T5ForTokenClassification ViTForMaskedImageModeling ");
  for (std::string word; more >> word;) {
    words.push_back(word);
  }
  return words;
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
