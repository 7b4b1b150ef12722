// What is built: shapes on one device, attention in its forms, experts, stacks.
#include "models/build.h"

#include <gtest/gtest.h>

#include "graph/summary.h"
#include "support/configs.h"
#include "support/layers.h"

namespace phaze::models {
namespace {

using graph::AttentionShape;
using graph::OpKind;
using graph::Pass;
using graph::ProductShape;
using graph::Shape;
using tests::build;
using tests::has_op;
using tests::layer_of;
using tests::Names;
using tests::op_of;
using tests::small_config;
using tests::spec_of;
using tests::tensor_of;

Names layer_names(const graph::Model& model) {
  Names names;
  for (const graph::Layer& layer : model.layers) {
    names.push_back(layer.name + " x " + std::to_string(layer.repeat));
  }
  return names;
}

BuildOptions sized(std::int64_t sequence, std::int64_t width = 1, std::int64_t microbatch = 1) {
  BuildOptions options;
  options.sequence = sequence;
  options.tensor_width = width;
  options.microbatch = microbatch;
  return options;
}

TEST(BuildNames, ReadBack) {
  for (const AttentionMode mode : {AttentionMode::kFlash, AttentionMode::kEager}) {
    EXPECT_EQ(parse_attention(to_string(mode)), mode);
  }
  for (const Execution execution : {Execution::kFused, Execution::kEager}) {
    EXPECT_EQ(parse_execution(to_string(execution)), execution);
  }
  EXPECT_FALSE(parse_attention("sdpa"));
  EXPECT_FALSE(parse_execution(""));
}

TEST(Build, EqualLayersAreStoredOnce) {
  EXPECT_EQ(layer_names(build(spec_of(small_config("llama")))),
            (Names{"embedding x 1", "decoder x 2", "head x 1"}));
  EXPECT_EQ(layer_names(build(spec_of(small_config("bert", "architectures: [BertModel]")))),
            (Names{"embedding x 1", "encoder x 2", "head x 1"}));
  // No final norm and no head: nothing after the last layer.
  EXPECT_EQ(layer_names(build(spec_of(
                small_config("opt", "architectures: [OPTModel]\ndo_layer_norm_before: false")))),
            (Names{"embedding x 1", "decoder x 2"}));
}

TEST(Build, SaysHowItWasMade) {
  ModelSpec spec = spec_of(small_config("llama"));
  spec.name = "mine";
  BuildOptions options = sized(4, 2, 3);
  options.sequence_parallel = true;
  const graph::Model model = build(spec, options);
  EXPECT_EQ(model.name, "mine");
  EXPECT_EQ(model.sequence, 4);
  EXPECT_EQ(model.microbatch, 3);
  EXPECT_EQ(model.tensor_width, 2);
  EXPECT_EQ(model.parameters, 1352);  // of all devices
  EXPECT_EQ(model.settings.at("sequence_parallel"), "on");
  EXPECT_EQ(model.settings.at("family"), "llama");
  EXPECT_EQ(build(spec).sequence, 6);  // the model's own
  options.tensor_width = 1;            // alone there is nothing to split
  EXPECT_EQ(build(spec, options).settings.at("sequence_parallel"), "off");
}

TEST(Build, OnlyBlocksMayBeRecomputed) {
  const graph::Model model = build(spec_of(small_config("t5")));
  for (const graph::Layer& layer : model.layers) {
    const bool is_block = layer.name.starts_with("encoder") || layer.name.starts_with("decoder");
    const bool is_end = layer.name.ends_with("_end") || layer.name.ends_with("_embedding");
    EXPECT_EQ(layer.can_recompute, is_block && !is_end) << layer.name;
  }
}

// Two devices: heads, feed-forward columns and words are halved; norms are whole.
TEST(Build, ADeviceHoldsItsShare) {
  const graph::Model model = build(spec_of(small_config("llama")), sized(6, 2));
  const graph::Layer& block = layer_of(model, "decoder");
  EXPECT_EQ(tensor_of(block, "q.weight").shape, (Shape{4, 8}));
  EXPECT_EQ(tensor_of(block, "k.weight").shape, (Shape{2, 8}));
  EXPECT_EQ(tensor_of(block, "out.weight").shape, (Shape{8, 4}));
  EXPECT_EQ(tensor_of(block, "gate.weight").shape, (Shape{8, 8}));
  EXPECT_EQ(tensor_of(block, "down.weight").shape, (Shape{8, 8}));
  EXPECT_EQ(tensor_of(block, "norm1.weight").shape, (Shape{8}));
  EXPECT_EQ(tensor_of(layer_of(model, "embedding"), "tokens.weight").shape, (Shape{5, 8}));
  EXPECT_EQ(tensor_of(layer_of(model, "head"), "vocabulary.weight").shape, (Shape{5, 8}));
  EXPECT_EQ(op_of(block, "attention").attention, (AttentionShape{1, 2, 1, 6, 6, 2, true, 0}));
}

TEST(Build, ATensorParallelRegionEndsInAnAllReduce) {
  const graph::Layer block =
      layer_of(build(spec_of(small_config("llama")), sized(6, 2)), "decoder");
  for (const char* name : {"enter_attention", "enter_mlp"}) {
    EXPECT_EQ(op_of(block, name).kind, OpKind::kEnterTensorParallel);
  }
  for (const char* name : {"out.reduce", "down.reduce"}) {
    EXPECT_EQ(op_of(block, name).kind, OpKind::kAllReduce);
    EXPECT_EQ(op_of(block, name).group, 2);
  }
}

// A bias after a split product is added once, when the partial sums have come together.
TEST(Build, ASplitProductsBiasComesAfterTheSum) {
  const graph::Model whole = build(spec_of(small_config("gpt2")), sized(6, 1));
  const graph::Model half = build(spec_of(small_config("gpt2")), sized(6, 2));
  EXPECT_EQ(tests::inputs_of(layer_of(whole, "decoder"), "fc2").size(), 3u);
  EXPECT_EQ(tests::inputs_of(layer_of(half, "decoder"), "fc2").size(), 2u);
  EXPECT_EQ(tests::inputs_of(layer_of(half, "decoder"), "fc2.add_bias"),
            (Names{"fc2.reduce", "fc2.bias"}));
  EXPECT_EQ(tensor_of(layer_of(half, "decoder"), "fc2.bias").shape, (Shape{8}));
}

// Four tokens on two devices: two each outside the regions, four inside.
TEST(Build, SequenceParallelismSplitsTheTokensBetweenRegions) {
  BuildOptions options = sized(4, 2);
  options.sequence_parallel = true;
  const graph::Model model = build(spec_of(small_config("llama")), options);
  const graph::Layer& block = layer_of(model, "decoder");
  EXPECT_EQ(tensor_of(block, "x").shape, (Shape{1, 2, 8}));
  EXPECT_EQ(tensor_of(block, "norm1").shape, (Shape{1, 2, 8}));
  EXPECT_EQ(op_of(block, "enter_attention").kind, OpKind::kAllGather);
  EXPECT_EQ(op_of(block, "enter_attention").region, graph::Region::kRegather);
  EXPECT_EQ(tensor_of(block, "q").shape, (Shape{1, 4, 4}));
  EXPECT_EQ(op_of(block, "out.reduce").kind, OpKind::kReduceScatter);
  EXPECT_EQ(tensor_of(block, "residual1").shape, (Shape{1, 2, 8}));
  // Whole weights see only some tokens: their gradients are added up over the devices.
  EXPECT_EQ(op_of(block, "norm1.weight.everywhere").kind, OpKind::kEnterTensorParallel);
  EXPECT_EQ(tests::faults_of(model), "");
}

// Small heads are not split: they see all tokens on every device.
TEST(Build, SmallHeadsGatherTheSequence) {
  BuildOptions options = sized(4, 2);
  options.sequence_parallel = true;
  const graph::Model model =
      build(spec_of(small_config("bert", "architectures: [BertForTokenClassification]")), options);
  const graph::Layer& head = layer_of(model, "head");
  EXPECT_EQ(op_of(head, "gather_tokens").kind, OpKind::kAllGather);
  EXPECT_EQ(tests::inputs_of(head, "classifier")[0], "gather_tokens");
  EXPECT_EQ(tests::faults_of(model), "");
}

// A 6 x 6 image in patches of 2 x 2 has nine and a class token: ten, five on each device.
TEST(Build, ImagesAreSplitByTokensToo) {
  BuildOptions options = sized(0, 2);
  options.sequence_parallel = true;
  const graph::Model model =
      build(spec_of("model_type: vit\nhidden_size: 8\nnum_attention_heads: 2\n"
                    "intermediate_size: 16\nimage_size: 6\npatch_size: 2\n"),
            options);
  EXPECT_EQ(tensor_of(layer_of(model, "encoder"), "x").shape, (Shape{1, 5, 8}));
  EXPECT_EQ(tests::faults_of(model), "");
}

// Four heads on two key heads: a grouped product keeps K and V as they are.
TEST(Build, GroupedHeadsShareTheirKeys) {
  const ModelSpec spec = spec_of(small_config("llama"));
  BuildOptions options = sized(6);
  const graph::Layer flash = layer_of(build(spec, options), "decoder");
  EXPECT_EQ(op_of(flash, "attention").attention, (AttentionShape{1, 4, 2, 6, 6, 2, true, 0}));
  EXPECT_FALSE(has_op(flash, "k.expand"));
  options.attention = AttentionMode::kEager;
  const graph::Layer grouped = layer_of(build(spec, options), "decoder");
  EXPECT_EQ(op_of(grouped, "scores").product, (ProductShape{2, 12, 6, 2}));
  EXPECT_EQ(op_of(grouped, "context").product, (ProductShape{2, 12, 2, 6}));
  EXPECT_FALSE(has_op(grouped, "k.expand"));
}

TEST(Build, ExpandedKeysAreCopiedToAllHeads) {
  const ModelSpec spec = spec_of(small_config("llama"));
  BuildOptions options = sized(6);
  options.expand_kv = true;
  const graph::Layer flash = layer_of(build(spec, options), "decoder");
  EXPECT_EQ(op_of(flash, "attention").attention, (AttentionShape{1, 4, 4, 6, 6, 2, true, 0}));
  EXPECT_EQ(tensor_of(flash, "k.expand").shape, (Shape{1, 6, 8}));
  options.attention = AttentionMode::kEager;
  for (const Execution execution : {Execution::kFused, Execution::kEager}) {
    options.execution = execution;
    const graph::Layer eager = layer_of(build(spec, options), "decoder");
    EXPECT_EQ(op_of(eager, "scores").product, (ProductShape{4, 6, 6, 2}));
    EXPECT_EQ(tests::faults_of(eager), "");
  }
  // Nothing to expand where every head has its keys.
  EXPECT_FALSE(
      has_op(layer_of(build(spec_of(small_config("gpt2")), options), "decoder"), "k.expand"));
}

// A window shorter than the sequence is a mask to the library, and a mask needs equal heads.
TEST(Build, AWindowIsAttentionsAndTheLibrarysMask) {
  const ModelSpec spec = spec_of(small_config("mistral", "sliding_window: 4"));
  BuildOptions options = sized(6);
  const graph::Layer flash = layer_of(build(spec, options), "decoder");
  EXPECT_EQ(op_of(flash, "attention").attention->window, 4);
  EXPECT_FALSE(has_op(flash, "k.expand"));
  options.execution = Execution::kEager;
  EXPECT_TRUE(has_op(layer_of(build(spec, options), "decoder"), "k.expand"));
  options.sequence = 3;
  EXPECT_FALSE(has_op(layer_of(build(spec, options), "decoder"), "k.expand"));
}

TEST(Build, SlidingLayersAreApartFromFullOnes) {
  const graph::Model model = build(spec_of(
      small_config("qwen2", "use_sliding_window: true\nsliding_window: 4\nmax_window_layers: 1")));
  EXPECT_EQ(layer_names(model),
            (Names{"embedding x 1", "decoder x 1", "decoder_sliding x 1", "head x 1"}));
  EXPECT_EQ(op_of(layer_of(model, "decoder"), "attention").attention->window, 0);
  EXPECT_EQ(op_of(layer_of(model, "decoder_sliding"), "attention").attention->window, 4);
}

// Five tokens pick two of four experts each: ten rows, two and a half an expert, rounded up.
TEST(Build, ExpertsShareTheTokensEvenly) {
  const graph::Layer block = layer_of(build(spec_of(small_config("mixtral")), sized(5)), "decoder");
  EXPECT_EQ(op_of(block, "router").product, (ProductShape{1, 5, 4, 8}));
  EXPECT_EQ(tensor_of(block, "router.experts").shape, (Shape{5, 2}));
  EXPECT_EQ(op_of(block, "experts.gate_up").product, (ProductShape{4, 3, 32, 8}));
  EXPECT_EQ(op_of(block, "experts.down").product, (ProductShape{4, 3, 8, 16}));
  EXPECT_EQ(tensor_of(block, "combine").shape, (Shape{1, 5, 8}));
  EXPECT_EQ(tests::faults_of(block), "");
}

TEST(Build, AnEncoderAndADecoderAreFourKindsOfLayers) {
  const graph::Model model = build(spec_of(small_config("t5")));
  EXPECT_EQ(layer_names(model),
            (Names{"encoder_embedding x 1", "encoder_first x 1", "encoder x 1", "encoder_end x 1",
                   "decoder_embedding x 1", "decoder_first x 1", "decoder x 1", "head x 1"}));
  // The words' table and the relative positions are there once.
  EXPECT_FALSE(tensor_of(layer_of(model, "encoder_embedding"), "tokens.weight").is_tied);
  EXPECT_TRUE(tensor_of(layer_of(model, "decoder_embedding"), "tokens.weight").is_tied);
  EXPECT_EQ(tensor_of(layer_of(model, "encoder_first"), "relative_bias.weight").role,
            graph::Role::kParameter);
  EXPECT_EQ(tensor_of(layer_of(model, "encoder"), "relative_bias").role, graph::Role::kShared);
  EXPECT_EQ(graph::summarise(model).parameters, 2752);
}

TEST(Build, ADecoderMayBeShorterThanItsEncoder) {
  BuildOptions options = sized(6);
  options.decoder_sequence = 3;
  const graph::Model model = build(spec_of(small_config("t5")), options);
  EXPECT_EQ(op_of(layer_of(model, "encoder"), "attention").attention,
            (AttentionShape{1, 2, 2, 6, 6, 4, false, 0, true}));
  const graph::Layer& decoder = layer_of(model, "decoder");
  EXPECT_EQ(op_of(decoder, "attention").attention,
            (AttentionShape{1, 2, 2, 3, 3, 4, true, 0, true}));
  EXPECT_EQ(op_of(decoder, "cross.attention").attention,
            (AttentionShape{1, 2, 2, 3, 6, 4, false, 0, true}));
  EXPECT_EQ(tensor_of(decoder, "encoder_output").shape, (Shape{1, 6, 8}));
  EXPECT_EQ(tensor_of(layer_of(model, "head"), "x").shape, (Shape{1, 3, 8}));
}

// A 4 x 4 image is four patches of 2 x 2 x 3 and a class token.
TEST(Build, AnImageIsPatchesAndAClassToken) {
  const graph::Model model = build(spec_of(small_config("vit")), sized(0, 1, 3));
  const graph::Layer& embedding = layer_of(model, "embedding");
  EXPECT_EQ(op_of(embedding, "patch").product, (ProductShape{1, 12, 8, 12}));
  EXPECT_EQ(tensor_of(embedding, "tokens").shape, (Shape{3, 5, 8}));
  EXPECT_EQ(tensor_of(embedding, "pixels").role, graph::Role::kConstant);
  EXPECT_EQ(model.sequence, 5);
  // The classes are told from the first token alone.
  EXPECT_EQ(op_of(layer_of(model, "head"), "classifier").product, (ProductShape{1, 3, 5, 8}));
}

TEST(Build, ATiedHeadOwnsNoParameter) {
  const graph::Model model = build(spec_of(small_config("gpt2")));
  const graph::LayerSummary head = graph::summarise(layer_of(model, "head"));
  EXPECT_EQ(head.tied_parameters, 80);
  EXPECT_EQ(head.parameters, 16);  // the final norm
}

// A merged product makes q, k and v of the same tokens; of others only k and v are made.
TEST(Build, CrossAttentionMakesItsKeysOfTheEncodersOutput) {
  const graph::Layer block = layer_of(
      build(spec_of(small_config("gpt2", "add_cross_attention: true")), sized(6)), "decoder");
  EXPECT_TRUE(has_op(block, "qkv"));
  EXPECT_EQ(tests::inputs_of(block, "cross.q")[0], "norm_cross");
  EXPECT_EQ(tests::inputs_of(block, "cross.k")[0], "encoder_output");
  EXPECT_EQ(tests::inputs_of(block, "cross.v")[0], "encoder_output");
}

TEST(Build, ATiedT5HeadScalesAndEveryT5StackEndsInADropout) {
  const graph::Model tied = build(spec_of(small_config("t5")));
  EXPECT_TRUE(has_op(layer_of(tied, "head"), "scale"));
  EXPECT_TRUE(has_op(layer_of(tied, "head"), "dropout"));
  EXPECT_TRUE(has_op(layer_of(tied, "encoder_end"), "dropout"));
  const graph::Model untied =
      build(spec_of(small_config("t5", "tie_word_embeddings: false\ndropout_rate: 0.0")));
  EXPECT_FALSE(has_op(layer_of(untied, "head"), "scale"));
  EXPECT_FALSE(has_op(layer_of(untied, "head"), "dropout"));
}

// Rotating a part of each head leaves the library's q and k head by head: its products need no
// copy of them, its fused attention one of the result.
TEST(Build, APartialRotationChangesTheLibrarysLayout) {
  BuildOptions options = sized(6, 1, 2);
  options.execution = Execution::kEager;
  const ModelSpec partial = spec_of(small_config("phi"));
  const ModelSpec whole = spec_of(small_config("phi", "partial_rotary_factor: 1.0"));
  EXPECT_TRUE(has_op(layer_of(build(partial, options), "decoder"), "attention.copy"));
  EXPECT_FALSE(has_op(layer_of(build(whole, options), "decoder"), "attention.copy"));
  options.attention = AttentionMode::kEager;
  EXPECT_EQ(op_of(layer_of(build(partial, options), "decoder"), "q.by_heads").kind, OpKind::kView);
  EXPECT_EQ(op_of(layer_of(build(whole, options), "decoder"), "q.by_heads").kind, OpKind::kCopy);
}

TEST(Build, EagerExecutionRunsTheLibrarysOperators) {
  BuildOptions options = sized(6);
  options.execution = Execution::kEager;
  const graph::Layer block = layer_of(build(spec_of(small_config("llama")), options), "decoder");
  for (const char* name : {"norm1.to_f32", "norm1.rsqrt", "q_rotary.turn", "gated"}) {
    EXPECT_TRUE(has_op(block, name)) << name;
  }
  EXPECT_EQ(op_of(block, "activation").kind, OpKind::kSilu);
  options.execution = Execution::kFused;
  EXPECT_EQ(
      op_of(layer_of(build(spec_of(small_config("llama")), options), "decoder"), "activation").kind,
      OpKind::kSwiglu);
}

TEST(Build, PrecisionChoosesTheTypes) {
  BuildOptions options = sized(6);
  options.precision = graph::Precision::kF32;
  const graph::Layer block = layer_of(build(spec_of(small_config("llama")), options), "decoder");
  EXPECT_EQ(tensor_of(block, "x").type, graph::ElementType::kF32);
  EXPECT_EQ(tensor_of(block, "q.weight").type, graph::ElementType::kF32);
}

// Heads 4, key heads 2, feed-forward 16, words 10: 1 and 2 divide all.
TEST(TensorWidths, DivideAllThatIsSplit) {
  EXPECT_EQ(tensor_widths(spec_of(small_config("llama"))), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tensor_widths(spec_of(small_config("llama", "tie_word_embeddings: true"))),
            (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tensor_widths(spec_of("model_type: gpt2")), (std::vector<std::int64_t>{1}));  // 50,257
  EXPECT_EQ(tensor_widths(spec_of("model_type: vit")),
            (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(tensor_widths(spec_of("model_type: mixtral")), (std::vector<std::int64_t>{1, 2, 4, 8}));
}

TEST(TensorWidths, APaddedVocabularyIsInNobodysWay) {
  const ModelSpec spec = spec_of("model_type: gpt2");  // twelve heads, 50,257 words
  EXPECT_EQ(tensor_widths(spec, true), (std::vector<std::int64_t>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(padded_vocabulary(50257, 1), 50257);
  EXPECT_EQ(padded_vocabulary(50257, 4), 50688);
  EXPECT_EQ(padded_vocabulary(50304, 4), 50304);
  BuildOptions options = sized(6);
  options.tensor_width = 4;
  options.pads_vocabulary = true;
  const graph::Layer head = layer_of(build(spec, options), "head");
  EXPECT_EQ(tensor_of(head, "vocabulary.weight").shape.front(), 50688 / 4);
}

}  // namespace
}  // namespace phaze::models
