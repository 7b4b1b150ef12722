// What a user reads when a configuration is wrong: the place, what was expected, what was found.
#include <gtest/gtest.h>

#include "models/config.h"
#include "support/configs.h"
#include "support/documents.h"

namespace phaze::models {
namespace {

using tests::config_faults;
using tests::joined;
using tests::small_config;
using Lines = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ConfigFaults, SomethingElseThanAMap) {
  EXPECT_EQ(config_faults("[1, 2]"),
            (Lines{"test.yaml:1:1: error: expected a model configuration (a map with model_type), "
                   "found a list of 2"}));
  EXPECT_EQ(config_faults("hello"),
            (Lines{"test.yaml:1:1: error: expected a model configuration (a map with model_type), "
                   "found the text \"hello\""}));
}

TEST(ConfigFaults, NoFamily) {
  const std::string fault = joined(config_faults("hidden_size: 8"));
  EXPECT_TRUE(has(fault,
                  "test.yaml:1:1: error: model_type: this key is required; known families: "
                  "bert, gpt2, gpt_neox, llama, "))
      << fault;
}

TEST(ConfigFaults, AnUnknownFamilyAndTheNearest) {
  const std::string fault = joined(config_faults("model_type: lama"));
  EXPECT_TRUE(has(fault,
                  "test.yaml:1:13: error: model_type: unknown family \"lama\"; did you mean "
                  "llama?"))
      << fault;
  EXPECT_TRUE(has(fault, "bert, gpt2, ")) << fault;
  EXPECT_FALSE(has(joined(config_faults("model_type: mamba")), "did you mean"));
}

TEST(ConfigFaults, AFamilyThatIsNoText) {
  EXPECT_EQ(config_faults("model_type: 5"),
            (Lines{"test.yaml:1:13: error: model_type: expected text, found 5"}));
  EXPECT_EQ(config_faults("model_type: [llama]"),
            (Lines{"test.yaml:1:13: error: model_type: expected text, found a list of 1"}));
}

TEST(ConfigFaults, AnUnknownArchitectureAndTheNearest) {
  const std::string fault =
      joined(config_faults(small_config("llama", "architectures: [LlamaForCasualLM]")));
  EXPECT_TRUE(has(fault,
                  "test.yaml:9:17: error: architectures[0]: unknown class "
                  "\"LlamaForCasualLM\" of family llama; did you mean LlamaForCausalLM?"))
      << fault;
  EXPECT_TRUE(has(joined(config_faults("model_type: llama\narchitectures: [GPT2LMHeadModel]")),
                  "of family llama"));
}

TEST(ConfigFaults, ArchitecturesThatAreNoListOfNames) {
  EXPECT_EQ(config_faults("model_type: llama\narchitectures: LlamaModel"),
            (Lines{"test.yaml:2:16: error: architectures: expected a list of class names, found "
                   "the text \"LlamaModel\""}));
  EXPECT_EQ(config_faults("model_type: llama\narchitectures: [3]"),
            (Lines{"test.yaml:2:16: error: architectures: expected a list of class names, found a "
                   "list of 1"}));
}

TEST(ConfigFaults, AnUnknownActivationAndTheNearest) {
  EXPECT_EQ(config_faults("model_type: llama\nhidden_act: silo"),
            (Lines{"test.yaml:2:13: error: hidden_act: unknown activation \"silo\"; did you mean "
                   "silu?"}));
  EXPECT_EQ(config_faults("model_type: gpt2\nactivation_function: mish"),
            (Lines{"test.yaml:2:22: error: activation_function: unknown activation \"mish\""}));
  EXPECT_EQ(config_faults("model_type: t5\nfeed_forward_proj: gated-gelo"),
            (Lines{"test.yaml:2:20: error: feed_forward_proj: unknown activation \"gelo\"; did you "
                   "mean gelu?"}));
}

TEST(ConfigFaults, CountsOfTheWrongTypeOrSize) {
  const std::string expected = "expected a whole number from 1 to 1,048,576, found ";
  const auto fault = [](const std::string& value) {
    return config_faults("model_type: llama\nhidden_size: " + value);
  };
  const std::string where = "test.yaml:2:14: error: hidden_size: ";
  EXPECT_EQ(fault("\"4096\""), (Lines{where + expected + "the text \"4096\""}));
  EXPECT_EQ(fault("4096.0"), (Lines{where + expected + "4096.0"}));
  EXPECT_EQ(fault("true"), (Lines{where + expected + "true"}));
  EXPECT_EQ(fault("[4096]"), (Lines{where + expected + "a list of 1"}));
  EXPECT_EQ(fault("{a: 1}"), (Lines{where + expected + "a map of 1"}));
  EXPECT_EQ(fault("0"), (Lines{where + expected + "0"}));
  EXPECT_EQ(fault("-4096"), (Lines{where + expected + "-4096"}));
  EXPECT_EQ(fault("1048577"), (Lines{where + expected + "1048577"}));
  EXPECT_EQ(fault("99999999999999999999"), (Lines{where + expected + "99999999999999999999"}));
  EXPECT_EQ(fault("1e30"), (Lines{where + expected + "1e30"}));
}

TEST(ConfigFaults, EveryCountHasItsLimit) {
  for (const auto& [family, key] :
       std::vector<std::pair<std::string, std::string>>{{"llama", "vocab_size"},
                                                        {"llama", "num_hidden_layers"},
                                                        {"llama", "intermediate_size"},
                                                        {"llama", "num_attention_heads"},
                                                        {"llama", "num_key_value_heads"},
                                                        {"llama", "head_dim"},
                                                        {"llama", "max_position_embeddings"},
                                                        {"gpt2", "n_inner"},
                                                        {"gpt2", "n_positions"},
                                                        {"opt", "word_embed_proj_dim"},
                                                        {"opt", "ffn_dim"},
                                                        {"bert", "type_vocab_size"},
                                                        {"mixtral", "num_local_experts"},
                                                        {"mixtral", "num_experts_per_tok"},
                                                        {"mistral", "sliding_window"},
                                                        {"qwen2", "max_window_layers"},
                                                        {"t5", "d_kv"},
                                                        {"t5", "num_decoder_layers"},
                                                        {"t5", "relative_attention_num_buckets"},
                                                        {"vit", "num_channels"},
                                                        {"vit", "image_size"},
                                                        {"vit", "patch_size"},
                                                        {"vit", "num_labels"}}) {
    for (const char* value : {"-1", "9000000000000000000"}) {
      const Lines faults =
          config_faults("model_type: " + family + "\n" + key + ": " + std::string(value));
      ASSERT_GE(faults.size(), 1u) << family << " " << key;
      EXPECT_TRUE(has(faults[0], "test.yaml:2:" + std::to_string(key.size() + 3) +
                                     ": error: " + key + ": expected a "))
          << faults[0];
    }
  }
}

TEST(ConfigFaults, FlagsFractionsAndTextsOfTheWrongType) {
  EXPECT_EQ(config_faults("model_type: llama\nattention_bias: 1"),
            (Lines{"test.yaml:2:17: error: attention_bias: expected true or false, found 1"}));
  EXPECT_EQ(config_faults("model_type: llama\nattention_dropout: 1.5"),
            (Lines{"test.yaml:2:20: error: attention_dropout: expected a number from 0 to 1, found "
                   "1.5"}));
  EXPECT_EQ(config_faults("model_type: llama\nattention_dropout: -0.1"),
            (Lines{"test.yaml:2:20: error: attention_dropout: expected a number from 0 to 1, found "
                   "-0.1"}));
  EXPECT_EQ(config_faults("model_type: llama\nhidden_act: 7"),
            (Lines{"test.yaml:2:13: error: hidden_act: expected text, found 7"}));
}

TEST(ConfigFaults, HeadsThatDoNotDivide) {
  EXPECT_EQ(config_faults("model_type: llama\nhidden_size: 10\nnum_attention_heads: 4"),
            (Lines{"test.yaml:3:22: error: num_attention_heads: expected a divisor of the hidden "
                   "size 10, found 4"}));
  EXPECT_EQ(config_faults("model_type: llama\nnum_attention_heads: 32\nnum_key_value_heads: 5"),
            (Lines{"test.yaml:3:22: error: num_key_value_heads: expected a divisor of the number "
                   "of heads 32, found 5"}));
}

// Under whichever name the file has; without any, the default does not fit and has no place.
TEST(ConfigFaults, HeadsThatDoNotDivideUnderAnyName) {
  EXPECT_EQ(config_faults("model_type: gpt2\nn_head: 7"),
            (Lines{"test.yaml:2:9: error: n_head: expected a divisor of the hidden size 768, found "
                   "7"}));
  EXPECT_EQ(config_faults("model_type: gpt2\nnum_attention_heads: 7"),
            (Lines{"test.yaml:2:22: error: num_attention_heads: expected a divisor of the hidden "
                   "size 768, found 7"}));
  EXPECT_EQ(config_faults("model_type: gpt2\nn_embd: 100"),
            (Lines{"test.yaml: error: num_attention_heads: expected a divisor of the hidden size "
                   "100, found 12"}));
}

TEST(ConfigFaults, ASingleRotatedElement) {
  EXPECT_EQ(config_faults("model_type: llama\nhead_dim: 1"),
            (Lines{"test.yaml:2:11: error: head_dim: expected at least 2 rotated elements in each "
                   "head, found 1"}));
  EXPECT_EQ(config_faults(small_config("phi", "partial_rotary_factor: 0.25")),
            (Lines{"test.yaml:8:24: error: partial_rotary_factor: expected at least 2 rotated "
                   "elements in each head, found 1"}));
}

TEST(ConfigFaults, MoreExpertsPerTokenThanExperts) {
  EXPECT_EQ(config_faults("model_type: mixtral\nnum_local_experts: 4\nnum_experts_per_tok: 5"),
            (Lines{"test.yaml:3:22: error: num_experts_per_tok: expected at most the number of "
                   "experts"}));
}

TEST(ConfigFaults, RotaryParametersThatAreNoMap) {
  EXPECT_EQ(config_faults("model_type: phi\nrope_parameters: 3"),
            (Lines{"test.yaml:2:18: error: rope_parameters: expected a map, found 3"}));
  EXPECT_EQ(config_faults("model_type: phi\nrope_parameters: {partial_rotary_factor: 2}"),
            (Lines{"test.yaml:2:42: error: rope_parameters.partial_rotary_factor: expected a "
                   "number from 0 to 1, found 2"}));
}

TEST(ConfigFaults, LabelsThatAreNoMap) {
  EXPECT_EQ(config_faults("model_type: vit\nid2label: [a, b]"),
            (Lines{"test.yaml:2:11: error: id2label: expected a map from number to name, found a "
                   "list of 2"}));
  EXPECT_EQ(config_faults("model_type: vit\nid2label: {}"),
            (Lines{"test.yaml:2:11: error: id2label: expected a map from number to name, found a "
                   "map of 0"}));
}

TEST(ConfigFaults, PatchesLargerThanTheImageOrOddSizes) {
  EXPECT_EQ(config_faults("model_type: vit\nimage_size: 8\npatch_size: 16"),
            (Lines{"test.yaml:3:13: error: patch_size: expected a patch that fits into the "
                   "image"}));
  for (const char* size : {"[1, 2, 3]", "[0, 4]", "[a, 4]"}) {
    EXPECT_EQ(config_faults("model_type: vit\nimage_size: " + std::string(size)),
              (Lines{"test.yaml:2:13: error: image_size: expected a size such as 224 or [224, "
                     "224]"}));
  }
}

TEST(ConfigFaults, PositionsThatAreNotSupported) {
  EXPECT_EQ(config_faults("model_type: bert\nposition_embedding_type: relative_key"),
            (Lines{"test.yaml:2:26: error: position_embedding_type: expected \"absolute\", found "
                   "\"relative_key\" (not supported)"}));
}

TEST(ConfigFaults, AKeyASlipOfTheFingerAway) {
  EXPECT_EQ(config_faults("model_type: llama\nhiden_size: 64"),
            (Lines{"test.yaml:2:13: error: hiden_size: unknown key; did you mean hidden_size?"}));
  EXPECT_EQ(config_faults("model_type: llama\nnum_hidden_layer: 3"),
            (Lines{"test.yaml:2:19: error: num_hidden_layer: unknown key; did you mean "
                   "num_hidden_layers?"}));
  // Keys that mean nothing here are the library's own business.
  EXPECT_EQ(config_faults(small_config("llama", "pretraining_tp: 1\nuse_cache: true")), Lines{});
  // A near key is no slip when the right one is there too.
  EXPECT_EQ(config_faults(small_config("llama", "hiden_size: 64")), Lines{});
}

TEST(ConfigFaults, AllOfAFileAreReportedAtOnce) {
  const Lines faults = config_faults(
      "model_type: llama\n"
      "hidden_size: big\n"
      "vocab_size: -1\n"
      "hidden_act: silo\n"
      "num_attention_heads: 6\n"
      "num_key_value_heads: 4\n"
      "architectures: [Nothing]\n"
      "num_hidden_layer: 3\n");
  EXPECT_EQ(faults.size(), 6u) << joined(faults);  // of 6 heads and what is no size nothing is said
  for (const char* key : {":2:14: error: hidden_size: ", ":3:13: error: vocab_size: ",
                          ":4:13: error: hidden_act: ", ":6:22: error: num_key_value_heads: ",
                          ":7:17: error: architectures[0]: ", ":8:19: error: num_hidden_layer: "}) {
    EXPECT_TRUE(has(joined(faults), key)) << key << " in\n" << joined(faults);
  }
}

// Each size may be plausible and their product no model.
TEST(ConfigFaults, SizesWhoseProductIsAbsurd) {
  for (const char* config :
       {"model_type: mixtral\nhidden_size: 1048576\nintermediate_size: 16777216\n"
        "num_local_experts: 65536\nnum_hidden_layers: 10000",
        "model_type: vit\nhidden_size: 1048576\nnum_attention_heads: 16\nnum_channels: 65536\n"
        "patch_size: 65536\nimage_size: 65536",
        "model_type: llama\nhidden_size: 1048576\nvocab_size: 268435456\n"
        "num_hidden_layers: 10000\nintermediate_size: 16777216"}) {
    const Lines faults = config_faults(config);
    ASSERT_EQ(faults.size(), 1u) << joined(faults);
    EXPECT_TRUE(has(faults[0], "more than can be meant")) << faults[0];
  }
}

}  // namespace
}  // namespace phaze::models
