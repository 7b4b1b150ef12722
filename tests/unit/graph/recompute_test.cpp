#include "graph/recompute.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/summary.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::Names;

//   x[1,4,8] - norm1 - q,k,v - scores - softmax - dropout - context - out - residual - gelu
Layer recomputed(const char* policy, std::int64_t gathered_from = 1) {
  const Layer layer = tests::with_backward(tests::attention_layer(gathered_from));
  return apply_recompute(layer, *parse_recompute_policy(policy));
}

Names again(const Layer& layer) { return tests::op_names(layer, Pass::kRecompute); }

// Every forward result that a policy makes again is written before it is read, and no backward
// operator reads the one that was dropped, but for `kept`.
void expect_runs(const Layer& layer, const std::string& kept = "") {
  EXPECT_EQ(tests::faults_of(layer), "");
  for (const Operator& op : layer.operators) {
    if (op.pass != Pass::kBackward) {
      continue;
    }
    for (const std::string& input : tests::names_of(layer, op.inputs)) {
      EXPECT_TRUE(input == kept || !tests::has_tensor(layer, input + ".recompute"))
          << op.name << " reads " << input;
    }
  }
}

TEST(RecomputePolicy, NamesReadBack) {
  for (const char* text : {"none", "full", "selective", "norms", "activations", "attention+norms",
                           "attention+norms+activations", "norms+activations"}) {
    const std::optional<RecomputePolicy> policy = parse_recompute_policy(text);
    ASSERT_TRUE(policy) << text;
    EXPECT_EQ(to_string(*policy), text);
  }
  EXPECT_EQ(parse_recompute_policy("attention"), parse_recompute_policy("selective"));
  EXPECT_EQ(parse_recompute_policy("norms+selective"), parse_recompute_policy("attention+norms"));
  EXPECT_EQ(to_string(RecomputePolicy{}), "none");
}

TEST(RecomputePolicy, OtherNamesAreNone) {
  for (const char* text : {"", "+", "norms+", "+norms", "all", "none+norms", "full+norms", "Norms",
                           "norms,activations"}) {
    EXPECT_FALSE(parse_recompute_policy(text)) << text;
  }
}

TEST(Recompute, NoneKeepsAllThatBackwardReads) {
  const Layer layer = recomputed("none");
  EXPECT_EQ(layer, tests::with_backward(tests::attention_layer()));
  EXPECT_EQ(tests::saved_names(layer),
            (Names{"x", "norm1", "norm1.statistics", "q", "k", "v", "softmax", "dropout",
                   "dropout.mask", "context", "residual"}));
}

TEST(Recompute, SelectiveRunsTheAttentionCoreAgainAsAWhole) {
  const Layer layer = recomputed("selective");
  expect_runs(layer, "context");
  EXPECT_EQ(again(layer), (Names{"scores.recompute", "softmax.recompute", "dropout.recompute",
                                 "context.recompute"}));
  // Nothing inside the core is kept, but what goes into it and what comes out of it.
  EXPECT_EQ(tests::saved_names(layer),
            (Names{"x", "norm1", "norm1.statistics", "q", "k", "v", "context", "residual"}));
  EXPECT_EQ(summarise(layer).recompute_flops, Flops(2 * (2.0 * 2 * 4 * 4 * 4)));
}

TEST(Recompute, TheCoreRunsAgainBeforeTheFirstThatReadsIt) {
  const Layer layer = recomputed("selective");
  EXPECT_LT(tests::op_id(layer, "out.data_gradient"), tests::op_id(layer, "scores.recompute"));
  EXPECT_LT(tests::op_id(layer, "context.recompute"),
            tests::op_id(layer, "context.right_gradient"));
  EXPECT_EQ(tests::inputs_of(layer, "context.right_gradient"),
            (Names{"dropout.recompute", "d(context)"}));
  EXPECT_EQ(tests::inputs_of(layer, "softmax.gradient"),
            (Names{"d(softmax)", "softmax.recompute"}));
  // The mask that is made again is the one that is read again.
  EXPECT_EQ(tests::inputs_of(layer, "dropout.gradient"),
            (Names{"d(dropout)", "dropout.mask.recompute"}));
  EXPECT_EQ(tests::inputs_of(layer, "out.weight_gradient"), (Names{"d(residual)", "context"}));
}

