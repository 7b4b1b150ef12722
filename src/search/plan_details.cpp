#include "search/plan_details.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "cost/layer.h"
#include "graph/summary.h"
#include "schedule/exact.h"
#include "search/layer_schedule.h"
#include "search/original_layers.h"

namespace phaze::search {
namespace {

using plan::LayerPass;
using plan::Recompute;

// How most layers of the plan recompute.
Recompute usual_recompute(const plan::TrainingPlan& plan) {
  std::array<std::int64_t, plan::kRecomputes> layers{};
  for (const plan::PlanStage& stage : plan.stages) {
    for (const plan::StageLayers& run : stage.layers) {
      layers[static_cast<std::size_t>(stage.recompute)] += run.count;
    }
  }
  return static_cast<Recompute>(std::ranges::max_element(layers) - layers.begin());
}

graph::RecomputePolicy policy_of(Recompute recompute) {
  graph::RecomputePolicy policy;
  policy.attention = recompute == Recompute::kSelective;
  policy.full = recompute == Recompute::kFull;
  return policy;
}

graph::Model make_model(const PlanSetting& setting, const plan::Strategy& strategy,
                        const graph::TrainingOptions& training) {
  graph::Model model;
  if (const auto* spec = std::get_if<models::ModelSpec>(&setting.model)) {
    models::BuildOptions build = setting.build;
    build.precision = training.precision;
    build.tensor_width = strategy.tensor;
    build.sequence_parallel = strategy.sequence_parallel;
    build.microbatch = strategy.microbatch;
    Diagnostics diagnostics;
    std::optional<graph::Model> built = models::build_model(*spec, build, diagnostics);
    CHECK(built, "a plan is of a model that can be built");
    model = *std::move(built);
  } else {
    model = std::get<graph::Model>(setting.model);
  }
  if (!graph::is_training(model)) {
    model = graph::to_training(std::move(model), training);
  }
  if (!has_weight_gradients(setting.assumptions)) {
    std::ranges::for_each(model.layers, drop_weight_gradients);
  }
  return model;
}

Bytes saved_bytes(const graph::Layer& layer) {
  Bytes sum;
  for (const graph::TensorId id : graph::compute_saved(layer)) {
    sum += graph::size_of(layer.tensors[id]);
  }
  return sum;
}

// With recomputation up to a way in each layer where that saves a hundredth, as in chains of
// layers.
graph::Model make_recomputing(const PlanSetting& setting, const plan::Strategy& strategy,
                              Recompute recompute) {
  constexpr double kWorthwhile = 0.99;
  graph::TrainingOptions training = setting.training;
  training.recompute = {};
  graph::Model model = make_model(setting, strategy, training);
  for (const Recompute way : {Recompute::kSelective, Recompute::kFull}) {
    if (way > recompute) {
      break;
    }
    training.recompute = policy_of(way);
    graph::Model other = make_model(setting, strategy, training);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      if (static_cast<double>(saved_bytes(other.layers[i]).value()) <=
          kWorthwhile * static_cast<double>(saved_bytes(model.layers[i]).value())) {
        model.layers[i] = std::move(other.layers[i]);
      }
    }
  }
  return model;
}

plan::DetailedPass make_pass(const cost::CostContext& context, const graph::Layer& layer,
                             LayerPass pass, const Scheduling& scheduling) {
  const Solver exact = [&scheduling](const plan::ScheduleProblem& problem, const Wanted& wanted) {
    return schedule::solve_exact(problem, exact_options(wanted, scheduling.work_limit));
  };
  plan::DetailedPass made;
  made.schedule = schedule_layer(context, layer, pass, scheduling.exclusive_wide,
                                 scheduling.solve ? scheduling.solve : exact);
  const plan::LayerCost cost = cost::compute_layer_cost(context, layer);
  for (const graph::OpId id : find_tasks(layer, pass).operators) {
    made.operators.push_back(
        {std::string(graph::to_string(layer.operators[id].kind)), cost.operators[id]});
  }
  CHECK(made.operators.size() == made.schedule.problem.tasks.size(), "tasks are operators");
  return made;
}

// What a plan counts for each layer: with the host, overlapped collectives and sums of gradients.
struct CountedPasses {
  Seconds forward, backward;
};

// None for the original's assumptions: they count the passes as they are.
std::vector<CountedPasses> count_passes(const PlanSetting& setting, const plan::TrainingPlan& plan,
                                        Recompute recompute) {
  if (is_original(setting.assumptions)) {
    return {};
  }
  SettingCosts costs(setting);
  const plan::Chain* chain = costs.costs().chain(plan.strategy);
  CHECK(chain != nullptr, "a plan has its chain");
  std::vector<CountedPasses> counted;
  for (const plan::ChainLayer& layer : chain->layers) {
    const plan::LayerWork& work = plan::work_of(layer, recompute);
    counted.push_back(
        {work.forward, work.backward + (plan.microbatches > 1 ? layer.accumulation : Seconds())});
  }
  return counted;
}

}  // namespace

