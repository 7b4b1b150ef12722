// What keys mean: old and new names, nulls, defaults that follow from other keys.
#include <gtest/gtest.h>

#include "models/build.h"
#include "models/config.h"
#include "support/configs.h"

namespace phaze::models {
namespace {

using tests::small_config;
using tests::spec_of;

const Attention& attention_of(const ModelSpec& spec) {
  return spec.stacks[0].runs[0].block.attention;
}
const FeedForward& feed_forward_of(const ModelSpec& spec) {
  return spec.stacks[0].runs[0].block.feed_forward;
}

TEST(ConfigKeys, JsonReadsLikeYaml) {
  const ModelSpec spec = spec_of(R"({"model_type": "llama", "hidden_size": 64,
      "num_attention_heads": 4, "torch_dtype": "bfloat16", "rope_scaling": null,
      "tie_word_embeddings": true, "vocab_size": 100, "attention_dropout": 0.5})");
  EXPECT_EQ(spec.hidden, 64);
  EXPECT_EQ(attention_of(spec).head_dim, 16);
  EXPECT_TRUE(spec.head.vocabulary->is_tied);
  EXPECT_EQ(attention_of(spec).dropout, 0.5);
  EXPECT_EQ(spec.family, "llama");
  EXPECT_EQ(spec.architecture, "LlamaForCausalLM");
}

TEST(ConfigKeys, TypesOfNumbersAreChosenOnTheCommandLine) {
  for (const char* key : {"torch_dtype: float32", "dtype: float16"}) {
    EXPECT_EQ(spec_of(small_config("llama", key)).hidden, 8) << key;
  }
}

TEST(ConfigKeys, NullCountsAsMissing) {
  const ModelSpec spec = spec_of(small_config("gpt2", "attn_pdrop: null\narchitectures: null"));
  EXPECT_EQ(attention_of(spec).dropout, 0.1);
  EXPECT_EQ(spec.architecture, "GPT2LMHeadModel");
  EXPECT_EQ(spec_of("model_type: llama\nvocab_size: ~").embedding.vocabulary, 32000);
}

TEST(ConfigKeys, Gpt2HasItsOwnNamesAndThoseOfAll) {
  const ModelSpec own = spec_of(
      "model_type: gpt2\nn_embd: 8\nn_layer: 3\nn_head: 2\n"
      "n_positions: 7\n");
  const ModelSpec general = spec_of(
      "model_type: gpt2\nhidden_size: 8\nnum_hidden_layers: 3\n"
      "num_attention_heads: 2\nmax_position_embeddings: 7\n");
  for (const ModelSpec* spec : {&own, &general}) {
    EXPECT_EQ(spec->hidden, 8);
    EXPECT_EQ(spec->stacks[0].runs[0].count, 3);
    EXPECT_EQ(attention_of(*spec).heads, 2);
    EXPECT_EQ(spec->embedding.positions, 7);
  }
  EXPECT_EQ(feed_forward_of(own).width, 4 * 8);  // without n_inner
}

TEST(ConfigKeys, T5HasItsOwnNamesAndThoseOfAll) {
  const ModelSpec general = spec_of(
      "model_type: t5\nhidden_size: 8\nnum_attention_heads: 2\nhead_dim: 4\n"
      "num_hidden_layers: 3\n");
  EXPECT_EQ(general.hidden, 8);
  EXPECT_EQ(attention_of(general).heads, 2);
  EXPECT_EQ(attention_of(general).head_dim, 4);
  EXPECT_EQ(general.stacks[0].runs[0].count, 3);
}

// d_kv x num_heads need not be d_model.
TEST(ConfigKeys, T5ChoosesItsHeadWidthFreely) {
  const ModelSpec spec = spec_of("model_type: t5\nd_model: 10\nnum_heads: 3\nd_kv: 7\n");
  EXPECT_EQ(attention_of(spec).head_dim, 7);
}

TEST(ConfigKeys, KeyHeadsDefaultToTheHeadsOrToTheFamilys) {
  EXPECT_EQ(attention_of(spec_of("model_type: llama\nnum_attention_heads: 16")).kv_heads, 16);
  EXPECT_EQ(attention_of(spec_of("model_type: mistral\nnum_attention_heads: 16")).kv_heads, 8);
  EXPECT_EQ(attention_of(spec_of("model_type: mistral\nnum_attention_heads: 16\n"
                                 "num_key_value_heads: null"))
                .kv_heads,
            16);
  EXPECT_EQ(attention_of(spec_of("model_type: llama\nnum_key_value_heads: 4")).kv_heads, 4);
}

TEST(ConfigKeys, HeadWidthFollowsFromTheHiddenSizeUnlessGiven) {
  const std::string stem = "model_type: llama\nhidden_size: 24\nnum_attention_heads: ";
  EXPECT_EQ(attention_of(spec_of(stem + "4")).head_dim, 6);
  EXPECT_EQ(attention_of(spec_of(stem + "4\nhead_dim: null")).head_dim, 6);
  const ModelSpec wide = spec_of(stem + "5\nhead_dim: 16");  // 24 / 5 leaves a rest; not asked for
  EXPECT_EQ(attention_of(wide).head_dim, 16);
  EXPECT_EQ(attention_of(wide).rotary_dim, 16);
}

TEST(ConfigKeys, TheRotatedShareHasItsNamesInBothVersions) {
  const auto rotated = [](const std::string& family, const std::string& more) {
    return attention_of(spec_of("model_type: " + family +
                                "\nhidden_size: 64\n"
                                "num_attention_heads: 2\n" +
                                more))
        .rotary_dim;
  };
  EXPECT_EQ(rotated("phi", ""), 16);  // half of 32
  EXPECT_EQ(rotated("phi", "partial_rotary_factor: 0.25"), 8);
  EXPECT_EQ(rotated("phi", "rope_parameters: {partial_rotary_factor: 0.75, rope_theta: 1e4}"), 24);
  EXPECT_EQ(rotated("phi", "rope_parameters: {rope_theta: 10000.0}"), 16);
  EXPECT_EQ(rotated("phi", "partial_rotary_factor: 0"), 0);
  EXPECT_EQ(rotated("gpt_neox", ""), 8);  // a quarter
  EXPECT_EQ(rotated("gpt_neox", "rotary_pct: 1.0"), 32);
  EXPECT_EQ(rotated("gpt_neox", "rotary_pct: null\npartial_rotary_factor: 0.5"), 16);
  EXPECT_EQ(rotated("gpt_neox", "rope_parameters: {partial_rotary_factor: 0.5}"), 16);
  // All of a head of 7 but the odd one out: 0.5 x 7 = 3.5 rounds down.
  EXPECT_EQ(attention_of(spec_of("model_type: phi\nhead_dim: 7")).rotary_dim, 3);
}

TEST(ConfigKeys, WindowsOfEachFamily) {
  const auto window = [](const std::string& config) {
    return attention_of(spec_of(config)).window;
  };
  EXPECT_EQ(window("model_type: mistral"), 4096);
  EXPECT_EQ(window("model_type: mistral\nsliding_window: null"), 0);
  EXPECT_EQ(window("model_type: mistral\nsliding_window: 7"), 7);
  EXPECT_EQ(window("model_type: mixtral"), 0);
  EXPECT_EQ(window("model_type: mixtral\nsliding_window: 7"), 7);
  EXPECT_EQ(window("model_type: qwen2\nsliding_window: 7"), 0);  // not switched on
}

// The first layers see all, the later ones a window.
TEST(ConfigKeys, Qwen2SlidesInItsLastLayers) {
  const auto runs = [](const std::string& more) {
    const ModelSpec spec = spec_of(small_config("qwen2", "use_sliding_window: true\n" + more));
    std::vector<std::pair<std::int64_t, std::int64_t>> counts;
    for (const models::Run& run : spec.stacks[0].runs) {
      counts.emplace_back(run.count, run.block.attention.window);
    }
    return counts;
  };
  using Counts = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(runs("sliding_window: 3\nmax_window_layers: 1"), (Counts{{1, 0}, {1, 3}}));
  EXPECT_EQ(runs("sliding_window: 3\nmax_window_layers: 0"), (Counts{{2, 3}}));
  EXPECT_EQ(runs("sliding_window: 3"), (Counts{{2, 0}}));  // 28 by default, more than there are
  EXPECT_EQ(runs("sliding_window: null\nmax_window_layers: 1"), (Counts{{2, 0}}));
}

TEST(ConfigKeys, ExpertsHaveTwoNames) {
  const std::string stem = "model_type: mixtral\nnum_experts_per_tok: 1\n";
  EXPECT_EQ(feed_forward_of(spec_of(stem + "num_local_experts: 6")).experts, 6);
  EXPECT_EQ(feed_forward_of(spec_of(stem + "num_experts: 5")).experts, 5);
  EXPECT_EQ(feed_forward_of(spec_of("model_type: mixtral")).experts_per_token, 2);
}

TEST(ConfigKeys, LabelsAreCountedOrNamed) {
  const auto labels = [](const std::string& more) {
    return spec_of(small_config("bert", "architectures: [BertForTokenClassification]\n" + more))
        .head.classifiers.at(0)
        .outputs;
  };
  EXPECT_EQ(labels(""), 2);
  EXPECT_EQ(labels("num_labels: 7"), 7);
  EXPECT_EQ(labels("id2label: {0: a, 1: b, 2: c}"), 3);
  EXPECT_EQ(labels("id2label: {\"0\": a}\nnum_labels: 7"), 1);  // the names decide
  EXPECT_EQ(labels("id2label: null"), 2);
}

TEST(ConfigKeys, ArchitecturesChooseTheHead) {
  EXPECT_EQ(spec_of(small_config("llama", "architectures: []")).architecture, "LlamaForCausalLM");
  const ModelSpec bare = spec_of(small_config("llama", "architectures: [LlamaModel]"));
  EXPECT_FALSE(bare.head.vocabulary);
  EXPECT_TRUE(bare.head.classifiers.empty());
  const ModelSpec classes =
      spec_of(small_config("llama", "architectures: [LlamaForSequenceClassification]"));
  EXPECT_FALSE(classes.head.classifiers.at(0).has_bias);
  EXPECT_FALSE(classes.head.classifiers.at(0).is_per_token);
  const ModelSpec spans =
      spec_of(small_config("gpt2", "architectures: [GPT2ForQuestionAnswering]\nnum_labels: 9"));
  EXPECT_EQ(spans.head.classifiers.at(0).outputs, 2);  // start and end
  const ModelSpec both = spec_of(small_config("gpt2", "architectures: [GPT2DoubleHeadsModel]"));
  EXPECT_TRUE(both.head.vocabulary);
  EXPECT_EQ(both.head.classifiers.at(0).outputs, 1);
}

TEST(ConfigKeys, ImagesMayBeOblong) {
  const ModelSpec spec = spec_of("model_type: vit\nimage_size: [32, 64]\npatch_size: [16, 8]\n");
  EXPECT_EQ(spec.embedding.image_height, 32);
  EXPECT_EQ(spec.embedding.patch_width, 8);
  EXPECT_EQ(spec.default_sequence, 2 * 8 + 1);
  EXPECT_EQ(spec.longest_sequence, 17);
}

// The margin of an image that holds no whole patch is not looked at.
TEST(ConfigKeys, PatchesAreWhole) {
  EXPECT_EQ(spec_of("model_type: vit\nimage_size: 50\npatch_size: 16").default_sequence, 10);
}

TEST(ConfigKeys, ActivationsAreNamedAsInTheLibrary) {
  const auto activation = [](const std::string& name) {
    return feed_forward_of(spec_of(small_config("bert", "hidden_act: " + name))).activation;
  };
  EXPECT_EQ(activation("gelu"), Activation::kGelu);
  EXPECT_EQ(activation("gelu_new"), Activation::kGeluNew);
  EXPECT_EQ(activation("gelu_pytorch_tanh"), Activation::kGeluTanh);
  EXPECT_EQ(activation("swish"), Activation::kSilu);
  EXPECT_EQ(activation("relu"), Activation::kRelu);
}

TEST(ConfigKeys, T5NamesItsActivationAndWhetherItIsGated) {
  const auto part = [](const std::string& name) {
    return feed_forward_of(spec_of(small_config("t5", "feed_forward_proj: " + name)));
  };
  EXPECT_FALSE(part("relu").is_gated);
  EXPECT_EQ(part("relu").activation, Activation::kRelu);
  EXPECT_TRUE(part("gated-gelu").is_gated);
  EXPECT_EQ(part("gated-gelu").activation, Activation::kGeluNew);  // not gelu
  EXPECT_EQ(part("gated-silu").activation, Activation::kSilu);
  EXPECT_EQ(part("gelu").activation, Activation::kGelu);
}

TEST(ConfigKeys, SequencesAreAsLongAsTheModelTakesButNoLongerThanUsual) {
  EXPECT_EQ(spec_of("model_type: llama\nmax_position_embeddings: 100").default_sequence, 100);
  EXPECT_EQ(spec_of("model_type: llama\nmax_position_embeddings: 100").longest_sequence, 0);
  EXPECT_EQ(spec_of("model_type: mistral").default_sequence, 8192);  // of 131,072
  EXPECT_EQ(spec_of("model_type: gpt2\nn_positions: 100").longest_sequence, 100);
  EXPECT_EQ(spec_of("model_type: opt").longest_sequence, 2048);  // of a table of 2,050
}

TEST(ConfigKeys, ParallelBranchesMayBeSwitchedOff) {
  const auto residual = [](const std::string& config) {
    return spec_of(config).stacks[0].runs[0].block.residual;
  };
  EXPECT_EQ(residual("model_type: gpt_neox"), Residual::kParallelNorms);
  EXPECT_EQ(residual("model_type: gpt_neox\nuse_parallel_residual: false"), Residual::kPreNorm);
  EXPECT_EQ(residual("model_type: phi"), Residual::kParallel);
  EXPECT_EQ(residual("model_type: bert"), Residual::kPostNorm);
  EXPECT_EQ(residual("model_type: megatron-bert"), Residual::kPreNorm);
}

}  // namespace
}  // namespace phaze::models