TEST(Recompute, NormsAreMadeAgainFromTheirInput) {
  const Layer layer = recomputed("norms");
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"norm1.recompute"}));
  EXPECT_EQ(tests::inputs_of(layer, "norm1.recompute"), (Names{"x", "norm1.weight"}));
  const Names saved = tests::saved_names(layer);
  EXPECT_EQ(std::ranges::count(saved, "norm1"), 0);
  EXPECT_EQ(std::ranges::count(saved, "norm1.statistics"), 0);
  EXPECT_EQ(std::ranges::count(saved, "x"), 1);
  EXPECT_EQ(summarise(layer).recompute_flops, Flops());  // vector work only
}

TEST(Recompute, ActivationsAreMadeAgainFromTheirInput) {
  const Layer layer = apply_recompute(tests::with_backward(tests::mlp_layer()),
                                      *parse_recompute_policy("activations"));
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"gelu.recompute"}));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "fc1"}));  // gelu's input, not its result
  EXPECT_EQ(tests::inputs_of(layer, "fc2.weight_gradient"),
            (Names{"d(residual)", "gelu.recompute"}));
}

// The last gelu's result is handed over and read by nobody here: nothing to make again.
TEST(Recompute, WhatBackwardDoesNotReadIsNotMadeAgain) {
  EXPECT_EQ(again(recomputed("activations")), Names{});
}

TEST(Recompute, PartsAddUp) {
  const Layer layer = recomputed("attention+norms+activations");
  expect_runs(layer, "context");
  EXPECT_EQ(again(layer), (Names{"scores.recompute", "softmax.recompute", "dropout.recompute",
                                 "context.recompute", "norm1.recompute"}));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "q", "k", "v", "context", "residual"}));
}

TEST(Recompute, FullKeepsTheInputAndRunsEverythingAgain) {
  const Layer layer = recomputed("full");
  expect_runs(layer);
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
  Names expected = tests::op_names(layer, Pass::kForward);
  for (std::string& name : expected) {
    name += ".recompute";
  }
  EXPECT_EQ(again(layer), expected);
  EXPECT_EQ(summarise(layer).recompute_flops, summarise(layer).forward_flops);
}

// x and norm1 hold half of the tokens, the gathered copy all of them: Megatron keeps the half.
TEST(Recompute, GathersAreAlwaysMadeAgain) {
  const Layer layer = recomputed("none", 2);
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"gather.recompute"}));
  EXPECT_EQ(tests::inputs_of(layer, "gather.recompute"), (Names{"norm1"}));
  EXPECT_EQ(tests::op_of(layer, "gather.recompute").group, 2);
  const Names saved = tests::saved_names(layer);
  EXPECT_EQ(std::ranges::count(saved, "gather"), 0);
  EXPECT_EQ(std::ranges::count(saved, "norm1"), 1);
}

TEST(Recompute, AGatherOfADroppedNormRunsAfterTheNorm) {
  const Layer layer = recomputed("norms", 2);
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"norm1.recompute", "gather.recompute"}));
  EXPECT_EQ(tests::inputs_of(layer, "gather.recompute"), (Names{"norm1.recompute"}));
}

TEST(Recompute, FullGathersOnceMore) {
  const Layer layer = recomputed("full", 2);
  expect_runs(layer);
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
  EXPECT_EQ(std::ranges::count(again(layer), "gather.recompute"), 1);
  EXPECT_EQ(again(layer).size(), tests::op_names(layer, Pass::kForward).size());
}

//   x - norm - view[2,2,2] - linear: the view of a dropped tensor is made again with it.
TEST(Recompute, ViewsFollowTheirStorage) {
  constexpr ElementType kType = ElementType::kBf16;
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kType);
  build.set_region(Region::kNorm);
  const TensorId norm = build.rms_norm("norm", x, {});
  build.set_region(Region::kNone);
  const TensorId heads = build.view("heads", norm, {4, 2});
  build.hand_over(build.linear("fc", heads, build.parameter("w", {3, 2}, kType)));
  const Layer layer = apply_recompute(tests::with_backward(std::move(build).finish()),
                                      *parse_recompute_policy("norms"));
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"norm.recompute", "heads.recompute"}));
  EXPECT_EQ(tests::tensor_of(layer, "heads.recompute").view_of,
            tests::tensor_id(layer, "norm.recompute"));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x"}));
}

