// One small model of each family, its parameters counted by hand; then the library's defaults.
#include <gtest/gtest.h>

#include "models/build.h"
#include "models/config.h"
#include "support/configs.h"

namespace phaze::models {
namespace {

using tests::small_config;

std::int64_t count(const std::string& config) { return count_parameters(tests::spec_of(config)); }

// 8 wide, 4 heads of 2 on 2 key heads, feed-forward 16, 10 words, 2 layers.
// layer: q 8x8, k and v 4x8, out 8x8, gate, up and down 8x16 each, 2 norms of 8 = 592
// model: words 10x8, 2 layers, norm 8, head 10x8 = 80 + 1184 + 8 + 80
TEST(ConfigFamilies, Llama) {
  EXPECT_EQ(count(small_config("llama")), 1352);
  EXPECT_EQ(count(small_config("llama", "tie_word_embeddings: true")), 1352 - 80);
  // biases: q 8, k and v 4, out 8 a layer; gate and up 16, down 8
  EXPECT_EQ(count(small_config("llama", "attention_bias: true")), 1352 + 2 * 24);
  EXPECT_EQ(count(small_config("llama", "mlp_bias: true")), 1352 + 2 * 40);
}

TEST(ConfigFamilies, MistralIsALlamaWithAWindow) {
  const ModelSpec spec = tests::spec_of(small_config("mistral"));
  EXPECT_EQ(count_parameters(spec), 1352);
  EXPECT_EQ(spec.stacks[0].runs[0].block.attention.window, 4096);
}

TEST(ConfigFamilies, Qwen2HasBiasesOnQueriesKeysAndValues) {
  EXPECT_EQ(count(small_config("qwen2")), 1352 + 2 * (8 + 4 + 4));
}

// In place of gate, up and down (384): a router 4x8 and four experts of them.
TEST(ConfigFamilies, Mixtral) {
  EXPECT_EQ(count(small_config("mixtral")), 1352 + 2 * (4 * 8 + 4 * 384 - 384));
}

// layer: q, k, v and out 8x8 + 8, fc1 16x8 + 16, fc2 8x16 + 8, one norm of 2x8 = 584
// model: words 80, 2 layers, norm 16, head 80 + 10
TEST(ConfigFamilies, Phi) {
  EXPECT_EQ(count(small_config("phi")), 80 + 2 * 584 + 16 + 90);
  // two norms of 2x4 on each head's q and k
  EXPECT_EQ(count(small_config("phi", "qk_layernorm: true")), 80 + 2 * (584 + 16) + 16 + 90);
}

// layer: qkv 24x8 + 24, out 8x8 + 8, fc1 and fc2 280, two norms 32 = 600
TEST(ConfigFamilies, GptNeox) {
  EXPECT_EQ(count(small_config("gpt_neox")), 80 + 2 * 600 + 16 + 80);
  EXPECT_EQ(count(small_config("gpt_neox", "attention_bias: false")),
            80 + 2 * (600 - 32) + 16 + 80);
}

// model: words 80, places 6x8, 2 layers of 600, norm 16; the head is tied
TEST(ConfigFamilies, Gpt2) {
  EXPECT_EQ(count(small_config("gpt2")), 80 + 48 + 2 * 600 + 16);
  EXPECT_EQ(count(small_config("gpt2", "tie_word_embeddings: false")), 80 + 48 + 1200 + 16 + 80);
  // cross-attention: q 72, k and v 16x8 + 16, out 72, a norm of 16
  EXPECT_EQ(count(small_config("gpt2", "add_cross_attention: true")),
            80 + 48 + 2 * (600 + 72 + 144 + 72 + 16) + 16);
}

// Two places more than positions. layer: as gpt2, 600.
TEST(ConfigFamilies, Opt) {
  EXPECT_EQ(count(small_config("opt")), 80 + 8 * 8 + 2 * 600 + 16);
  // words 10x4, projections 8x4 in and 4x8 out
  EXPECT_EQ(count(small_config("opt", "word_embed_proj_dim: 4")), 40 + 32 + 64 + 1200 + 16 + 32);
  EXPECT_EQ(count(small_config("opt", "enable_bias: false")),
            80 + 64 + 2 * (600 - 4 * 8 - 16 - 8) + 16);
  EXPECT_EQ(count(small_config("opt", "layer_norm_elementwise_affine: false")),
            80 + 64 + 2 * (600 - 32));
  // after the sums: no norm at the end
  EXPECT_EQ(count(small_config("opt", "do_layer_norm_before: false")), 80 + 64 + 2 * 600);
}

// embedding: words 80, places 48, two types 16, norm 16; layer 600;
// head: dense 72, norm 16, a bias of 10, the words' table once more
TEST(ConfigFamilies, Bert) {
  EXPECT_EQ(count(small_config("bert")), 160 + 2 * 600 + 98);
  const std::string stem = small_config("bert", "architectures: [Bert");
  EXPECT_EQ(count(stem + "Model]"), 160 + 1200 + 72);                     // pooler 8x8 + 8
  EXPECT_EQ(count(stem + "ForPreTraining]"), 160 + 1200 + 98 + 72 + 18);  // and two classes
  EXPECT_EQ(count(stem + "ForNextSentencePrediction]"), 160 + 1200 + 72 + 18);
  EXPECT_EQ(count(stem + "ForSequenceClassification]"), 160 + 1200 + 72 + 18);
  EXPECT_EQ(count(stem + "ForTokenClassification]"), 160 + 1200 + 18);  // no pooler
  EXPECT_EQ(count(stem + "ForMultipleChoice]"), 160 + 1200 + 72 + 9);
  EXPECT_EQ(count(stem + "ForQuestionAnswering]"), 160 + 1200 + 18);
}

// layer: and once more attention 288 and a norm 16
TEST(ConfigFamilies, ABertDecoderMayHaveCrossAttention) {
  const std::string config = small_config("bert",
                                          "is_decoder: true\nadd_cross_attention: true\n"
                                          "architectures: [BertLMHeadModel]");
  EXPECT_EQ(count(config), 160 + 2 * (600 + 288 + 16) + 98);
  EXPECT_TRUE(tests::spec_of(config).stacks[0].runs[0].block.attention.is_causal);
}

// A norm at the end in place of the one after the embedding.
TEST(ConfigFamilies, MegatronBert) {
  EXPECT_EQ(count(small_config("megatron-bert")), 160 + 2 * 600 + 98);
}

// patches 2x2 of 3 channels: 8x12 + 8; class token 8; 4 + 1 places 40; layer 600; norm 16;
// five classes 5x8 + 5
TEST(ConfigFamilies, Vit) {
  EXPECT_EQ(count(small_config("vit")), 104 + 8 + 40 + 2 * 600 + 16 + 45);
  EXPECT_EQ(count(small_config("vit", "qkv_bias: false")), 104 + 8 + 40 + 2 * (600 - 24) + 16 + 45);
  EXPECT_EQ(count(small_config("vit", "architectures: [ViTModel]")), 104 + 8 + 40 + 1200 + 16 + 72);
  // a mask token 8 and 2x2 pixels of 3 channels for each token: 12x8 + 12
  EXPECT_EQ(
      count(small_config("vit", "architectures: [ViTForMaskedImageModeling]\nencoder_stride: 2")),
      104 + 8 + 8 + 40 + 1200 + 16 + 108);
}

// attention 4x8x8 = 256, feed-forward 2x8x16 = 256, a norm is 8; a table of 4 buckets x 2 heads
// encoder: 2 x (256 + 256 + 16) + 8 + 8 = 1072; decoder: 2 x (512 + 256 + 24) + 8 + 8 = 1600
TEST(ConfigFamilies, T5) {
  EXPECT_EQ(count(small_config("t5")), 80 + 1072 + 1600);
  EXPECT_EQ(count(small_config("t5", "feed_forward_proj: gated-gelu")), 80 + 1072 + 1600 + 4 * 128);
  EXPECT_EQ(count(small_config("t5", "tie_word_embeddings: false")), 80 + 1072 + 1600 + 80);
  EXPECT_EQ(count(small_config("t5", "num_decoder_layers: 1")), 80 + 1072 + 1600 - 792);
  EXPECT_EQ(count(small_config("t5", "architectures: [T5EncoderModel]")), 80 + 1072);
  EXPECT_EQ(count(small_config("t5", "architectures: [T5ForTokenClassification]")), 80 + 1072 + 18);
  // dense 8x8 + 8 and two classes
  EXPECT_EQ(count(small_config("t5", "architectures: [T5ForSequenceClassification]")),
            80 + 1072 + 1600 + 72 + 18);
}

// Version 4 ties the bias of an untied head too; version 5 keeps one that nobody uses.
TEST(ConfigFamilies, AnUntiedBertHasTheBiasesOfItsVersion) {
  const std::string untied = small_config("bert", "tie_word_embeddings: false\n");
  EXPECT_EQ(count(untied + "transformers_version: \"5.22.2\""), 160 + 1200 + 98 + 80 + 10);
  EXPECT_EQ(count(untied), 160 + 1200 + 98 + 80 + 10);  // the newest, when it does not say
  EXPECT_EQ(count(untied + "transformers_version: \"4.57.1\""), 160 + 1200 + 98 + 80);
}

// A file with nothing but its family is the library's default model: its size as published.
TEST(ConfigFamilies, DefaultsAreThoseOfTheLibrary) {
  EXPECT_EQ(count("model_type: bert"), 109514298);          // bert-base-uncased, masked words
  EXPECT_EQ(count("model_type: gpt2"), 124439808);          // gpt2
  EXPECT_EQ(count("model_type: opt"), 125239296);           // opt-125m
  EXPECT_EQ(count("model_type: llama"), 6738415616);        // llama-7b
  EXPECT_EQ(count("model_type: mistral"), 7241732096);      // mistral-7b
  EXPECT_EQ(count("model_type: mixtral"), 46702792704);     // mixtral-8x7b
  EXPECT_EQ(count("model_type: phi"), 1418270720);          // phi-1
  EXPECT_EQ(count("model_type: gpt_neox"), 20554567680);    // gpt-neox-20b
  EXPECT_EQ(count("model_type: t5"), 60506624);             // t5-small
  EXPECT_EQ(count("model_type: vit"), 85798656 + 2 * 769);  // vit-base, two classes
  // 24 layers of 12 h^2 + 13 h at h = 1024, words, places, types, norm, head
  EXPECT_EQ(count("model_type: megatron-bert"), 24 * (12 * 1024 * 1024 + 13 * 1024) +
                                                    (29056 + 512 + 2) * 1024 + 2048 +
                                                    (1024 * 1024 + 3 * 1024 + 29056));
  // 32 layers of 4 h^2 + 3 h x 22016 + 5 h at h = 4096, words twice, norm
  EXPECT_EQ(count("model_type: qwen2"),
            32LL * (4 * 4096 * 4096 + 3LL * 4096 * 22016 + 5 * 4096) + 2LL * 151936 * 4096 + 4096);
}

TEST(ConfigFamilies, AreAllKnownByName) {
  EXPECT_EQ(family_names(),
            (std::vector<std::string>{"bert", "gpt2", "gpt_neox", "llama", "megatron-bert",
                                      "mistral", "mixtral", "opt", "phi", "qwen2", "t5", "vit"}));
}

}  // namespace
}  // namespace phaze::models