plan::PlanDetails make_details(const PlanSetting& setting, const plan::TrainingPlan& plan,
                               hw::Technology technology) {
  plan::PlanDetails details;
  details.chip = setting.chip;
  details.figures = hw::compute_figures(setting.chip, technology);
  details.cluster = network_of(setting);
  details.peak = peak_of(setting).value();
  const Recompute recompute =
      is_original(setting.assumptions) ? Recompute::kNone : usual_recompute(plan);
  details.recompute = plan::to_string(recompute);
  const graph::Model model = make_recomputing(setting, plan.strategy, recompute);
  cost::CostContext context = cost::make_context(setting.chip);
  cost::ProductMemo products;
  context.products = &products;
  if (plan.strategy.tensor > 1) {
    const auto group =
        cost::place_group(details.cluster, plan.strategy.tensor,
                          plan::stride_of(plan.strategy, plan::Axis::kTensor), cost::Company::kAll);
    CHECK(group, "the tensor-parallel group of a plan has its place");
    context.network = cost::Network{&details.cluster, *group};
  }
  const auto fusion = model.settings.find("fusion");
  const bool is_library = fusion != model.settings.end()
                              ? fusion->second == "none"
                              : setting.training.fusion == graph::Fusion::kNone;
  context.kernels = is_library ? cost::Kernels::kLibrary : cost::Kernels::kTuned;
  Scheduling scheduling = setting.scheduling;
  scheduling.exclusive_wide = has_exclusive_wide(setting.assumptions);
  const std::vector<CountedPasses> counted = count_passes(setting, plan, recompute);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const LayerPass pass : {LayerPass::kForward, LayerPass::kBackward}) {
      details.passes.push_back(make_pass(context, model.layers[i], pass, scheduling));
      const bool is_counted = i < counted.size();
      details.passes.back().counted = !is_counted
                                          ? to_seconds(details.passes.back().schedule.time())
                                      : pass == LayerPass::kForward ? counted[i].forward
                                                                    : counted[i].backward;
    }
  }
  return details;
}

void add_details(const SearchQuestion& question, plan::SearchRecord& record) {
  struct Place {
    plan::SearchResult* result;
    std::size_t plan;
  };
  std::vector<Place> wanted;
  const auto add_to = [&](plan::SearchResult& result) {
    result.details.resize(result.plans.size());
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
      wanted.push_back({&result, i});
    }
  };
  std::ranges::for_each(record.own, add_to);
  if (record.common) {
    add_to(*record.common);
  }
  tbb::parallel_for(std::size_t{0}, wanted.size(), [&](std::size_t k) {
    plan::SearchResult& result = *wanted[k].result;
    const plan::PlanRecord& of = result.plans[wanted[k].plan];
    const auto model = std::ranges::find(question.models, of.model, &SearchModel::name);
    CHECK(model != question.models.end(), "a plan is of a model that was asked for");
    PlanSetting setting = model->setting;
    setting.chip = result.described;
    result.details[wanted[k].plan] = make_details(setting, of.plan, question.space.technology);
  });
}

}  // namespace phaze::search
