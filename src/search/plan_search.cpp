#include "search/plan_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "graph/summary.h"
#include "place/planner.h"
#include "search/plan_record.h"
#include "search/schedule_gap.h"

namespace phaze::search {

using place::PlanLimits;
using place::PlannerAnswer;
using plan::TrainingPlan;

namespace {

constexpr double kRounding = 1e-9;

// Stages and widths are given: whether they fit or not is an answer.
bool is_strategy(const PlanLimits& limits) {
  return limits.tensor.size() == 1 && limits.pipeline.size() == 1 && limits.data.size() == 1;
}

// The plan that needs the least memory, to a mebibyte: the fastest one for a capacity that is
// doubled until there is one, and then lowered. For problems without a plan that fits.
std::optional<TrainingPlan> find_leanest_plan(const place::PlanProblem& problem,
                                              ClusterCosts& costs) {
  constexpr int kDoublings = 12;
  constexpr std::int64_t kMebibyte = 1 << 20;
  place::PlanProblem roomier = problem;
  const auto solve = [&](Bytes capacity) -> std::optional<TrainingPlan> {
    roomier.capacity = capacity;
    PlannerAnswer found = place::solve_plan(roomier, costs);
    return found.plans.empty() ? std::nullopt : std::optional(std::move(found.plans.front()));
  };
  std::optional<TrainingPlan> best;
  Bytes too_little = problem.capacity;
  for (int i = 0; i < kDoublings && !best; ++i) {
    best = solve(too_little * 2);
    too_little = best ? too_little : too_little * 2;
  }
  while (best && plan::peak_memory(*best).value() - too_little.value() > kMebibyte) {
    const Bytes middle((plan::peak_memory(*best).value() + too_little.value()) / 2);
    if (auto leaner = solve(middle)) {
      best = std::move(leaner);
    } else {
      too_little = middle;
    }
  }
  if (best) {
    best->capacity = problem.capacity;
    best->fits = false;
  }
  return best;
}

// Would there be strategies, were stages not asked to be interleaved?
bool is_interleaving_at_fault(const PlanSetting& setting, ClusterCosts& costs) {
  place::PlanProblem relaxed = make_plan_problem(setting);
  if (relaxed.limits.interleave.empty() && relaxed.limits.schedule.empty()) {
    return false;
  }
  relaxed.limits.interleave.clear();
  relaxed.limits.schedule.clear();
  place::PlannerOptions any;
  any.is_cancelled = [](std::int64_t done, Seconds best) {
    return done > 0 || std::isfinite(best.value());
  };
  return place::solve_plan(relaxed, costs, any).strategies > 0;
}

std::string why_none_is_left(const PlannerAnswer& found, const PlanSetting& setting,
                             ClusterCosts& costs) {
  if (is_interleaving_at_fault(setting, costs)) {
    return "no strategy is left: interleaved stages need a number of micro-batches that is a "
           "multiple of the stages, and stages x chunks that divide the layers, embedding and "
           "head counted or not";
  }
  if (found.unplaced > 0) {
    return "no strategy is left: the groups of devices asked for do not fill the levels of "
           "cluster " +
           setting.cluster.name + " evenly";
  }
  return "no strategy is left: " +
         (costs.reason().empty() ? std::string("widths, stages and devices do not go together")
                                 : costs.reason());
}

struct Solved {
  PlannerAnswer found;
  place::PlanProblem problem;  // that was solved
};

// Without selective recomputation where layers have no attention core that keeps anything.
Solved solve_as_asked(const PlanSetting& setting, place::PlanCosts& costs,
                      const place::PlannerOptions& planner) {
  Solved solved{{}, make_plan_problem(setting)};
  std::vector<plan::Recompute>& ways = solved.problem.limits.recompute;
  solved.found = place::solve_plan(solved.problem, costs, planner);
  if (solved.found.strategies == 0 && ways == std::vector{plan::Recompute::kSelective}) {
    ways = {plan::Recompute::kNone};
    solved.found = place::solve_plan(solved.problem, costs, planner);
  }
  return solved;
}

}  // namespace

PlanAnswer find_modern_plan(const PlanSetting& setting, SettingCosts& costs,
                            const PlanSearchOptions& options) {
  place::PlannerOptions planner;
  planner.keep = options.keep;
  planner.is_cancelled = options.is_cancelled;
  PlanAnswer answer;
  auto [found, problem] = solve_as_asked(setting, costs.costs(), planner);
  if (problem.limits.recompute != setting.limits.recompute && found.strategies > 0) {
    answer.notes.emplace_back("selective recomputation saves nothing here: this is without it");
  }
  answer.bound = found.bound;
  answer.largest_gap = costs.costs().largest_gap();
  answer.is_complete = found.is_complete;
  answer.strategies = found.strategies;
  answer.priced = found.priced;
  answer.excluded = found.excluded;
  if (found.plans.empty() && found.is_complete && found.strategies > 0 &&
      is_strategy(setting.limits)) {
    if (auto leanest = find_leanest_plan(problem, costs.costs())) {
      answer.bound = leanest->iteration;
      found.plans.push_back(*std::move(leanest));
    }
  }
  for (const TrainingPlan& plan : found.plans) {
    answer.chains.push_back(*costs.costs().chain(plan.strategy));
  }
  answer.plans = std::move(found.plans);
  if (answer.plans.empty() && answer.strategies == 0) {
    answer.reason = why_none_is_left(found, setting, costs.costs());
  }
  return answer;
}

PlanAnswer find_original_plan(const PlanSetting& setting, const OriginalChains& chains) {
  PlanAnswer answer;
  OriginalPlanAnswer found = solve_original_plan(chains.chains, make_original_terms(setting));
  answer.strategies = found.problems;
  answer.priced = found.solved;
  answer.excluded = found.problems - found.solved;
  for (const OriginalChain& chain : chains.chains) {
    answer.largest_gap = std::max(answer.largest_gap, chain.chain.schedule_gap);
  }
  if (found.best) {
    answer.bound = found.best->plan.iteration;
    answer.plans.push_back(found.best->plan);
    answer.chains.push_back(chains.chains[found.best->chain].chain);
    answer.original = std::move(found.best);
  } else if (!found.reason.empty()) {
    answer.reason = "the strategy cannot be: " + found.reason;
  } else if (found.problems == 0) {
    answer.reason =
        "no strategy is left: " +
        (chains.reason.empty() ? std::string("widths, micro-batches and devices do not go together")
                               : chains.reason);
  }
  return answer;
}

PlanAnswer find_plan(const PlanSetting& setting, const PlanSearchOptions& options) {
  const auto has_gap = [&options](const PlanAnswer& answer) {
    return options.bounds_layers && answer.largest_gap > 0 && answer.is_complete &&
           answer.has_fitting();
  };
  if (is_original(setting.assumptions)) {
    OriginalChains chains = make_original_chains(setting);
    PlanAnswer answer = find_original_plan(setting, chains);
    if (has_gap(answer)) {
      for (OriginalChain& chain : chains.chains) {
        chain.chain = with_least_times(std::move(chain.chain));
      }
      answer.bound = std::min(answer.bound, find_original_plan(setting, chains).bound);
    }
    return answer;
  }
  SettingCosts costs(setting);
  PlanAnswer answer = find_modern_plan(setting, costs, options);
  if (has_gap(answer)) {
    LeastCosts least(costs.costs());
    place::PlannerOptions planner;
    planner.is_cancelled = options.is_cancelled;
    answer.bound = std::min(answer.bound, solve_as_asked(setting, least, planner).found.bound);
  }
  return answer;
}

namespace {

// The largest gap of the passes that the plan runs.
double gap_of(const TrainingPlan& plan, const plan::Chain& chain) {
  double gap = 0;
  for (const plan::PlanStage& stage : plan.stages) {
    for (const plan::StageLayers& run : stage.layers) {
      const plan::LayerWork& work = plan::work_of(chain.layers[run.layer], stage.recompute);
      gap = std::max({gap, work.forward_gap, work.backward_gap});
    }
  }
  return gap;
}

// A split model repeats some of its work on every device, and its vocabulary may be padded: MFU is
// of the model's own.
void count_model_flops(const PlanSetting& setting, FlopsPerSecond peak, plan::PlanRecord& record) {
  const auto* spec = std::get_if<models::ModelSpec>(&setting.model);
  const plan::Strategy& strategy = record.plan.strategy;
  if (spec == nullptr || strategy.tensor == 1 || is_original(setting.assumptions)) {
    return;
  }
  models::BuildOptions build = setting.build;
  build.precision = setting.training.precision;
  build.tensor_width = build.microbatch = 1;
  build.sequence_parallel = false;
  Diagnostics diagnostics;
  const std::optional<graph::Model> model = models::build_model(*spec, build, diagnostics);
  CHECK(model, "a model that can be cut can be built whole");
  const Flops flops = graph::summarise(graph::to_training(*model, setting.training)).model_flops;
  const auto devices = static_cast<double>(strategy.tensor * strategy.pipeline * strategy.data);
  record.figures->mfu = flops.value() * static_cast<double>(setting.global_batch) /
                        (devices * peak.value() * record.plan.iteration.value());
  const std::int64_t vocabulary = spec->embedding.vocabulary;
  const std::int64_t padded = models::padded_vocabulary(vocabulary, strategy.tensor);
  if (vocabulary > 0 && padded != vocabulary) {
    record.notes.push_back("the vocabulary of " + with_thousands(vocabulary) + " is padded to " +
                           with_thousands(padded) + " for a tensor width of " +
                           std::to_string(strategy.tensor) + ", as Megatron-LM does");
  }
}

}  // namespace

plan::PlanRecord make_record(const PlanSetting& setting, const PlanAnswer& answer) {
  CHECK(!answer.plans.empty(), "a record needs a plan");
  const auto peak = peak_of(setting);
  CHECK(peak.has_value(), "a plan runs on a chip with its number format");
  plan::PlanRecord record =
      make_record(answer.plans.front(), answer.chains.front(), setting.chip, *peak, answer.bound,
                  answer.is_complete && answer.has_fitting() &&
                      answer.bound >= answer.plans.front().iteration * (1 - kRounding));
  record.cluster = setting.cluster.name;
  record.assumptions = to_string(setting.assumptions);
  record.sequence = sequence_of(setting);
  record.workload = plan::PlanWorkload{std::string(graph::to_string(setting.training.precision)),
                                       std::string(graph::to_string(setting.training.optimizer)),
                                       std::string(models::to_string(setting.build.attention)),
                                       std::string(models::to_string(setting.build.execution)),
                                       setting.overlap && !is_original(setting.assumptions)};
  record.notes = answer.notes;
  count_model_flops(setting, *peak, record);
  record.proof =
      plan::LayerProof{answer.largest_gap, gap_of(answer.plans.front(), answer.chains.front())};
  for (std::size_t i = 1; i < answer.plans.size(); ++i) {
    record.alternatives.push_back(answer.plans[i]);
    record.alternatives.back().parts = count_gathers(answer.plans[i], answer.chains[i]);
  }
  if (has_experts(setting)) {
    record.notes.emplace_back(
        "the experts of this model are not spread over devices: each device of a tensor-parallel "
        "group holds its share of every expert");
  }
  return record;
}

}  // namespace phaze::search
