#include "verify/original_placement.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/original_chains.h"

namespace phaze::verify {
namespace {

using plan::OriginalAnswer;
using plan::OriginalInstance;
using plan::OriginalPlacement;
using tests::original_chain;

// Two stages of two layers on a device each, twice.
OriginalInstance instance() {
  OriginalInstance instance =
      original_chain({{1, 2, 8, 1}, {2, 1, 8, 2}, {1, 1, 8, 1}, {1, 2, 8, 3}}, {1, 4, 1});
  instance.devices = 4;
  instance.microbatches = 70;
  instance.memory = plan::RealBytes(60);
  return instance;
}

OriginalAnswer sound_answer() {
  OriginalAnswer answer;
  answer.best = walk_placement(instance(), instance().graphs[0], {2, 4}, 2);
  answer.widths = {{1, answer.best->time}};
  return answer;
}

TEST(OriginalWalk, ByHand) {
  const OriginalPlacement p = walk_placement(instance(), instance().graphs[0], {2, 4}, 2);
  ASSERT_EQ(p.stages.size(), 2U);
  EXPECT_EQ(p.stages[0].load, Seconds(3 + 4 + 3));
  EXPECT_EQ(p.stages[0].compute, Seconds(6));
  EXPECT_EQ(p.stages[0].memory, plan::RealBytes(2 * 16 + 3 + 3));
  EXPECT_EQ(p.stages[1].load, Seconds(4 + 2 + 3));
  EXPECT_EQ(p.stages[1].memory, plan::RealBytes(2 * 16 + 4));
  EXPECT_EQ(p.slowest, Seconds(10));
  EXPECT_EQ(p.microbatches, 35);
  EXPECT_EQ(p.gradients, Seconds(4 * 0.5 * 16));
  EXPECT_EQ(p.time, Seconds(10 * 36 + 32));
}

TEST(OriginalWalk, Recomputation) {
  OriginalInstance again = instance();
  again.recompute = true;
  again.optimizer = plan::OriginalOptimizer::kAdam;
  const OriginalPlacement p = walk_placement(again, again.graphs[0], {2, 4}, 1);
  EXPECT_EQ(p.stages[0].load, Seconds(3 + 4 + 3));  // the transfer outlasts the forward pass
  EXPECT_EQ(p.stages[0].compute, Seconds(9));
  EXPECT_EQ(p.stages[0].memory, plan::RealBytes(3 * 16 + 3));  // the first stage reads nothing
  EXPECT_EQ(p.stages[1].load, Seconds(4 + 2 + 3));             // once only
  EXPECT_EQ(p.gradients, Seconds(0));
}

TEST(OriginalFaults, NoneInASoundAnswer) {
  EXPECT_EQ(find_faults(instance(), sound_answer()), std::vector<std::string>{});
}

std::string fault_of(const std::function<void(OriginalAnswer&)>& change) {
  OriginalAnswer answer = sound_answer();
  change(answer);
  const std::vector<std::string> faults = find_faults(instance(), answer);
  return faults.empty() ? "" : faults.front();
}

TEST(OriginalFaults, EveryClaimIsHeldToTheWalk) {
  const auto expect = [](const std::string& part, const std::function<void(OriginalAnswer&)>& c) {
    EXPECT_NE(fault_of(c).find(part), std::string::npos) << part << " in " << fault_of(c);
  };
  expect("claims a load of stage 1", [](auto& a) { a.best->stages[0].load = Seconds(9.9); });
  expect("claims a compute of stage 2", [](auto& a) { a.best->stages[1].compute = Seconds(0); });
  expect("claims memory of stage 2",
         [](auto& a) { a.best->stages[1].memory = plan::RealBytes(1); });
  expect("needs 61 bytes of 60", [](auto& a) { a.best->stages[1].memory = plan::RealBytes(61); });
  expect("claims a slowest", [](auto& a) { a.best->slowest = Seconds(11); });
  expect("claims gradients", [](auto& a) { a.best->gradients = Seconds(0); });
  expect("claims a time", [](auto& a) { a.best->time = Seconds(70); });
  expect("number of micro-batches", [](auto& a) { a.best->microbatches = 3; });
  expect("in the order of the chain", [](auto& a) { a.best->stages[0].end = 1; });
  expect("in the order of the chain", [](auto& a) { a.best->stages.pop_back(); });
  expect("in the order of the chain", [](auto& a) { a.best->stages.clear(); });
  expect("in the order of the chain", [](auto& a) { a.best->stages[1].end = 99; });
  expect("a width that is not there", [](auto& a) { a.best->width = 2; });
  expect("no pipeline", [](auto& a) { a.best->data_parallel = 0; });
  expect("needs 6 devices of 4", [](auto& a) { a.best->data_parallel = 3; });
  expect("too few devices", [](auto& a) { a.best->stages[0].devices = 0; });
  expect("not the best of a width", [](auto& a) { a.widths[0].time = Seconds(1); });
  expect("times of widths", [](auto& a) { a.widths.clear(); });
  expect("a fixed strategy", [](auto& a) { a.fixed.emplace(); });
}

TEST(OriginalFaults, PlainPlacementsAreNotBetter) {
  OriginalAnswer answer = sound_answer();
  answer.best = walk_placement(instance(), instance().graphs[0], {1, 2, 3, 4}, 1);
  answer.widths = {{1, answer.best->time}};
  ASSERT_GT(answer.best->time, sound_answer().best->time);
  EXPECT_FALSE(find_faults(instance(), answer).empty());
  answer.best.reset();
  answer.widths = {{1, std::nullopt}};
  ASSERT_FALSE(find_faults(instance(), answer).empty());
  EXPECT_NE(find_faults(instance(), answer).front().find("fits, and no placement was found"),
            std::string::npos);
}

TEST(OriginalFaults, TheFixedStrategyIsCheckedToo) {
  OriginalInstance fixed = instance();
  fixed.fixed = plan::FixedStrategy{2, 1, 2, 4};
  OriginalAnswer answer = sound_answer();
  EXPECT_FALSE(find_faults(fixed, answer).empty());  // it is missing
  answer.fixed = plan::FixedOutcome{answer.best, ""};
  EXPECT_EQ(find_faults(fixed, answer), std::vector<std::string>{});
  answer.fixed->placement->slowest = Seconds(1);
  EXPECT_FALSE(find_faults(fixed, answer).empty());
  answer.fixed = plan::FixedOutcome{};
  EXPECT_FALSE(find_faults(fixed, answer).empty());
}

}  // namespace
}  // namespace phaze::verify
