// What lies behind a plan: layers priced and scheduled once more must be the plan's own.
#include "search/plan_details.h"

#include <gtest/gtest.h>

#include "presets/chips.h"
#include "presets/clusters.h"
#include "search/plan_search.h"
#include "verify/layer_schedule.h"

namespace phaze::search {
namespace {

PlanSetting setting_of(Assumptions assumptions, const std::string& chip) {
  Diagnostics diagnostics;
  PlanSetting setting;
  setting.assumptions = assumptions;
  setting.model = models::load_model("bert-large", diagnostics).value();
  setting.chip = presets::load_chip(chip, {}, diagnostics).value();
  setting.cluster =
      presets::load_cluster(is_original(assumptions) ? "flat" : "dgx-h100", {}, diagnostics)
          .value();
  setting.devices = 8;
  setting.global_batch = 32;
  if (is_original(assumptions)) {
    setting.build.attention = models::AttentionMode::kEager;
    setting.build.execution = models::Execution::kEager;
    setting.training = {
        graph::Precision::kBf16, graph::OptimizerKind::kSgd, {}, graph::Fusion::kNone};
  }
  return setting;
}

// A pass of the chain's layer in the way that the details are shown with.
Seconds chain_time(const plan::ChainLayer& layer, plan::Recompute recompute, plan::LayerPass pass) {
  auto way = static_cast<std::size_t>(recompute);
  while (!layer.work[way]) {
    --way;
  }
  return pass == plan::LayerPass::kForward ? layer.work[way]->forward : layer.work[way]->backward;
}

struct Case {
  Assumptions assumptions;
  const char* chip;
  plan::Recompute recompute;
};

TEST(PlanDetails, LayersAreThoseOfThePlan) {
  for (const Case& each :
       {Case{Assumptions::kModern, "h100", plan::Recompute::kNone},
        Case{Assumptions::kModern, "h100", plan::Recompute::kFull},
        Case{Assumptions::kModern, "tpuv4", plan::Recompute::kNone},
        Case{Assumptions::kPhaze2024, "phaze-reference", plan::Recompute::kNone},
        Case{Assumptions::kPhaze2024Released, "phaze-reference", plan::Recompute::kNone}}) {
    PlanSetting setting = setting_of(each.assumptions, each.chip);
    setting.limits.recompute = {each.recompute};
    setting.limits.tensor = {2};
    setting.limits.zero = {0};
    const PlanAnswer answer = find_plan(setting);
    ASSERT_TRUE(answer.has_fitting()) << each.chip;
    const plan::Chain& chain = answer.chains.front();
    const plan::PlanDetails details =
        make_details(setting, answer.plans.front(), hw::Technology::kModern);
    ASSERT_EQ(details.passes.size(), 2 * chain.layers.size());
    EXPECT_EQ(details.recompute, plan::to_string(each.recompute));
    EXPECT_EQ(details.cluster.levels.size(), setting.cluster.levels.size());
    for (std::size_t i = 0; i < details.passes.size(); ++i) {
      const plan::DetailedPass& pass = details.passes[i];
      const plan::ChainLayer& layer = chain.layers[i / 2];
      EXPECT_EQ(verify::find_faults(pass.schedule), std::vector<std::string>{});
      EXPECT_EQ(pass.schedule.name, layer.name);
      EXPECT_EQ(pass.operators.size(), pass.schedule.problem.tasks.size());
      const double expected = chain_time(layer, each.recompute, pass.schedule.pass).value();
      EXPECT_LE(to_seconds(pass.schedule.time()).value(), expected * (1 + 1e-6));
      EXPECT_NEAR(pass.counted.value(), expected, 1e-9 * expected)
          << each.chip << " " << layer.name;
    }
  }
}

TEST(PlanDetails, AnOperatorByItselfIsWhatTheScheduleHasWide) {
  const PlanSetting setting = setting_of(Assumptions::kModern, "h100");
  const PlanAnswer answer = find_plan(setting);
  const plan::PlanDetails details =
      make_details(setting, answer.plans.front(), hw::Technology::kModern);
  for (const plan::DetailedPass& pass : details.passes) {
    for (const plan::TaskId id : ids_of(pass.schedule.problem.tasks)) {
      const plan::TaskRun& run = pass.schedule.schedule.runs[id];
      const plan::DetailedOperator& op = pass.operators[id.index()];
      EXPECT_FALSE(op.kind.empty());
      EXPECT_NEAR(to_seconds(run.end - run.start).value(), op.cost.time.value(),
                  1e-9 + 1e-6 * op.cost.time.value());
    }
  }
}

}  // namespace
}  // namespace phaze::search
