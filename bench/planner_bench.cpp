// How many strategies does the planner price or exclude in a second on one core, with all that they
// need of the model on the chip? The target is 1,000,000. Before that: with fewer choices, are the
// plans the same when nothing is excluded, and sound?

#include <benchmark/benchmark.h>

#include <cmath>

#include "cost/machine.h"
#include "hw/figures.h"
#include "models/zoo.h"
#include "place/planner.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "search/cluster_costs.h"
#include "verify/training_plan.h"

namespace phaze {
namespace {

constexpr double kTargetPerSecond = 1e6;

struct Scenario {
  const char* model;
  const char* chip;
  const char* cluster;
  std::int64_t devices;
};

// Mixed-precision Adam, global batch 2048: the program's defaults. Stays where it was made.
class Setting {
 public:
  explicit Setting(const Scenario& scenario)
      : model_(models::find_zoo_model(scenario.model)->spec),
        chip_(presets::load_chip(scenario.chip, {}, diagnostics_).value()),
        cluster_(presets::load_cluster(scenario.cluster, {}, diagnostics_).value()),
        widths_(models::tensor_widths(std::get<models::ModelSpec>(model_))) {
    cluster_ = hw::with_link_limit(cluster_, hw::link_bandwidth(chip_));
    request_.model = &model_;
    request_.context = cost::make_context(chip_);
    request_.cluster = &cluster_;
    problem.devices = scenario.devices;
    problem.global_batch = 2048;
    problem.capacity = hw::hbm_capacity(chip_);
    problem.other = chip_.reserved + chip_.workspace;
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  search::ClusterCosts costs() const { return {request_, widths_}; }

  place::PlanProblem problem;

 private:
  Diagnostics diagnostics_;
  models::LoadedModel model_;
  hw::Chip chip_;
  hw::Cluster cluster_;
  std::vector<std::int64_t> widths_;
  search::ProfileRequest request_;
};

// What is wrong with an answer; nothing: sound.
std::string faults_of(const place::PlanProblem& problem, search::ClusterCosts& costs,
                      const place::PlannerAnswer& answer) {
  if (answer.plans.empty() || !answer.is_complete ||
      answer.priced + answer.excluded != answer.strategies) {
    return "no plan, or strategies are missing";
  }
  const plan::TrainingPlan& best = answer.plans.front();
  const auto faults = verify::find_faults({problem.devices, problem.global_batch, problem.capacity,
                                           problem.other, problem.states, answer.bound},
                                          *costs.chain(best.strategy), best);
  return faults.empty() ? "" : faults.front();
}

// Tensor width 8 and micro-batches of one sequence, with and without the rules.
std::string compare_without_rules(const Setting& setting) {
  place::PlanProblem fewer = setting.problem;
  fewer.limits.tensor = {8};
  fewer.limits.microbatch = {1};
  fewer.limits.sequence_parallel = {true};
  fewer.limits.order = {plan::kTensorDataPipeline};
  fewer.limits.pipeline = {1, 2, 3, 4, 6, 7, 8, 9, 12, 16, 24};
  fewer.limits.zero = {0, 1};
  search::ClusterCosts costs = setting.costs();
  const place::PlannerAnswer with = place::solve_plan(fewer, costs);
  place::PlannerOptions off;
  off.use_bounds = off.use_limits = off.use_memory = false;
  const place::PlannerAnswer without = place::solve_plan(fewer, costs, off);
  const std::string faults = faults_of(fewer, costs, with) + faults_of(fewer, costs, without);
  if (!faults.empty()) {
    return faults;
  }
  const double with_s = with.plans.front().iteration.value();
  const double without_s = without.plans.front().iteration.value();
  return std::abs(with_s - without_s) <= 1e-12 * with_s ? "" : "bounds change the best plan";
}

void plan_training(benchmark::State& state, const Scenario& scenario) {
  const Setting setting(scenario);
  if (const std::string fault = compare_without_rules(setting); !fault.empty()) {
    state.SkipWithError(fault.c_str());
    return;
  }
  place::PlannerAnswer answer;
  for (auto _ : state) {
    search::ClusterCosts costs = setting.costs();
    answer = place::solve_plan(setting.problem, costs);
    benchmark::DoNotOptimize(answer);
  }
  search::ClusterCosts costs = setting.costs();
  if (const std::string fault = faults_of(setting.problem, costs, answer); !fault.empty()) {
    state.SkipWithError(fault.c_str());
    return;
  }
  const auto each_time = static_cast<double>(answer.strategies);
  using Counter = benchmark::Counter;
  state.counters["strategies"] = each_time;
  state.counters["priced"] = static_cast<double>(answer.priced);
  state.counters["iteration_s"] = answer.plans.front().iteration.value();
  state.counters["strategies_per_s"] = Counter(each_time, Counter::kIsIterationInvariantRate);
  state.counters["of_target"] =
      Counter(each_time / kTargetPerSecond, Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(plan_training, gpt3_175b_1024_a100,
                  Scenario{"gpt3-175b", "a100-80g", "dgx-a100", 1024})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_training, llama3_405b_16384_h100,
                  Scenario{"llama3-405b", "h100", "dgx-h100", 16'384})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace phaze
