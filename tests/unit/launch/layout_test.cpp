#include "launch/layout.h"

#include <gtest/gtest.h>

namespace phaze::launch {
namespace {

TEST(Layout, StagesAsMegatronSpellsThem) {
  const std::vector<StageShape> shapes = {{true, 3, false}, {false, 1, false}, {false, 0, true}};
  EXPECT_EQ(write_layout(shapes), "Et*3|t|L");
  std::string why;
  EXPECT_EQ(parse_layout("Et*3|t|L", why), shapes);
}

TEST(Layout, RepetitionsAreWrittenOut) {
  std::string why;
  const auto shapes = parse_layout("E t,t|(t*2|)*3L", why);
  ASSERT_TRUE(shapes) << why;
  EXPECT_EQ(*shapes, (std::vector<StageShape>{{true, 2, false},
                                              {false, 2, false},
                                              {false, 2, false},
                                              {false, 2, false},
                                              {false, 0, true}}));
}

TEST(Layout, WhatIsNoLayoutSaysWhy) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "one E in the first"},      {"t|EL", "one E in the first"},
      {"E|t|x|L", "found \"x\""},      {"E(t|L", "without a closing"},
      {"Et)|L", "without an opening"}, {"Et*|L", "a number after *"},
      {"Et*9999999|L", "after *"},     {"E((t*1000)*1000)*1000|L", "a million"},
      {"ELE|L", "one E in the first"}};
  for (const auto& [text, expected] : kCases) {
    std::string why;
    EXPECT_FALSE(parse_layout(text, why)) << text;
    EXPECT_NE(why.find(expected), std::string::npos) << text << ": " << why;
  }
}

TEST(Layout, EvenOnes) {
  EXPECT_FALSE(even_shapes(10, 4));
  const auto shapes = even_shapes(8, 4);
  ASSERT_TRUE(shapes);
  EXPECT_EQ(write_layout(*shapes), "Et*2|t*2|t*2|t*2L");
}

// Two stages of two chunks: forward passes stage 0, 1, 0, 1.
TEST(Layout, ChunksOfAPlanInTheOrderOfForward) {
  plan::PlanRecord record;
  record.layers = {"embedding", "decoder", "head"};
  record.plan.strategy.pipeline = 2;
  record.plan.strategy.interleave = 2;
  record.plan.stages.resize(2);
  record.plan.stages[0].layers = {{0, 1}, {1, 4}};
  record.plan.stages[1].layers = {{1, 4}, {2, 1}};
  EXPECT_EQ(shapes_of(record), even_shapes(8, 4));
}

// The embedding and the head each count as a layer of their chunk.
TEST(Layout, ChunksWhoseEndsCount) {
  plan::PlanRecord record;
  record.layers = {"embedding", "decoder", "head"};
  record.plan.strategy.pipeline = 2;
  record.plan.strategy.interleave = 2;
  record.plan.stages.resize(2);
  record.plan.stages[0].layers = {{0, 1}, {1, 3}};
  record.plan.stages[1].layers = {{1, 3}, {2, 1}};
  EXPECT_EQ(write_layout(shapes_of(record)), "Et|t*2|t*2|tL");
}

}  // namespace
}  // namespace phaze::launch
