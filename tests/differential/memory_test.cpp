// Peak memory by liveness over blocks that stand for many layers, against a simulation of every
// layer's every execution: equal to the byte, in all parts.
#include "graph/memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/training.h"
#include "support/configs.h"
#include "support/generators.h"
#include "support/step_simulation.h"

namespace phaze::graph {

void PrintTo(const PeakMemory& peak, std::ostream* out) {
  *out << "total " << peak.total.value() << ", " << to_string(peak.moment) << " " << peak.layer
       << "/" << peak.op << ", parameters " << peak.parameters.value() << ", gradients "
       << peak.gradients.value() << ", states " << peak.optimizer_states.value() << ", saved "
       << peak.saved_activations.value() << ", constants " << peak.constants.value()
       << ", transient " << peak.transient.value() << ", workspace " << peak.workspace.value();
}
void showValue(const PeakMemory& peak, std::ostream& out) { PrintTo(peak, &out); }

namespace {

MemoryOptions options_with(Allocation allocation) {
  MemoryOptions options;
  options.workspace = Bytes(100);
  options.allocation = allocation;
  return options;
}

const std::vector<std::string> kFamilies = {"bert",  "megatron-bert", "gpt2",  "opt",
                                            "llama", "mistral",       "qwen2", "mixtral",
                                            "phi",   "gpt_neox",      "t5",    "vit"};

TEST(MemoryAgainstSimulation, AgreesOnSmallModelsOfAllFamilies) {
  int compared = 0;
  for (const std::string& family : kFamilies) {
    for (const auto execution : {models::Execution::kFused, models::Execution::kEager}) {
      for (const auto attention : {models::AttentionMode::kFlash, models::AttentionMode::kEager}) {
        for (const char* policy : {"none", "selective", "full"}) {
          for (const std::int64_t layers : {1, 2, 5}) {
            models::ModelSpec spec = tests::spec_of(tests::small_config(family));
            for (models::Stack& stack : spec.stacks) {
              stack.runs[0].count = layers;
            }
            models::BuildOptions options;
            options.execution = execution;
            options.attention = attention;
            options.microbatch = 2;
            TrainingOptions training;
            training.recompute = *parse_recompute_policy(policy);
            training.fusion =
                execution == models::Execution::kFused ? Fusion::kFull : Fusion::kNone;
            const Model model = to_training(tests::build(spec, options), training);
            const MemoryOptions memory = options_with(Allocation::kExact);
            EXPECT_EQ(compute_peak_memory(model, memory), tests::simulate_step(model, memory))
                << family << " " << policy << " " << layers << " layers, execution "
                << models::to_string(execution) << ", attention " << models::to_string(attention);
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 12 * 2 * 2 * 3 * 3);
}

RC_GTEST_PROP(MemoryAgainstSimulation, AgreesOnAnyModel, ()) {
  const models::ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, *tests::options_for(spec));
  const Model model = to_training(forward, *tests::any_training());
  const auto allocation = *rc::gen::element(Allocation::kExact, Allocation::kCaching);
  RC_ASSERT(compute_peak_memory(model, options_with(allocation)) ==
            tests::simulate_step(model, options_with(allocation)));
}

// Layers that need not fit one another: inputs from outside, results that nobody takes, tensors
// shared or tied that another layer happens to have.
RC_GTEST_PROP(MemoryAgainstSimulation, AgreesOnAnyChainOfLayers, ()) {
  Model forward;
  forward.name = "random";
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    Layer layer = *tests::any_layer(10);
    layer.name = "layer" + std::to_string(i);
    layer.repeat = *rc::gen::inRange<std::int64_t>(1, 8);
    forward.layers.push_back(std::move(layer));
  }
  const Model model = to_training(forward, *tests::any_training());
  RC_ASSERT(compute_peak_memory(model, options_with(Allocation::kExact)) ==
            tests::simulate_step(model, options_with(Allocation::kExact)));
}

}  // namespace
}  // namespace phaze::graph
