// Encoder families: bert, megatron-bert, vit; and t5, which is both.
#include "base/text.h"
#include "models/families.h"

namespace phaze::models {
namespace {

ModelSpec read_bert_like(Fields& fields, std::int64_t vocabulary, std::int64_t hidden,
                         std::int64_t layers, std::int64_t heads, std::int64_t intermediate) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, hidden, kMaxHidden);
  const double dropout = fields.fraction({"hidden_dropout_prob"}, 0.1);
  Embedding& embedding = spec.embedding;
  embedding.vocabulary = fields.count({"vocab_size"}, vocabulary, kMaxVocabulary);
  embedding.width = spec.hidden;
  embedding.positions = fields.count({"max_position_embeddings"}, 512, kMaxPositions);
  embedding.token_types = fields.count({"type_vocab_size"}, 2, kMaxVocabulary);
  embedding.dropout = dropout;
  spec.default_sequence = embedding.positions;
  spec.longest_sequence = embedding.positions;
  const std::string positions = fields.text({"position_embedding_type"}, "absolute");
  if (positions != "absolute") {
    fields.error("position_embedding_type",
                 "expected \"absolute\", found \"" + positions + "\" (not supported)");
  }

  Block block;
  block.has_cross_attention = fields.flag("add_cross_attention", false);
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, heads, kMaxHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = even_head_dim(fields, spec.hidden, attention.heads);
  attention.has_qkv_bias = attention.has_out_bias = true;
  attention.is_causal = fields.flag("is_decoder", false);
  attention.dropout = fields.fraction({"attention_probs_dropout_prob"}, 0.1);
  block.dropout = dropout;
  block.feed_forward.width = fields.count({"intermediate_size"}, intermediate, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"hidden_act"}, "gelu");
  block.feed_forward.has_bias = true;
  const std::int64_t count = fields.count({"num_hidden_layers"}, layers, kMaxLayers);
  spec.stacks = {{"encoder", {{block, count}}, 0, false, 0}};

  Head& head = spec.head;
  const bool is_tied = fields.flag("tie_word_embeddings", true);
  head.vocabulary = VocabularyProjection{is_tied, true, 0};
  if (!is_tied && library_version(fields) >= 5) {
    // Version 5 keeps the bias that only a tied head uses as a parameter of its own.
    head.vocabulary->unused_biases = embedding.vocabulary;
  }
  head.has_transform = true;
  head.transform_activation = block.feed_forward.activation;
  head.pooler_width = spec.hidden;
  return spec;
}

// A size as one number or as [height, width].
std::pair<std::int64_t, std::int64_t> read_size(Fields& fields, const std::string& key,
                                                std::int64_t fallback) {
  constexpr std::int64_t kMaxSide = 65536;
  const io::Value* value = fields.find({key});
  if (value == nullptr || value->kind != io::ValueKind::kList) {
    const std::int64_t side = fields.count({key}, fallback, kMaxSide);
    return {side, side};
  }
  const auto is_side = [](const io::Value& item) {
    return item.kind == io::ValueKind::kInteger && item.integer >= 1 && item.integer <= kMaxSide;
  };
  if (value->items.size() != 2 || !is_side(value->items[0]) || !is_side(value->items[1])) {
    fields.error(key, "expected a size such as 224 or [224, 224]");
    return {fallback, fallback};
  }
  return {value->items[0].integer, value->items[1].integer};
}

}  // namespace

ModelSpec read_bert(Fields& fields) {
  ModelSpec spec = read_bert_like(fields, 30522, 768, 12, 12, 3072);
  spec.embedding.has_norm = true;
  spec.stacks[0].runs[0].block.residual = Residual::kPostNorm;
  return spec;
}

ModelSpec read_megatron_bert(Fields& fields) {
  ModelSpec spec = read_bert_like(fields, 29056, 1024, 24, 16, 4096);
  spec.stacks[0].has_final_norm = true;
  return spec;
}

