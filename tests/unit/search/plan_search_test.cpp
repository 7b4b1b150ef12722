// Plans without the command line, as a search over chips asks for them.
#include "search/plan_search.h"

#include <gtest/gtest.h>

#include "presets/chips.h"
#include "presets/clusters.h"
#include "search/plan_advice.h"
#include "search/plan_record.h"

namespace phaze::search {
namespace {

PlanSetting setting_of(Assumptions assumptions, const std::string& model, const std::string& chip,
                       std::int64_t devices, std::int64_t batch) {
  Diagnostics diagnostics;
  PlanSetting setting;
  setting.assumptions = assumptions;
  setting.model = models::load_model(model, diagnostics).value();
  setting.chip = presets::load_chip(chip, {}, diagnostics).value();
  setting.cluster =
      presets::load_cluster(is_original(assumptions) ? "flat" : "dgx-h100", {}, diagnostics)
          .value();
  setting.devices = devices;
  setting.global_batch = batch;
  if (is_original(assumptions)) {
    setting.build.attention = models::AttentionMode::kEager;
    setting.build.execution = models::Execution::kEager;
    setting.training = {
        graph::Precision::kBf16, graph::OptimizerKind::kSgd, {}, graph::Fusion::kNone};
  }
  return setting;
}

TEST(PlanSearch, PartsAddUpUnderAllAssumptions) {
  for (const Assumptions assumptions :
       {Assumptions::kModern, Assumptions::kPhaze2024, Assumptions::kPhaze2024Released}) {
    const PlanSetting setting = setting_of(assumptions, "bert-large", "h100", 16, 64);
    const PlanAnswer answer = find_plan(setting);
    ASSERT_TRUE(answer.has_fitting()) << to_string(assumptions);
    const plan::PlanRecord record = make_record(setting, answer);
    EXPECT_NEAR(record.plan.parts.total().value(), record.plan.iteration.value(),
                1e-9 * record.plan.iteration.value());
    EXPECT_EQ(record.assumptions, to_string(assumptions));
    EXPECT_EQ(record.chip, "h100");
    EXPECT_EQ(record.sequence, 512);
    EXPECT_GT(record.figures->mfu, 0);
    EXPECT_LE(record.figures->mfu, 1);
    EXPECT_EQ(record.figures->status, plan::SolveStatus::kOptimal);
  }
}

TEST(PlanSearch, CommunicationAThousandTimesCheaperIsFaster) {
  const auto best = [](Assumptions assumptions) {
    return find_plan(setting_of(assumptions, "gpt2-xl", "a100-40g", 64, 256)).plans.at(0).iteration;
  };
  EXPECT_LT(best(Assumptions::kPhaze2024Released), best(Assumptions::kPhaze2024));
}

TEST(PlanSearch, TheOriginalsWidthsAndMicrobatches) {
  PlanSetting setting = setting_of(Assumptions::kPhaze2024, "gpt3-175b", "h100", 1024, 4096);
  EXPECT_EQ(possible_widths(setting), (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(original_microbatches(setting), (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64}));
  setting.global_batch = 24;
  EXPECT_EQ(original_microbatches(setting), (std::vector<std::int64_t>{1, 2, 4, 8}));
  setting.assumptions = Assumptions::kModern;
  EXPECT_GT(possible_widths(setting).size(), 4U);
}

TEST(PlanSearch, GathersOfShardedWeightsAreCommunication) {
  PlanSetting setting = setting_of(Assumptions::kModern, "gpt2-xl", "h100", 16, 16);
  setting.limits.zero = {3};
  setting.limits.data = {16};
  setting.overlap = false;
  const PlanAnswer answer = find_plan(setting);
  ASSERT_TRUE(answer.has_fitting());
  const plan::TrainingPlan& plan = answer.plans.front();
  const plan::IterationParts parts = count_gathers(plan, answer.chains.front());
  EXPECT_NEAR(parts.total().value(), plan.iteration.value(), 1e-9 * plan.iteration.value());
  // Compute is what the layers take.
  double compute_s = 0;
  for (const plan::ChainLayer& layer : answer.chains.front().layers) {
    compute_s += (layer.work[0]->forward + layer.work[0]->backward).value() *
                 static_cast<double>(layer.repeat);
  }
  ASSERT_EQ(plan.strategy.tensor, 1);
  EXPECT_NEAR((parts.compute + parts.recompute).value(),
              (compute_s + plan.stages.front().recomputation.value()) *
                  static_cast<double>(plan.microbatches),
              1e-9 * plan.iteration.value());
  EXPECT_GT(parts.data.value(), 0.01 * plan.iteration.value());
  // Twice is the same.
  plan::TrainingPlan counted = plan;
  counted.parts = parts;
  EXPECT_EQ(count_gathers(counted, answer.chains.front()), parts);
}

TEST(PlanSearch, AStrategyThatDoesNotFitIsPricedWithTheLeastThatIsMissing) {
  for (const Assumptions assumptions : {Assumptions::kModern, Assumptions::kPhaze2024}) {
    PlanSetting setting = setting_of(assumptions, "gpt3-175b", "h100", 8, 32);
    setting.limits.tensor = {8};
    setting.limits.pipeline = {1};
    setting.limits.data = {1};
    const PlanAnswer answer = find_plan(setting);
    ASSERT_EQ(answer.plans.size(), 1U);
    EXPECT_FALSE(answer.has_fitting());
    EXPECT_EQ(answer.plans.front().strategy.microbatch, 1);
    EXPECT_GT(plan::peak_memory(answer.plans.front()), answer.plans.front().capacity);
    EXPECT_EQ(make_record(setting, answer).figures->status, plan::SolveStatus::kFeasible);
  }
}

TEST(PlanSearch, WhatWouldFitDoesAndLessDoesNot) {
  for (const Assumptions assumptions : {Assumptions::kModern, Assumptions::kPhaze2024}) {
    PlanSetting setting = setting_of(assumptions, "gpt3-175b", "h100", 4, 32);
    ASSERT_TRUE(find_plan(setting).plans.empty());
    const PlanNeeds needs = find_needs(setting);
    ASSERT_TRUE(needs.memory && needs.devices);
    PlanSetting more = setting;
    more.devices = *needs.devices;
    EXPECT_TRUE(find_plan(more).has_fitting());
    more.devices -= 1;
    EXPECT_FALSE(find_plan(more).has_fitting());
    more = setting;
    more.chip.hbm.stacks = 1;
    more.chip.hbm.stack_capacity = *needs.memory;
    EXPECT_TRUE(find_plan(more).has_fitting());
    more.chip.hbm.stack_capacity = Bytes(needs.memory->value() / 100 * 98);
    EXPECT_FALSE(find_plan(more).has_fitting());
  }
}

TEST(PlanWhy, NamesWhatBinds) {
  // One device and a model that fits: only its cores and its memory's bandwidth can bind.
  PlanSetting setting = setting_of(Assumptions::kModern, "bert-large", "h100", 1, 8);
  const Seconds best = find_plan(setting).plans.at(0).iteration;
  const plan::PlanWhy why = find_why(setting, best);
  ASSERT_FALSE(why.binds.empty());
  EXPECT_EQ(why.words.rfind("binds: ", 0), 0U) << why.words;
  for (const plan::Sensitivity& each : why.with) {
    ASSERT_TRUE(each.iteration) << each.what;
    EXPECT_LE(*each.iteration, best * (1 + 1e-9)) << each.what;
    EXPECT_LE(each.elasticity, 1.01) << each.what;
    const bool binds =
        std::find(why.binds.begin(), why.binds.end(), each.resource) != why.binds.end();
    if (each.resource == "link") {
      EXPECT_NEAR(each.elasticity, 0, 1e-9);
      EXPECT_FALSE(binds);
    }
    EXPECT_TRUE(binds || each.elasticity < 0.05) << each.what;
  }
}

// The links of a chip feed all dimensions of a torus: more for one must not be less for others.
TEST(PlanWhy, MoreOfALevelIsNoLessOfAnother) {
  Diagnostics diagnostics;
  PlanSetting setting = setting_of(Assumptions::kModern, "gpt2-xl", "h100", 64, 64);
  setting.cluster = presets::load_cluster("tpuv4-pod", {}, diagnostics).value();
  double all = 0;
  for (const hw::Level& level : setting.cluster.levels) {
    all += level.bandwidth.value();
  }
  setting.chip.links.bandwidth =
      BytesPerSecond(all / static_cast<double>(setting.chip.links.count));
  const plan::PlanWhy why = find_why(setting, find_plan(setting).plans.at(0).iteration);
  int gains = 0;
  for (const plan::Sensitivity& each : why.with) {
    if (each.resource == "link") {
      EXPECT_GE(each.elasticity, -1e-9) << each.what;
      gains += each.elasticity > 1e-3 ? 1 : 0;
    }
  }
  EXPECT_GT(gains, 0);
}

TEST(PlanWhy, StopsWhenItIsToldTo) {
  const PlanSetting setting = setting_of(Assumptions::kModern, "bert-large", "h100", 1, 8);
  const Seconds best = find_plan(setting).plans.at(0).iteration;
  const plan::PlanWhy whole = find_why(setting, best);
  EXPECT_TRUE(whole.is_complete);
  int asked = 0;
  const plan::PlanWhy part = find_why(setting, best, [&asked] { return ++asked > 3; });
  EXPECT_FALSE(part.is_complete);
  EXPECT_LT(part.with.size(), whole.with.size());
  for (std::size_t i = 0; i < part.with.size(); ++i) {
    EXPECT_EQ(part.with[i], whole.with[i]);
  }
  const plan::PlanWhy none = find_why(setting, best, [] { return true; });
  EXPECT_TRUE(none.with.empty());
  EXPECT_EQ(none.words, "stopped before anything was tried");
  const PlanSetting tight = setting_of(Assumptions::kModern, "gpt3-175b", "h100", 4, 32);
  const PlanNeeds needs = find_needs(tight, [] { return true; });
  EXPECT_FALSE(needs.memory || needs.devices);
}

TEST(PlanWhy, LinksBindWhereTheyAreSlow) {
  PlanSetting setting = setting_of(Assumptions::kPhaze2024, "bert-large", "h100", 64, 128);
  const plan::PlanWhy why = find_why(setting, find_plan(setting).plans.at(0).iteration);
  EXPECT_NE(std::find(why.binds.begin(), why.binds.end(), "link"), why.binds.end()) << why.words;
}

TEST(PlanSearch, ExpertsAreNoted) {
  const PlanSetting mixture = setting_of(Assumptions::kModern, "mixtral-8x7b", "h100", 64, 64);
  EXPECT_TRUE(has_experts(mixture));
  EXPECT_FALSE(has_experts(setting_of(Assumptions::kModern, "bert-large", "h100", 1, 1)));
  EXPECT_EQ(make_record(mixture, find_plan(mixture)).notes.size(), 1U);
}

}  // namespace
}  // namespace phaze::search
