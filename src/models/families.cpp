// Keys, defaults and shapes are those of the library's configuration and model classes
// (transformers 4.57 and 5.22), checked against it case by case in tests/reference.
#include "models/families.h"

#include "base/text.h"

namespace phaze::models {
namespace {

using enum HeadKind;

Family bert_family(const std::string& prefix, const std::string& causal,
                   ModelSpec (*read)(Fields&)) {
  return {{{prefix + "ForMaskedLM", kVocabulary},
           {causal, kVocabulary},
           {prefix + "Model", kPooler},
           {prefix + "ForPreTraining", kPreTraining},
           {prefix + "ForNextSentencePrediction", kNextSentence},
           {prefix + "ForSequenceClassification", kSequenceClasses},
           {prefix + "ForMultipleChoice", kMultipleChoice},
           {prefix + "ForTokenClassification", kTokenClasses},
           {prefix + "ForQuestionAnswering", kAnswerSpanLabels}},
          read};
}

Family decoder_family(const std::string& prefix, ModelSpec (*read)(Fields&)) {
  return {{{prefix + "ForCausalLM", kVocabulary},
           {prefix + "Model", kNothing},
           {prefix + "ForSequenceClassification", kSequenceClasses},
           {prefix + "ForTokenClassification", kTokenClasses},
           {prefix + "ForQuestionAnswering", kAnswerSpan}},
          read};
}

struct ActivationName {
  const char* name;
  Activation activation;
};

constexpr ActivationName kActivations[] = {
    {"gelu", Activation::kGelu},          {"gelu_new", Activation::kGeluNew},
    {"gelu_python", Activation::kGelu},   {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh}, {"quick_gelu", Activation::kQuickGelu},
    {"relu", Activation::kRelu},          {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},         {"tanh", Activation::kTanh},
};

std::int64_t label_count(Fields& fields) {
  const io::Value* labels = fields.find({"id2label"});
  if (labels == nullptr) {
    return fields.count({"num_labels"}, 2, kMaxLabels);
  }
  if (labels->kind != io::ValueKind::kMap || labels->members.empty()) {
    fields.error("id2label", "expected a map from number to name, found " + io::describe(*labels));
    return 2;
  }
  return static_cast<std::int64_t>(labels->members.size());
}

}  // namespace

const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> table = {
      {"bert", bert_family("Bert", "BertLMHeadModel", read_bert)},
      {"megatron-bert", bert_family("MegatronBert", "MegatronBertForCausalLM", read_megatron_bert)},
      {"gpt2",
       {{{"GPT2LMHeadModel", kVocabulary},
         {"GPT2Model", kNothing},
         {"GPT2DoubleHeadsModel", kDoubleHeads},
         {"GPT2ForSequenceClassification", kSequenceClasses},
         {"GPT2ForTokenClassification", kTokenClasses},
         {"GPT2ForQuestionAnswering", kAnswerSpan}},
        read_gpt2}},
      {"opt",
       {{{"OPTForCausalLM", kVocabulary},
         {"OPTModel", kNothing},
         {"OPTForSequenceClassification", kSequenceClasses},
         {"OPTForQuestionAnswering", kAnswerSpan}},
        read_opt}},
      {"llama", decoder_family("Llama", read_llama)},
      {"mistral", decoder_family("Mistral", read_mistral)},
      {"qwen2", decoder_family("Qwen2", read_qwen2)},
      {"mixtral", decoder_family("Mixtral", read_mixtral)},
      {"phi", decoder_family("Phi", read_phi)},
      {"gpt_neox", decoder_family("GPTNeoX", read_gpt_neox)},
      {"t5",
       {{{"T5ForConditionalGeneration", kVocabulary},
         {"T5Model", kNothing},
         {"T5EncoderModel", kEncoderOnly},
         {"T5ForSequenceClassification", kSequenceClasses},
         {"T5ForTokenClassification", kEncoderTokenClasses},
         {"T5ForQuestionAnswering", kAnswerSpanLabels}},
        read_t5}},
      {"vit",
       {{{"ViTForImageClassification", kImageClasses},
         {"ViTModel", kPooler},
         {"ViTForMaskedImageModeling", kImageReconstruction}},
        read_vit}},
  };
  return table;
}

std::optional<Activation> parse_activation(const std::string& name) {
  for (const ActivationName& row : kActivations) {
    if (row.name == name) {
      return row.activation;
    }
  }
  return std::nullopt;
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const ActivationName& row : kActivations) {
    names.emplace_back(row.name);
  }
  return names;
}

