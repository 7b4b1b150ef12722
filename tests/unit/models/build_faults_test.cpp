// Options that do not fit the model.
#include <gtest/gtest.h>

#include "models/build.h"
#include "support/configs.h"
#include "support/documents.h"

namespace phaze::models {
namespace {

using tests::build_faults;
using tests::joined;
using tests::small_config;
using tests::spec_of;
using Lines = std::vector<std::string>;

TEST(BuildFaults, ASequenceOutOfRange) {
  const ModelSpec spec = spec_of(small_config("llama"));
  EXPECT_EQ(build_faults(spec, {.sequence = -1}),
            (Lines{"command line: error: --sequence: expected a whole number from 1 to "
                   "1,073,741,824, found -1"}));
  EXPECT_EQ(build_faults(spec, {.sequence = 1'073'741'825}),
            (Lines{"command line: error: --sequence: expected a whole number from 1 to "
                   "1,073,741,824, found 1,073,741,825"}));
  EXPECT_EQ(build_faults(spec, {.sequence = 7}), Lines{});  // rotated positions have no end
}

TEST(BuildFaults, ASequenceBeyondTheLearnedPositions) {
  EXPECT_EQ(build_faults(spec_of(small_config("gpt2")), {.sequence = 7}),
            (Lines{"command line: error: --sequence: expected at most 6 (the model's learned "
                   "positions), found 7"}));
  EXPECT_EQ(build_faults(spec_of(small_config("gpt2")), {.sequence = 6}), Lines{});
  EXPECT_EQ(build_faults(spec_of(small_config("opt")), {.sequence = 7}).size(), 1u);
  EXPECT_EQ(build_faults(spec_of(small_config("bert")), {.sequence = 7}).size(), 1u);
}

TEST(BuildFaults, AnImageOfAnotherLength) {
  EXPECT_EQ(build_faults(spec_of(small_config("vit")), {.sequence = 4}),
            (Lines{"command line: error: --sequence: an image of this model is always 5 tokens "
                   "long"}));
  EXPECT_EQ(build_faults(spec_of(small_config("vit")), {.sequence = 5}), Lines{});
}

TEST(BuildFaults, ADecoderLengthForAModelWithoutOne) {
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), {.decoder_sequence = 4}),
            (Lines{"command line: error: --decoder-sequence: the model has no encoder and "
                   "decoder"}));
  EXPECT_EQ(build_faults(spec_of(small_config("t5", "architectures: [T5EncoderModel]")),
                         {.decoder_sequence = 4})
                .size(),
            1u);
  EXPECT_EQ(build_faults(spec_of(small_config("t5")), {.decoder_sequence = -4}),
            (Lines{"command line: error: --decoder-sequence: expected a whole number from 1 to "
                   "1,073,741,824, found -4"}));
}

TEST(BuildFaults, AMicrobatchOutOfRange) {
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), {.microbatch = 0}),
            (Lines{"command line: error: --microbatch: expected a whole number from 1 to "
                   "1,073,741,824, found 0"}));
}

TEST(BuildFaults, ATensorWidthThatDoesNotDivide) {
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), {.tensor_width = 4}),
            (Lines{"command line: error: --tensor: expected a width that divides heads, key-value "
                   "heads, feed-forward width and vocabulary (1, 2), found 4"}));
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), {.tensor_width = 0}),
            (Lines{"command line: error: --tensor: expected a whole number from 1 to 1,024, found "
                   "0"}));
}

TEST(BuildFaults, ASequenceThatTheDevicesCannotShare) {
  BuildOptions options{.sequence = 5, .tensor_width = 2, .sequence_parallel = true};
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), options),
            (Lines{"command line: error: --sequence-parallel: the sequence length 5 is not a "
                   "multiple of the tensor width 2"}));
  options.sequence = 4;
  EXPECT_EQ(build_faults(spec_of(small_config("llama")), options), Lines{});
  options.decoder_sequence = 3;
  EXPECT_EQ(build_faults(spec_of(small_config("t5")), options),
            (Lines{"command line: error: --sequence-parallel: the sequence length 3 is not a "
                   "multiple of the tensor width 2"}));
}

TEST(BuildFaults, AllAreReportedAtOnce) {
  const Lines faults =
      build_faults(spec_of(small_config("gpt2")),
                   {.sequence = 7, .decoder_sequence = 3, .microbatch = 0, .tensor_width = 3});
  EXPECT_EQ(faults.size(), 4u) << joined(faults);
}

// Every size is in its range and some tensor, or all together, cannot be meant.
TEST(BuildFaults, SizesThatCannotBeMeant) {
  const std::int64_t longest = std::int64_t{1} << 30;
  struct Case {
    std::string config;
    BuildOptions options;
  };
  const Case cases[] = {
      {"model_type: llama", {.sequence = longest, .microbatch = longest}},
      // Wide only where tokens are kept, not in heads, feed-forward part or words.
      {"model_type: llama\nhidden_size: 1048576\nhead_dim: 2\nnum_attention_heads: 1\n"
       "intermediate_size: 1\nvocab_size: 1",
       {.sequence = longest, .microbatch = 10}},
      {"model_type: llama\nnum_hidden_layers: 10000", {.sequence = 524288, .microbatch = 30000}},
      {"model_type: t5", {.sequence = 100'000'000}},  // a bias for every pair of places
      {"model_type: vit\nimage_size: 65536\npatch_size: 65536", {.microbatch = longest}},
      {"model_type: mixtral\nnum_local_experts: 65536\nnum_experts_per_tok: 65536",
       {.sequence = 1'000'000, .microbatch = 10'000}},
      {"model_type: bert\nmax_position_embeddings: 1073741824",
       {.sequence = longest, .microbatch = 1000}},
  };
  for (const Case& each : cases) {
    const Lines faults = build_faults(spec_of(each.config), each.options);
    ASSERT_EQ(faults.size(), 1u) << each.config << joined(faults);
    EXPECT_NE(faults[0].find("more than can be meant"), std::string::npos) << faults[0];
  }
}

}  // namespace
}  // namespace phaze::models
