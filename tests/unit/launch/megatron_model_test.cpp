#include "launch/megatron_model.h"

#include <gtest/gtest.h>

#include "models/build.h"
#include "models/zoo.h"

namespace phaze::launch {
namespace {

std::string text_of(const OptionList& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += name + (value.empty() ? "" : " '" + value + "'") + "\n";
  }
  return text;
}

// Models that Megatron has all options for become themselves again: same parameters, same widths,
// same layers.
TEST(MegatronModel, ThereAndBack) {
  int complete = 0;
  for (const std::string& name : models::zoo_names()) {
    const models::ModelSpec spec = models::find_zoo_model(name)->spec;
    std::vector<std::string> left_out;
    const OptionList options = model_options(spec, 128, left_out);
    if (!left_out.empty()) {
      continue;
    }
    ++complete;
    Diagnostics diagnostics;
    Arguments arguments(split_words(text_of(options), name, diagnostics), diagnostics);
    const auto back = read_model(arguments, 1, diagnostics);
    ASSERT_TRUE(back) << name << to_string(diagnostics);
    EXPECT_TRUE(arguments.unused().empty()) << name;
    EXPECT_EQ(models::count_parameters(*back), models::count_parameters(spec)) << name;
    EXPECT_EQ(models::tensor_widths(*back), models::tensor_widths(spec)) << name;
    const models::Block& a = spec.stacks[0].runs[0].block;
    const models::Block& b = back->stacks[0].runs[0].block;
    EXPECT_EQ(a.attention.kv_heads, b.attention.kv_heads) << name;
    EXPECT_EQ(a.attention.head_dim, b.attention.head_dim) << name;
    EXPECT_EQ(a.attention.window, b.attention.window) << name;
    EXPECT_EQ(a.attention.rotary_dim, b.attention.rotary_dim) << name;
    EXPECT_EQ(a.feed_forward.width, b.feed_forward.width) << name;
    EXPECT_EQ(a.feed_forward.experts, b.feed_forward.experts) << name;
    EXPECT_EQ(a.dropout, b.dropout) << name;
  }
  EXPECT_GE(complete, 10);
}

TEST(MegatronModel, WhatItCannotSayIsLeftOut) {
  for (const auto& [name, what] :
       {std::pair("bert-large", "decoders"), std::pair("t5-large", "decoders"),
        std::pair("phi-2", "order of norms")}) {
    std::vector<std::string> left_out;
    model_options(models::find_zoo_model(name)->spec, 128, left_out);
    bool is_said = false;
    for (const std::string& sentence : left_out) {
      is_said = is_said || sentence.find(what) != std::string::npos;
    }
    EXPECT_TRUE(is_said) << name;
  }
}

// Megatron's own rules: four times the hidden size, a vocabulary in steps of 128 a device.
TEST(MegatronModel, DefaultsAreMegatrons) {
  Diagnostics diagnostics;
  Arguments arguments(
      split_words("--num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 32 "
                  "--vocab-size 1000",
                  "file", diagnostics),
      diagnostics);
  const auto spec = read_model(arguments, 2, diagnostics);
  ASSERT_TRUE(spec) << to_string(diagnostics);
  EXPECT_EQ(spec->stacks[0].runs[0].block.feed_forward.width, 256);
  EXPECT_EQ(spec->embedding.vocabulary, 1024);
  EXPECT_EQ(spec->embedding.positions, 32);
  EXPECT_EQ(spec->stacks[0].runs[0].block.dropout, 0.1);
  EXPECT_TRUE(spec->head.vocabulary->is_tied);
}

}  // namespace
}  // namespace phaze::launch
