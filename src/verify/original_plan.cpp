#include "verify/original_plan.h"

#include <algorithm>
#include <cmath>

namespace phaze::verify {
namespace {

using plan::OriginalInstance;
using plan::OriginalPlacement;
using plan::TrainingPlan;

constexpr double kRounding = 1e-9;

bool is_near(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max({1e-12, std::abs(a), std::abs(b)});
}

}  // namespace

std::vector<std::string> find_plan_faults(const OriginalInstance& instance,
                                          const OriginalPlacement& placement, Bytes capacity,
                                          const TrainingPlan& plan) {
  std::vector<std::string> faults;
  const auto expect = [&faults](bool holds, const std::string& fault) {
    if (!holds) {
      faults.push_back(fault);
    }
  };
  const plan::Strategy& s = plan.strategy;
  expect(s.tensor == placement.width && s.data == placement.data_parallel &&
             s.pipeline == static_cast<std::int64_t>(placement.stages.size()) &&
             plan.microbatches == placement.microbatches,
         "widths, stages or micro-batches are not the placement's");
  expect(s.microbatch * instance.microbatches == plan.global_batch,
         "micro-batches do not add up to the global batch");
  expect(plan.devices == instance.devices, "devices are not the problem's");
  expect(plan.iteration == placement.time, "the iteration is not the placement's time");
  const auto graph =
      std::ranges::find(instance.graphs, placement.width, &plan::OriginalGraph::width);
  if (graph == instance.graphs.end() || plan.stages.size() != placement.stages.size()) {
    faults.emplace_back("there are other stages or layers than the placement's");
    return faults;
  }
  double work_s = 0, load_s = 0;
  bool fits = true;
  std::size_t at = 0;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const plan::OriginalStage& from = placement.stages[i];
    const plan::PlanStage& stage = plan.stages[i];
    const std::string name = "stage " + std::to_string(i) + ": ";
    std::int64_t layers = 0;
    for (const plan::StageLayers& run : stage.layers) {
      layers += run.count;
    }
    expect(from.begin == at && layers == static_cast<std::int64_t>(from.end - from.begin),
           name + "has other layers than the placement's");
    at = from.end;
    if (from.end > graph->layers.size() || from.begin > from.end) {
      faults.push_back(name + "has layers that there are not");
      return faults;
    }
    const bool again = instance.recompute && i + 1 < plan.stages.size();
    double forward_s = 0, backward_s = 0, parameters = 0;
    for (std::size_t layer = from.begin; layer < from.end; ++layer) {
      forward_s += graph->layers[layer].forward.value();
      backward_s += graph->layers[layer].backward.value();
      parameters += graph->layers[layer].parameters.value();
    }
    expect(is_near(stage.forward.value(), forward_s) &&
               is_near(stage.backward.value(), backward_s + (again ? forward_s : 0)),
           name + "passes are not its layers'");
    // The rest of a pass that runs again is on the network.
    expect(again ? stage.recomputation.value() <= forward_s * (1 + kRounding) &&
                       stage.recomputation.value() >=
                           forward_s - stage.network.value() - kRounding * forward_s
                 : stage.recomputation == Seconds(),
           name + "recomputation is not a forward pass");
    expect(stage.network <= stage.forward + stage.backward, name + "network is above its passes");
    expect(static_cast<double>(stage.memory.weights.value()) == parameters,
           name + "weights are not its layers'");
    expect(is_near(static_cast<double>(stage.memory.total().value()), from.memory.value()),
           name + "memory is not the placement's");
    fits = fits && stage.memory.total() <= capacity;
    work_s += (stage.forward + stage.backward).value();
    load_s += from.load.value();
    expect(stage.gradients == (i == 0 ? placement.gradients : Seconds()),
           name + "gradients are not the placement's");
  }
  expect(at == graph->layers.size(), "layers are left out");
  expect(plan.fits == fits, "whether it fits is not what its stages say");
  const plan::IterationParts& p = plan.parts;
  double sum_s = 0;
  for (const Seconds part :
       {p.compute, p.recompute, p.tensor, p.pipeline, p.data, p.optimizer, p.bubble}) {
    expect(part.value() >= -kRounding * plan.iteration.value(),
           "a part of the iteration is negative");
    sum_s += part.value();
  }
  expect(is_near(sum_s, plan.iteration.value()), "parts do not add up to the iteration");
  const double each =
      static_cast<double>(plan.microbatches) / static_cast<double>(plan.stages.size());
  expect(is_near((p.compute + p.recompute + p.tensor).value(), work_s * each),
         "compute is not that of the stages");
  expect(is_near((p.compute + p.recompute + p.tensor + p.pipeline).value(), load_s * each),
         "transfers are not those of the stages");
  return faults;
}

}  // namespace phaze::verify
