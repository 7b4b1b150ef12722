#include "verify/training_plan.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "place/planner.h"
#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

using plan::TrainingPlan;

// Two stages of an embedding, four layers and a head; gradients are reduced over two devices.
struct Sample {
  PlanCase made;
  TrainingPlan plan;
  plan::Chain chain;
  verify::PlanTerms terms;
};

Sample make_sample() {
  Sample sample;
  MadeUpLayer layer;
  layer.parameters = 10;
  layer.forward_s = 1;
  layer.backward_s = 2;
  layer.optimizer_s = 1;
  layer.transient = 5;
  layer.ways = {{MadeUpLayer::Way{0, 50}, std::nullopt, MadeUpLayer::Way{1, 10}}};
  sample.made.model.layers = {layer, layer, layer};
  sample.made.model.layers[1].repeat = 4;
  sample.made.model.tied_parameters = 10;
  sample.made.model.boundary = 4;
  place::PlanProblem& problem = sample.made.problem;
  problem.devices = 4;
  problem.global_batch = 8;
  problem.capacity = Bytes(700);
  problem.other = Bytes(7);
  problem.limits.pipeline = problem.limits.data = {2};
  problem.limits.microbatch = {1};
  problem.limits.zero = {1};
  problem.limits.recompute = {plan::Recompute::kFull};
  problem.limits.schedule = {plan::PipelineSchedule::k1F1B};
  MadeUpCosts costs = sample.made.costs();
  const place::PlannerAnswer answer = place::solve_plan(problem, costs);
  sample.plan = answer.plans.at(0);
  sample.chain = *costs.chain(sample.plan.strategy);
  sample.terms = {problem.devices, problem.global_batch, problem.capacity,
                  problem.other,   problem.states,       answer.bound};
  return sample;
}

std::string faults_of(const Sample& sample) {
  std::string text;
  for (const std::string& fault : verify::find_faults(sample.terms, sample.chain, sample.plan)) {
    text += fault + "\n";
  }
  return text;
}

TEST(TrainingPlanCheck, TakesASoundPlan) { EXPECT_EQ(faults_of(make_sample()), ""); }

TEST(TrainingPlanCheck, FindsEveryFault) {
  struct Case {
    const char* fault;
    std::function<void(Sample&)> break_it;
  };
  const Case cases[] = {
      {"positive", [](Sample& s) { s.plan.strategy.data = 0; }},
      {"positive", [](Sample& s) { s.plan.microbatches = 0; }},
      {"positive",
       [](Sample& s) { s.plan.strategy.pipeline = std::numeric_limits<std::int64_t>::max(); }},
      {"no such stage", [](Sample& s) { s.plan.strategy.zero = 4; }},
      {"asked for", [](Sample& s) { s.plan.devices = 5; }},
      {"so many devices", [](Sample& s) { s.plan.strategy.tensor = 2; }},
      {"global batch", [](Sample& s) { s.plan.microbatches = 3; }},
      {"as many stages", [](Sample& s) { s.plan.stages.pop_back(); }},
      {"chunks", [](Sample& s) { s.plan.strategy.interleave = 2; }},
      {"has no layers", [](Sample& s) { s.plan.stages[0].layers.clear(); }},
      {"the model has not", [](Sample& s) { s.plan.stages[0].layers[0].layer = 3; }},
      {"the model has not", [](Sample& s) { s.plan.stages[0].layers[0].count = -1; }},
      {"out of order", [](Sample& s) { std::swap(s.plan.stages[0], s.plan.stages[1]); }},
      {"left out", [](Sample& s) { s.plan.stages[0].layers.back().count -= 1; }},
      {"layer 2 of the chain runs 0 times", [](Sample& s) { s.plan.stages[1].layers.pop_back(); }},
      {"forward is not", [](Sample& s) { s.plan.stages[0].forward = Seconds(2.5); }},
      {"backward is not", [](Sample& s) { s.plan.stages[1].recompute = plan::Recompute::kNone; }},
      {"network or recomputation", [](Sample& s) { s.plan.stages[0].network = Seconds(1); }},
      {"optimiser is not", [](Sample& s) { s.plan.stages[0].optimizer = Seconds(9); }},
      {"exposed", [](Sample& s) { s.plan.stages[0].exposed = Seconds(1e9); }},
      {"than there are", [](Sample& s) { s.plan.stages[0].in_flight = 100; }},
      {"of the schedule", [](Sample& s) { s.plan.stages[0].in_flight = 1; }},
      {"weights are not", [](Sample& s) { s.plan.stages[1].memory.weights = Bytes(60); }},
      {"gradients are not", [](Sample& s) { s.plan.stages[0].memory.gradients += Bytes(2); }},
      {"states are not", [](Sample& s) { s.plan.stages[0].memory.optimizer = Bytes(1); }},
      {"saved bytes", [](Sample& s) { s.plan.stages[0].saved += Bytes(1); }},
      {"activations", [](Sample& s) { s.plan.stages[0].memory.activations += Bytes(1); }},
      {"transient", [](Sample& s) { s.plan.stages[0].memory.transient = Bytes(4); }},
      {"other bytes", [](Sample& s) { s.plan.stages[0].memory.other = Bytes(0); }},
      {"does not fit", [](Sample& s) { s.terms.capacity = s.plan.capacity = Bytes(100); }},
      {"and does", [](Sample& s) { s.plan.fits = false; }},
      {"the bound", [](Sample& s) { s.terms.bound = s.plan.iteration * 1.01; }},
      {"add up to the iteration", [](Sample& s) { s.plan.parts.data += Seconds(1); }},
      {"negative",
       [](Sample& s) {
         s.plan.parts.data += Seconds(100);
         s.plan.parts.bubble = s.plan.parts.bubble - Seconds(100);
       }},
      {"than its stages",
       [](Sample& s) {
         s.terms.bound = Seconds(0);
         s.plan.iteration = Seconds(20);
       }},
      {"than one of its stages",
       [](Sample& s) { s.plan.stages[1].gradients = s.plan.stages[1].exposed = s.plan.iteration; }},
      {"one after another",
       [](Sample& s) {
         s.plan.parts.bubble += s.plan.iteration * 99.0;
         s.plan.iteration = s.plan.iteration * 100.0;
       }},
      {"and constants", [](Sample& s) { s.chain.layers[1].constants = Bytes(3); }},
      {"no time that is",
       [](Sample& s) { s.plan.iteration = Seconds(std::numeric_limits<double>::quiet_NaN()); }},
  };
  for (const Case& broken : cases) {
    Sample sample = make_sample();
    broken.break_it(sample);
    EXPECT_NE(faults_of(sample).find(broken.fault), std::string::npos)
        << broken.fault << ": " << faults_of(sample);
  }
}

}  // namespace
}  // namespace phaze::tests
