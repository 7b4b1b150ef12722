#include "trust/predict_runs.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "base/check.h"
#include "place/even.h"
#include "search/plan_record.h"
#include "search/plan_search.h"
#include "trust/range.h"

namespace phaze::trust {
namespace {

using plan::Measure;
using plan::MeasuredRun;
using plan::Recompute;
using plan::TrainingPlan;

bool has_open_choices(const MeasuredRun& run) {
  return !run.microbatch || !run.interleave || !run.recompute;
}

plan::Strategy strategy_of(const MeasuredRun& run) {
  plan::Strategy strategy;
  strategy.tensor = run.tensor;
  strategy.sequence_parallel = run.sequence_parallel && run.tensor > 1;
  strategy.pipeline = run.pipeline;
  strategy.data = run.data;
  strategy.microbatch = *run.microbatch;
  strategy.interleave = *run.interleave;
  strategy.zero = run.data > 1 ? run.zero : 0;
  strategy.schedule =
      *run.interleave > 1 ? plan::PipelineSchedule::kInterleaved : plan::PipelineSchedule::k1F1B;
  return strategy;
}

// Where the choices are made, the plan with even stages, whether it fits or not; otherwise the best
// of them.
std::optional<TrainingPlan> price(const RunSetting& setting, search::SettingCosts& costs,
                                  std::string& reason, std::vector<std::string>& notes) {
  const MeasuredRun& run = *setting.run;
  if (has_open_choices(run)) {
    search::PlanAnswer answer = search::find_modern_plan(setting.setting, costs);
    reason = answer.plans.empty() && answer.reason.empty() ? "nothing fits" : answer.reason;
    notes = answer.notes;
    return answer.plans.empty() ? std::nullopt : std::optional(std::move(answer.plans.front()));
  }
  place::PlanProblem problem = search::make_plan_problem(setting.setting);
  const plan::Strategy strategy = strategy_of(run);
  if (!costs.costs().has_place(strategy)) {
    reason = "the groups of devices do not fill the levels of cluster " +
             setting.setting.cluster.name + " evenly";
    return std::nullopt;
  }
  std::optional<TrainingPlan> plan = place::price_evenly(problem, costs.costs(), strategy);
  if (!plan && run.recompute == Recompute::kSelective) {
    problem.limits.recompute = {Recompute::kNone};
    plan = place::price_evenly(problem, costs.costs(), strategy);
    notes.emplace_back("selective recomputation saves nothing here: this is without it");
  }
  if (!plan) {
    reason = costs.costs().reason().empty() ? "layers, stages and chunks do not go together"
                                            : costs.costs().reason();
  }
  return plan;
}

// The layer that is there most often, as the plan recomputes it.
const plan::LayerWork& repeated_layer(const plan::Chain& chain, Recompute recompute) {
  const auto most = std::max_element(
      chain.layers.begin(), chain.layers.end(),
      [](const plan::ChainLayer& a, const plan::ChainLayer& b) { return a.repeat < b.repeat; });
  for (auto i = static_cast<std::size_t>(recompute); i > 0; --i) {
    if (most->work[i]) {
      return *most->work[i];
    }
  }
  return *most->work[0];
}

plan::RunPrediction predict(const RunSetting& setting, TrainingPlan plan,
                            const plan::Chain& chain) {
  const MeasuredRun& run = *setting.run;
  plan::RunPrediction prediction;
  const auto fullest = std::max_element(plan.stages.begin(), plan.stages.end(),
                                        [](const plan::PlanStage& a, const plan::PlanStage& b) {
                                          return a.memory.total() < b.memory.total();
                                        });
  prediction.memory = fullest->memory;
  prediction.recompute = plan::recompute_of(plan);
  const plan::LayerWork& layer = repeated_layer(chain, plan.stages.front().recompute);
  const plan::StageMemory& memory = prediction.memory;
  double states = 0;  // of a device of each stage
  for (const plan::PlanStage& stage : plan.stages) {
    states += static_cast<double>(
        (stage.memory.weights + stage.memory.gradients + stage.memory.optimizer).value());
  }
  const plan::ByMeasure<double> all = {plan.iteration.value(),
                                       layer.forward.value(),
                                       layer.backward.value(),
                                       static_cast<double>(memory.total().value()),
                                       states / static_cast<double>(plan.stages.size()),
                                       static_cast<double>(memory.activations.value())};
  for (std::size_t i = 0; i < plan::kMeasures; ++i) {
    if (run.measured[i] && all[i] > 0) {
      prediction.predicted[i] = all[i];
    }
  }
  const auto peak = search::peak_of(setting.setting);
  CHECK(peak.has_value(), "settings have chips with their number format");
  prediction.regime = regime_of(
      search::make_record(plan, chain, setting.setting.chip, *peak, plan.iteration, false));
  plan.stages.clear();
  prediction.plan = std::move(plan);
  return prediction;
}

}  // namespace

std::vector<plan::ValidatedRun> predict_runs(const std::vector<RunSetting>& settings) {
  // Rows that share a chain go together.
  std::map<std::tuple<std::size_t, std::int64_t, bool, std::int64_t>, std::vector<std::size_t>>
      shared;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const MeasuredRun& run = *settings[i].run;
    shared[{settings[i].family, run.tensor, run.sequence_parallel, run.microbatch.value_or(0)}]
        .push_back(i);
  }
  std::vector<const std::vector<std::size_t>*> tasks;
  tasks.reserve(shared.size());
  for (const auto& [key, rows] : shared) {
    tasks.push_back(&rows);
  }
  std::vector<plan::ValidatedRun> runs(settings.size());
  tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t task) {
    const std::vector<std::size_t>& rows = *tasks[task];
    search::SettingCosts costs(settings[rows.front()].setting);
    for (const std::size_t row : rows) {
      const MeasuredRun& run = *settings[row].run;
      plan::ValidatedRun& made = runs[row];
      made.run = run;
      std::vector<std::string> notes;
      if (auto plan = price(settings[row], costs, made.reason, notes)) {
        const plan::Chain* chain = costs.costs().chain(plan->strategy);
        made.prediction = predict(settings[row], *std::move(plan), *chain);
        made.prediction->notes = std::move(notes);
        made.reason.clear();
      }
    }
  });
  return runs;
}

}  // namespace phaze::trust
