// What is not proved of layer times, and what plans make of it.
#include "search/schedule_gap.h"

#include <gtest/gtest.h>

#include "cost/machine.h"
#include "models/load.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "schedule/exact.h"
#include "search/plan_search.h"

namespace phaze::search {
namespace {

// Backward of BERT's layers takes many nodes to prove on a chip that runs operators side by side.
PlanSetting setting_of(Assumptions assumptions, std::int64_t work_limit) {
  Diagnostics diagnostics;
  PlanSetting setting;
  setting.assumptions = assumptions;
  setting.model = models::load_model("bert-large", diagnostics).value();
  setting.chip = presets::load_chip("phaze-reference", {}, diagnostics).value();
  setting.cluster = presets::load_cluster("flat", {}, diagnostics).value();
  setting.devices = 16;
  setting.global_batch = 64;
  setting.build.attention = models::AttentionMode::kEager;
  setting.build.execution = models::Execution::kEager;
  setting.training = {
      graph::Precision::kBf16, graph::OptimizerKind::kSgd, {}, graph::Fusion::kNone};
  setting.limits.tensor = {1};
  setting.limits.microbatch = {1, 2};
  setting.scheduling = {};
  setting.scheduling.work_limit = work_limit;
  return setting;
}

graph::Model model_of(const PlanSetting& setting) {
  Diagnostics diagnostics;
  models::BuildOptions build = setting.build;
  build.precision = setting.training.precision;
  const auto& spec = std::get<models::ModelSpec>(setting.model);
  return graph::to_training(models::build_model(spec, build, diagnostics).value(),
                            setting.training);
}

// With much effort a layer takes no less than with little, less the gap.
TEST(ScheduleGap, OfLayersHoldsWhateverTheEffort) {
  const PlanSetting setting = setting_of(Assumptions::kPhaze2024, 20);
  const cost::CostContext context = cost::make_context(setting.chip);
  Scheduling little = setting.scheduling, much = setting.scheduling;
  little.exclusive_wide = much.exclusive_wide = true;
  much.work_limit = 20'000;
  int unproved = 0;
  for (const graph::Layer& layer : model_of(setting).layers) {
    const PricedLayer quick = price_layer(context, layer, little);
    const PricedLayer better = price_layer(context, layer, much);
    EXPECT_LE(better.schedule_gap, quick.schedule_gap) << layer.name;
    EXPECT_GE(better.work.forward, quick.work.forward * (1 - quick.schedule_gap - 1e-9));
    EXPECT_GE(better.work.backward, quick.work.backward * (1 - quick.schedule_gap - 1e-9));
    unproved += quick.schedule_gap > 0 ? 1 : 0;
    EXPECT_LT(quick.schedule_gap, 1);
  }
  EXPECT_GT(unproved, 0);
}

TEST(ScheduleGap, LeastTimesAreShorterBySlack) {
  plan::Chain chain;
  chain.layers.resize(1);
  plan::LayerWork& work = chain.layers[0].work[0].emplace();
  work.forward = Seconds(4);
  work.backward = Seconds(8);
  work.backward_network = Seconds(2);
  work.forward_slack = Seconds(1);
  work.backward_slack = Seconds(2);
  const plan::Chain least = with_least_times(chain);
  EXPECT_EQ(least.layers[0].work[0]->forward, Seconds(3));
  EXPECT_EQ(least.layers[0].work[0]->backward, Seconds(6));
  EXPECT_EQ(least.layers[0].work[0]->backward_network, Seconds(1.5));
}

// The bound of a search with little effort holds for what much effort finds.
TEST(ScheduleGap, BoundsOfPlansHoldWhateverTheEffort) {
  int open = 0;  // schedules that are not proved may be of no use to a better plan
  for (const Assumptions assumptions : {Assumptions::kPhaze2024, Assumptions::kModern}) {
    const PlanSetting little = setting_of(assumptions, 20);
    const PlanAnswer quick = find_plan(little);
    ASSERT_TRUE(quick.has_fitting());
    EXPECT_GT(quick.largest_gap, 0);
    EXPECT_LE(quick.bound, quick.plans[0].iteration);
    open += quick.bound < quick.plans[0].iteration ? 1 : 0;
    EXPECT_GE(quick.bound, quick.plans[0].iteration * (1 - quick.largest_gap - 1e-9));
    const PlanAnswer better = find_plan(setting_of(assumptions, 20'000));
    EXPECT_LE(better.largest_gap, quick.largest_gap);
    EXPECT_LE(quick.bound, better.plans[0].iteration);
    EXPECT_LE(better.plans[0].iteration, quick.plans[0].iteration * (1 + 1e-9));
    const plan::PlanRecord record = make_record(little, quick);
    EXPECT_EQ(record.proof->largest_gap, quick.largest_gap);
    EXPECT_LE(record.proof->plan_gap, quick.largest_gap);
    EXPECT_EQ(record.figures->bound, quick.bound);
  }
  EXPECT_GT(open, 0);
}

TEST(ScheduleGap, ChipsWithoutSchedulesHaveNone) {
  Diagnostics diagnostics;
  PlanSetting setting = setting_of(Assumptions::kModern, 1);
  setting.chip = presets::load_chip("h100", {}, diagnostics).value();
  const PlanAnswer answer = find_plan(setting);
  EXPECT_EQ(answer.largest_gap, 0);
  EXPECT_EQ(answer.bound, answer.plans.at(0).iteration);
}

}  // namespace
}  // namespace phaze::search
