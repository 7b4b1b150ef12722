// Exact schedules of the layers of all built-in models, forward and backward, on chips drawn from
// the original's space: every model on every chip, each time in the next of its ways to run.
// PHAZE_SCHEDULE_CHIPS says how many chips (200).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/rng.h"
#include "cost/estimate.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/zoo.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "presets/spaces.h"
#include "schedule/memory.h"
#include "schedule_sample.h"
#include "search/layer_schedule.h"
#include "space/enumerate.h"
#include "verify/layer_schedule.h"

namespace phaze::bench {
namespace {

using plan::LayerPass;
using plan::ScheduleProblem;

struct NamedModel {
  std::string name;
  graph::Model model;
};

// By model: training steps of one micro-batch of its own sequence, tuned with fused attention and
// operator by operator; on one device and, where that divides, on one of eight.
std::vector<std::vector<NamedModel>> zoo_steps() {
  std::vector<std::vector<NamedModel>> all;
  for (const std::string& name : models::zoo_names()) {
    const models::ModelSpec spec = models::find_zoo_model(name)->spec;
    const std::vector<std::int64_t> widths = models::tensor_widths(spec);
    std::vector<NamedModel>& steps = all.emplace_back();
    for (const bool is_eager : {false, true}) {
      for (const std::int64_t width : {1, 8}) {
        if (std::find(widths.begin(), widths.end(), width) == widths.end()) {
          continue;
        }
        models::BuildOptions build;
        build.tensor_width = width;
        build.execution = is_eager ? models::Execution::kEager : models::Execution::kFused;
        build.attention = is_eager ? models::AttentionMode::kEager : models::AttentionMode::kFlash;
        graph::TrainingOptions training;
        training.fusion = is_eager ? graph::Fusion::kNone : graph::Fusion::kFull;
        Diagnostics diagnostics;
        steps.push_back(
            {name + (is_eager ? " eager" : " fused") + (width > 1 ? " of eight" : ""),
             graph::to_training(*models::build_model(spec, build, diagnostics), training)});
      }
    }
  }
  return all;
}

// One of each of so many equal stretches of the space.
std::vector<hw::Chip> draw_chips(std::size_t count) {
  Diagnostics diagnostics;
  hw::Chip base = presets::load_chip("tpuv4", {}, diagnostics, hw::Technology::kPhaze22).value();
  base.concurrent_operators = true;
  space::Space space = presets::load_space("phaze2024", diagnostics).value();
  space.base = base;
  std::vector<hw::Chip> all;
  space::visit_chips(
      space, 0, space::combinations(space),
      [&all](std::int64_t, const hw::Chip& chip, SquareMillimetres) { all.push_back(chip); });
  std::vector<hw::Chip> chips;
  Rng rng(1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = all.size() * i / count;
    chips.push_back(all[begin + rng.below(all.size() * (i + 1) / count - begin)]);
  }
  return chips;
}

std::string text_of(const hw::Chip& chip) {
  std::ostringstream text;
  text << chip.tensor.count << " x (" << chip.tensor.rows << " x " << chip.tensor.columns << ") + "
       << chip.vector.count << " x " << chip.vector.lanes << ", "
       << (chip.global.size.value() >> 20) << " MiB";
  return text.str();
}

// One pass of a layer under one rule: all numbers of busy cores together.
void add_pass(const cost::CostContext& context, const graph::Layer& layer, LayerPass pass,
              bool exclusive_wide, const std::string& kind, const std::string& group,
              Sample& sample) {
  schedule::Memory memory;
  std::int64_t work = 0;
  int schedules = 0;
  const auto solve = [&](const ScheduleProblem& problem, const search::Wanted& wanted) {
    schedule::ExactOptions options = search::exact_options(wanted, limited_to(30'000).work_limit);
    options.memory = &memory;
    plan::Schedule schedule = schedule::solve_exact(problem, options);
    work += schedule.work;
    ++schedules;
    return schedule;
  };
  const search::PricedPass priced = search::price_pass(context, layer, pass, exclusive_wide);
  const double begin = processor_seconds();
  const plan::LayerSchedule found = search::schedule_priced(priced, *context.chip, solve);
  Timed timed{found.schedule, processor_seconds() - begin, schedules};
  timed.schedule.work = work;
  if (found.is_proved()) {  // also by a floor that is above the makespan
    timed.schedule.status = plan::SolveStatus::kOptimal;
    timed.schedule.lower_bound = timed.schedule.makespan;
  }
  sample.add(kind, text_of(*context.chip), found.problem, timed, verify::find_faults(found));
  sample.count_last_as(group);
}

// Solves all layers of a model on a chip, under both rules; nothing where it cannot run.
bool add_model(const NamedModel& step, const hw::Chip& chip, const hw::Cluster& cluster,
               Sample& exclusive, Sample& shared) {
  cost::CostContext context = cost::make_context(chip);
  if (step.model.tensor_width > 1) {
    context.network = cost::Network{
        &cluster,
        cost::place_group(cluster, step.model.tensor_width, 1, cost::Company::kAll).value()};
  }
  const bool is_eager = step.model.settings.at("fusion") == "none";
  if (is_eager) {
    context.kernels = cost::Kernels::kLibrary;
  }
  if (cost::find_obstacle(context, step.model)) {
    return false;
  }
  for (const graph::Layer& layer : step.model.layers) {
    for (const LayerPass pass : {LayerPass::kForward, LayerPass::kBackward}) {
      const std::string kind =
          step.name + ", " + layer.name + " " + std::string(plan::to_string(pass));
      const std::string group =
          (is_eager ? "eager " : "fused ") + std::string(plan::to_string(pass));
      add_pass(context, layer, pass, true, kind, group, exclusive);
      add_pass(context, layer, pass, false, kind, group, shared);
    }
  }
  return true;
}

void zoo_layers(benchmark::State& state) {
  const char* count = std::getenv("PHAZE_SCHEDULE_CHIPS");
  const std::vector<hw::Chip> chips =
      draw_chips(count != nullptr ? static_cast<std::size_t>(std::atoi(count)) : 200);
  const std::vector<std::vector<NamedModel>> models = zoo_steps();
  Diagnostics diagnostics;
  const hw::Cluster cluster = presets::load_cluster("flat", {}, diagnostics).value();
  Sample exclusive(1), shared(1);
  std::size_t left_out = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < chips.size(); ++i) {
      for (const std::vector<NamedModel>& steps : models) {
        const NamedModel& step = steps[i % steps.size()];
        left_out += add_model(step, chips[i], cluster, exclusive, shared) ? 0 : 1;
      }
    }
  }
  std::printf("%zu models on %zu chips; %zu pairs cannot run\n", models.size(), chips.size(),
              left_out);
  exclusive.print("zoo-exclusive");
  shared.print("zoo-shared");
  for (const Sample* sample : {&exclusive, &shared}) {
    if (!sample->fault().empty()) {
      state.SkipWithError(sample->fault().c_str());
      return;
    }
  }
  state.counters["exclusive_us"] = exclusive.mean_us();
  state.counters["shared_us"] = shared.mean_us();
  state.SetLabel("targets: mean 100 us, p99 50 ms, all proved");
}
BENCHMARK(zoo_layers)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace phaze::bench