// The norm of each head's q goes through a view into a core that is kept: only the norm and the
// view are made again, not the core.
TEST(Recompute, AViewInACoreThatIsKeptIsMadeAgainAlone) {
  constexpr ElementType kType = ElementType::kBf16;
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {2, 4}, kType);
  build.set_region(Region::kNorm);
  const TensorId norm = build.rms_norm("norm", x, {});
  build.set_region(Region::kAttentionCore);
  const TensorId heads = build.view("heads", norm, {2, 2, 2});
  const TensorId scores = build.product("scores", heads, heads, {2, 2, 2, 2}, {2, 2, 2}, kType);
  build.hand_over(build.unary(OpKind::kSoftmax, "softmax", scores));
  const Layer layer = apply_recompute(tests::with_backward(std::move(build).finish()),
                                      *parse_recompute_policy("norms"));
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"norm.recompute", "heads.recompute"}));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "softmax"}));
}

// A core's result may leave it through a view, and then it is kept like any result; a view that
// leads back into the core does not let it out.
TEST(Recompute, ViewsDoNotHideWhatLeavesACore) {
  for (const bool leaves : {true, false}) {
    constexpr ElementType kType = ElementType::kBf16;
    LayerBuilder build("layer");
    const TensorId x = build.input("x", {2, 4}, kType);
    build.set_region(Region::kAttentionCore);
    const TensorId odds = build.unary(OpKind::kSoftmax, "odds", x);
    build.set_region(Region::kNone);
    const TensorId turned = build.view("turned", odds, {4, 2});
    build.set_region(leaves ? Region::kNone : Region::kAttentionCore);
    build.hand_over(build.linear("fc", turned, build.parameter("w", {3, 2}, kType)));
    const Layer layer = apply_recompute(tests::with_backward(std::move(build).finish()),
                                        *parse_recompute_policy("selective"));
    EXPECT_EQ(tests::faults_of(layer), "");
    EXPECT_EQ(tests::saved_names(layer), (leaves ? Names{"odds"} : Names{"x"}));
  }
}

//   x - gather (regather) - view (norms) - fc: two reasons to make the view again, one copy.
TEST(Recompute, WhatTwoRegionsAskForIsMadeAgainOnce) {
  constexpr ElementType kType = ElementType::kBf16;
  LayerBuilder build("layer");
  const TensorId x = build.input("x", {1, 4}, kType);
  build.set_region(Region::kRegather);
  const TensorId all = build.collective(OpKind::kAllGather, "gather", x, {2, 4}, 2);
  build.set_region(Region::kNorm);
  const TensorId turned = build.view("turned", all, {4, 2});
  build.set_region(Region::kNone);
  build.hand_over(build.linear("fc", turned, build.parameter("w", {3, 2}, kType)));
  const Layer layer = apply_recompute(tests::with_backward(std::move(build).finish()),
                                      *parse_recompute_policy("norms"));
  expect_runs(layer);
  EXPECT_EQ(again(layer), (Names{"gather.recompute", "turned.recompute"}));
}

// Two attention cores, as in a decoder with an encoder's output: each is a region of its own, run
// again when its own gradients come.
TEST(Recompute, SeparateCoresRunAgainSeparately) {
  constexpr ElementType kType = ElementType::kBf16;
  LayerBuilder build("layer");
  TensorId x = build.input("x", {1, 4, 8}, kType);
  for (const char* name : {"self", "cross"}) {
    const TensorId q = build.linear(name + std::string(".q"), x,
                                    build.parameter(name + std::string(".w"), {8, 8}, kType));
    build.set_region(Region::kAttentionCore);
    x = build.attention(name, {q, q, q}, {1, 2, 2, 4, 4, 4}, {1, 4, 8});
    build.set_region(Region::kNone);
  }
  build.hand_over(x);
  const Layer layer = apply_recompute(tests::with_backward(std::move(build).finish()),
                                      *parse_recompute_policy("selective"));
  EXPECT_EQ(tests::faults_of(layer), "");
  EXPECT_EQ(again(layer), (Names{"cross.recompute", "self.recompute"}));
  EXPECT_LT(tests::op_id(layer, "cross.gradient"), tests::op_id(layer, "self.recompute"));
  EXPECT_EQ(tests::saved_names(layer), (Names{"x", "self.q", "self", "cross.q"}));
}

TEST(Recompute, KeepsWhatThePapersCount) {
  const Flops expected = summarise(recomputed("none")).model_flops;
  for (const char* policy : {"selective", "norms", "attention+norms+activations", "full"}) {
    EXPECT_EQ(summarise(recomputed(policy)).model_flops, expected) << policy;
  }
}

}  // namespace
}  // namespace phaze::graph