Activation read_activation(Fields& fields, const std::vector<std::string>& names,
                           const std::string& fallback) {
  const std::string name = fields.text(names, fallback);
  const std::optional<Activation> activation = parse_activation(name);
  if (!activation) {
    const io::Value* value = fields.find(names);
    fields.diagnostics().error(value->where, "unknown activation \"" + shortened(name) + "\"" +
                                                 did_you_mean(name, activation_names()));
  }
  return activation.value_or(Activation::kGelu);
}

int library_version(Fields& fields) {
  const std::string version = fields.text({"transformers_version"}, "");
  const bool is_old = !version.empty() && version[0] >= '0' && version[0] <= '4' &&
                      (version.size() == 1 || version[1] == '.');
  return is_old ? 4 : 5;
}

std::int64_t even_head_dim(Fields& fields, std::int64_t hidden, std::int64_t heads,
                           const std::vector<std::string>& heads_keys) {
  if (hidden % heads != 0 && fields.are_sound({"hidden_size"}) && fields.are_sound(heads_keys)) {
    fields.error_at_first(heads_keys, "expected a divisor of the hidden size " +
                                          with_thousands(hidden) + ", found " +
                                          with_thousands(heads));
  }
  return std::max<std::int64_t>(1, hidden / heads);
}

void check_kv_heads(Fields& fields, const Attention& attention) {
  if (attention.heads % attention.kv_heads != 0 &&
      fields.are_sound({"num_attention_heads", "num_key_value_heads"})) {
    fields.error("num_key_value_heads", "expected a divisor of the number of heads " +
                                            with_thousands(attention.heads) + ", found " +
                                            with_thousands(attention.kv_heads));
  }
}

void check_rotary_dim(Fields& fields, const Attention& attention,
                      const std::vector<std::string>& keys) {
  if (attention.rotary_dim == 1) {
    fields.error_at_first(keys, "expected at least 2 rotated elements in each head, found 1");
  }
}

void choose_head(Fields& fields, HeadKind kind, ModelSpec& spec) {
  Head& head = spec.head;
  const bool is_vocabulary = kind == kVocabulary || kind == kPreTraining || kind == kDoubleHeads;
  const bool has_pooler = kind == kPooler || kind == kPreTraining || kind == kNextSentence ||
                          kind == kSequenceClasses || kind == kMultipleChoice;
  if (!is_vocabulary) {
    head.vocabulary.reset();
    head.has_transform = false;
    head.has_scaled_output = false;
  }
  if (!has_pooler) {
    head.pooler_width = 0;
  }
  const bool is_bert = spec.family == "bert" || spec.family == "megatron-bert";
  const bool is_t5 = spec.family == "t5";
  switch (kind) {
    case kNothing:
    case kPooler:
    case kVocabulary:
      break;
    case kPreTraining:
    case kNextSentence:
      head.classifiers.push_back({2, true, false, false});
      break;
    case kSequenceClasses:
      head.classifiers.push_back({label_count(fields), is_bert || is_t5, false, is_t5});
      break;
    case kMultipleChoice:
      head.classifiers.push_back({1, true, false, false});
      break;
    case kTokenClasses:
      head.classifiers.push_back({label_count(fields), true, true, false});
      break;
    case kAnswerSpan:
      head.classifiers.push_back({2, true, true, false});
      break;
    case kAnswerSpanLabels:
      head.classifiers.push_back({label_count(fields), true, true, false});
      break;
    case kDoubleHeads:
      if (fields.flag("summary_use_proj", true)) {
        const bool to_labels = fields.flag("summary_proj_to_labels", true);
        head.classifiers.push_back({to_labels ? 1 : spec.hidden, true, false, false});
      }
      break;
    case kImageClasses:
      head.classifiers.push_back({label_count(fields), true, false, false});
      break;
    case kImageReconstruction: {
      const std::int64_t stride = fields.count({"encoder_stride"}, 16, 4096);
      head.classifiers.push_back({stride * stride * spec.embedding.channels, true, true, false});
      head.is_image_reconstruction = true;
      spec.embedding.has_mask_token = true;
      break;
    }
    case kEncoderOnly:
    case kEncoderTokenClasses:
      spec.stacks.resize(1);
      if (kind == kEncoderTokenClasses) {
        head.classifiers.push_back({label_count(fields), true, true, false});
      }
      break;
  }
}

}  // namespace phaze::models
