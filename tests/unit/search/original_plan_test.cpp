// Plans under the original's cost function: against trying everything, and by hand.
#include "search/original_plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "support/original_brute_force.h"
#include "support/original_plans.h"
#include "verify/original_placement.h"
#include "verify/original_plan.h"

namespace phaze::search {
namespace {

using tests::hand_chain;

OriginalTerms terms_of(std::int64_t devices, std::int64_t batch, std::int64_t memory) {
  OriginalTerms terms;
  terms.devices = devices;
  terms.global_batch = batch;
  terms.memory = Bytes(memory);
  terms.bandwidth = BytesPerSecond(10);
  terms.parameter = Bytes(1);
  return terms;
}

// The shortest time of all micro-batches, stored or recomputed, widths, cuts and degrees.
std::optional<double> best_by_brute_force(const std::vector<OriginalChain>& chains,
                                          const OriginalTerms& terms) {
  std::map<std::int64_t, std::vector<const OriginalChain*>> by_size;
  for (const OriginalChain& chain : chains) {
    by_size[chain.microbatch].push_back(&chain);
  }
  std::optional<double> best;
  for (const auto& [size, of_size] : by_size) {
    for (const bool recompute : {false, true}) {
      const auto instance = make_original_instance(of_size, terms, recompute);
      for (const auto& time : tests::best_times_by_brute_force(instance)) {
        if (time && (!best || time->value() < *best)) {
          best = time->value();
        }
      }
    }
  }
  return best;
}

void expect_sound(const OriginalPlan& plan, Bytes memory) {
  EXPECT_EQ(verify::find_faults(plan.instance, plan.answer), std::vector<std::string>());
  EXPECT_EQ(verify::find_plan_faults(plan.instance, plan.placement, memory, plan.plan),
            std::vector<std::string>());
}

TEST(OriginalPlan, IsTheBestOfAll) {
  int fitting = 0, excluded = 0, recomputed = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    tests::Random random(seed);
    const auto chains = tests::random_chains(random, {1, 2}, {1, 2, 4});
    OriginalTerms terms = terms_of(random.pick(2, 9), 4 * random.pick(1, 6), random.pick(60, 350));
    terms.optimizer =
        random.toss() ? plan::OriginalOptimizer::kAdam : plan::OriginalOptimizer::kSgd;
    const OriginalPlanAnswer answer = solve_original_plan(chains, terms);
    const auto expected = best_by_brute_force(chains, terms);
    ASSERT_EQ(answer.best.has_value(), expected.has_value());
    EXPECT_EQ(answer.problems, 6);
    excluded += answer.solved < answer.problems ? 1 : 0;
    if (answer.best) {
      ++fitting;
      recomputed += answer.best->instance.recompute ? 1 : 0;
      EXPECT_DOUBLE_EQ(answer.best->plan.iteration.value(), *expected);
      EXPECT_TRUE(answer.best->plan.fits);
      expect_sound(*answer.best, terms.memory);
    }
    // Without bounds the same plan.
    terms.use_bounds = false;
    const OriginalPlanAnswer all = solve_original_plan(chains, terms);
    EXPECT_EQ(all.solved, all.problems);
    ASSERT_EQ(all.best.has_value(), answer.best.has_value());
    if (all.best) {
      EXPECT_EQ(all.best->plan, answer.best->plan);
    }
  }
  EXPECT_GT(fitting, 60);
  EXPECT_LT(fitting, 120);
  EXPECT_GT(excluded, 10);
  EXPECT_GT(recomputed, 2);
}

TEST(OriginalPlan, TimesAndMemoryByHand) {
  // Two layers of 1 s + 2 s and a tensor of 20 bytes between them at 10 bytes/s, two devices that
  // cannot hold both.
  const std::vector<OriginalChain> chains = {hand_chain(1, 1, {{2, 1, 2, 0, 10, 4, 20}})};
  OriginalTerms terms = terms_of(2, 3, 28);
  terms.recompute = false;
  const OriginalPlanAnswer answer = solve_original_plan(chains, terms);
  ASSERT_TRUE(answer.best);
  const plan::TrainingPlan& plan = answer.best->plan;
  ASSERT_EQ(plan.stages.size(), 2U);
  // Each stage waits 2 s for a tensor: 5 s; 3 micro-batches and one more slot.
  EXPECT_DOUBLE_EQ(plan.iteration.value(), 5 * 4);
  EXPECT_DOUBLE_EQ(plan.parts.compute.value(), 3 * 3);
  EXPECT_DOUBLE_EQ(plan.parts.pipeline.value(), 3 * 2);
  EXPECT_DOUBLE_EQ(plan.parts.bubble.value(), 5);
  // Weights, gradients, activations of two micro-batches and of one.
  EXPECT_EQ(plan.stages[0].memory.total(), Bytes(10 + 10 + 2 * 4));
  EXPECT_EQ(plan.stages[1].memory.total(), Bytes(10 + 10 + 4));
  EXPECT_EQ(plan.stages[0].in_flight, 2);
  expect_sound(*answer.best, terms.memory);
}

TEST(OriginalPlan, RecomputedStagesKeepTheirInput) {
  const std::vector<OriginalChain> chains = {hand_chain(1, 1, {{3, 1, 2, 0, 10, 50, 1}})};
  OriginalTerms terms = terms_of(3, 8, 10 + 10 + 50 + 2 * 1);
  terms.store = false;
  const OriginalPlanAnswer answer = solve_original_plan(chains, terms);
  ASSERT_TRUE(answer.best);
  const plan::TrainingPlan& plan = answer.best->plan;
  ASSERT_EQ(plan.stages.size(), 3U);
  EXPECT_EQ(plan.stages[1].recompute, plan::Recompute::kFull);
  EXPECT_EQ(plan.stages[1].memory.activations, Bytes(1));
  EXPECT_EQ(plan.stages[1].memory.transient, Bytes(50));
  EXPECT_EQ(plan.stages[1].backward, Seconds(3));
  EXPECT_EQ(plan.stages[2].recompute, plan::Recompute::kNone);
  EXPECT_EQ(plan.stages[2].memory.activations, Bytes(50));
  expect_sound(*answer.best, terms.memory);
}

TEST(OriginalPlan, TiesGoToTheSmallestMicrobatchAndToStoring) {
  // Twice the micro-batch takes twice the time: the same.
  const std::vector<OriginalChain> chains = {hand_chain(1, 1, {{1, 1, 1, 0, 1, 1, 0}}),
                                             hand_chain(1, 2, {{1, 2, 2, 0, 1, 1, 0}})};
  const OriginalPlanAnswer answer = solve_original_plan(chains, terms_of(1, 4, 100));
  ASSERT_TRUE(answer.best);
  EXPECT_EQ(answer.best->plan.strategy.microbatch, 1);
  EXPECT_FALSE(answer.best->instance.recompute);
}

TEST(OriginalPlan, AStrategyByHand) {
  const std::vector<OriginalChain> chains = {
      hand_chain(1, 1, {{1, 0.5, 0.5, 0, 5, 1, 1}, {4, 1, 2, 0, 10, 4, 1}, {1, 1, 1, 0, 5, 1, 0}}),
      hand_chain(2, 1, {{1, 0.5, 0.5, 0, 5, 1, 1}, {4, 1, 2, 0, 10, 4, 1}, {1, 1, 1, 0, 5, 1, 0}})};
  OriginalTerms terms = terms_of(8, 12, 1000);
  terms.fixed = plan::FixedStrategy{2, 1, 3, 0};
  OriginalPlanAnswer answer = solve_original_plan(chains, terms);
  ASSERT_TRUE(answer.best);
  EXPECT_EQ(answer.problems, 2);
  EXPECT_TRUE(answer.best->plan.fits);
  EXPECT_EQ(answer.best->plan.strategy.data, 3);
  ASSERT_EQ(answer.best->plan.stages.size(), 2U);
  // The embedding with the first two layers, the head with the last two.
  EXPECT_EQ(answer.best->placement.stages[0].end, 3U);
  expect_sound(*answer.best, terms.memory);

  // What is missing, of the choice that misses least.
  terms.memory = Bytes(20);
  answer = solve_original_plan(chains, terms);
  ASSERT_TRUE(answer.best);
  EXPECT_FALSE(answer.best->plan.fits);
  EXPECT_EQ(plan::peak_memory(answer.best->plan), Bytes(2 * 25 + 9));
  EXPECT_TRUE(answer.best->instance.recompute);
  expect_sound(*answer.best, terms.memory);

  // More devices than there are.
  terms.fixed = plan::FixedStrategy{2, 2, 3, 0};
  answer = solve_original_plan(chains, terms);
  EXPECT_FALSE(answer.best);
  EXPECT_EQ(answer.reason, "needs 12 devices of 8");
}

TEST(OriginalPlan, BatchesThatTheMicrobatchDoesNotDivideAreLeftOut) {
  const std::vector<OriginalChain> chains = {hand_chain(1, 4, {{1, 1, 1, 0, 1, 1, 0}})};
  EXPECT_FALSE(solve_original_plan(chains, terms_of(1, 6, 100)).best);
}

TEST(OriginalPlanFaults, AreFound) {
  const std::vector<OriginalChain> chains = {hand_chain(1, 1, {{4, 1, 2, 0, 10, 4, 20}})};
  const OriginalTerms terms = terms_of(4, 3, 36);
  const OriginalPlan sound = solve_original_plan(chains, terms).best.value();
  ASSERT_EQ(sound.plan.stages.size(), 4U);
  const auto faults_with = [&](const auto& change) {
    plan::TrainingPlan plan = sound.plan;
    change(plan);
    return verify::find_plan_faults(sound.instance, sound.placement, terms.memory, plan).size();
  };
  EXPECT_EQ(faults_with([](plan::TrainingPlan&) {}), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.iteration = Seconds(1); }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.strategy.data = 2; }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.strategy.microbatch = 2; }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.stages.pop_back(); }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.stages[0].layers[0].count = 2; }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.stages[1].forward = Seconds(9); }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.stages[1].memory.transient = Bytes(9); }),
            0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.stages[1].gradients = Seconds(9); }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.fits = false; }), 0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) {
              p.parts.compute += Seconds(1);
              p.parts.bubble = p.parts.bubble - Seconds(1);
            }),
            0U);
  EXPECT_GT(faults_with([](plan::TrainingPlan& p) { p.parts.data = Seconds(1); }), 0U);
}

}  // namespace
}  // namespace phaze::search