ModelSpec read_vit(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size"}, 768, kMaxHidden);
  Embedding& embedding = spec.embedding;
  std::tie(embedding.image_height, embedding.image_width) = read_size(fields, "image_size", 224);
  std::tie(embedding.patch_height, embedding.patch_width) = read_size(fields, "patch_size", 16);
  embedding.channels = fields.count({"num_channels"}, 3, 65536);
  embedding.width = spec.hidden;
  const std::int64_t patches = (embedding.image_height / embedding.patch_height) *
                               (embedding.image_width / embedding.patch_width);
  if (patches == 0) {
    fields.error("patch_size", "expected a patch that fits into the image");
  }
  embedding.positions = patches + 1;
  spec.default_sequence = embedding.positions;
  spec.longest_sequence = embedding.positions;
  const double dropout = fields.fraction({"hidden_dropout_prob"}, 0);
  embedding.dropout = dropout;

  Block block;
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads"}, 12, kMaxHeads);
  attention.kv_heads = attention.heads;
  std::optional<std::int64_t> head_dim;
  if (library_version(fields) >= 5) {
    head_dim = fields.optional_count({"head_dim"}, kMaxHidden);
  }
  attention.head_dim = head_dim ? *head_dim : even_head_dim(fields, spec.hidden, attention.heads);
  attention.has_qkv_bias = fields.flag("qkv_bias", true);
  attention.has_out_bias = true;
  attention.has_f32_softmax = true;
  attention.dropout = fields.fraction({"attention_probs_dropout_prob"}, 0);
  block.dropout = dropout;
  block.feed_forward.width = fields.count({"intermediate_size"}, 3072, kMaxWidth);
  block.feed_forward.activation = read_activation(fields, {"hidden_act"}, "gelu");
  block.feed_forward.has_bias = true;
  const std::int64_t layers = fields.count({"num_hidden_layers"}, 12, kMaxLayers);
  spec.stacks = {{"encoder", {{block, layers}}, 0, true, 0}};
  spec.head.pooler_width = fields.count({"pooler_output_size"}, spec.hidden, kMaxHidden);
  return spec;
}

ModelSpec read_t5(Fields& fields) {
  ModelSpec spec;
  spec.hidden = fields.count({"hidden_size", "d_model"}, 512, kMaxHidden);
  spec.norm = {NormKind::kRmsNorm, true, false, true};
  spec.embedding.vocabulary = fields.count({"vocab_size"}, 32128, kMaxVocabulary);
  spec.embedding.width = spec.hidden;
  const double dropout = fields.fraction({"dropout_rate"}, 0.1);
  spec.embedding.dropout = dropout;
  spec.default_sequence = fields.count({"n_positions"}, 512, kMaxPositions);

  Block block;
  block.norm = spec.norm;
  Attention& attention = block.attention;
  attention.heads = fields.count({"num_attention_heads", "num_heads"}, 8, kMaxHeads);
  attention.kv_heads = attention.heads;
  attention.head_dim = fields.count({"head_dim", "d_kv"}, 64, kMaxHidden);
  attention.has_relative_bias = true;
  attention.scale = ScorePlace::kNowhere;
  attention.dropout = dropout;
  block.dropout = dropout;
  block.feed_forward.width = fields.count({"d_ff"}, 2048, kMaxWidth);
  block.feed_forward.inner_dropout = dropout;
  // "relu", "gated-gelu" (which means gelu_new), "gated-silu", ...
  std::string projection = fields.text({"feed_forward_proj"}, "relu");
  const std::string gated = "gated-";
  if (projection.starts_with(gated)) {
    block.feed_forward.is_gated = true;
    projection = projection.substr(gated.size());
    projection = projection == "gelu" ? "gelu_new" : projection;
  }
  const std::optional<Activation> activation = parse_activation(projection);
  if (!activation) {
    fields.error("feed_forward_proj", "unknown activation \"" + shortened(projection) + "\"" +
                                          did_you_mean(projection, activation_names()));
  }
  block.feed_forward.activation = activation.value_or(Activation::kRelu);

  const std::int64_t own_layers = fields.count({"num_layers"}, 6, kMaxLayers);
  const std::int64_t layers = fields.count({"num_hidden_layers"}, own_layers, kMaxLayers);
  const std::int64_t decoder_layers = fields.count({"num_decoder_layers"}, own_layers, kMaxLayers);
  const std::int64_t buckets = fields.count({"relative_attention_num_buckets"}, 32, kMaxPositions);
  Block decoder = block;
  decoder.attention.is_causal = true;
  decoder.has_cross_attention = true;
  spec.stacks = {{"encoder", {{block, layers}}, buckets, true, dropout},
                 {"decoder", {{decoder, decoder_layers}}, buckets, true, dropout}};
  const bool is_tied = fields.flag("tie_word_embeddings", true);
  spec.head.vocabulary = VocabularyProjection{is_tied, false, 0};
  spec.head.has_scaled_output = is_tied;
  return spec;
}

}  // namespace phaze::models
