// What layers take, put together again, against a simulation of the whole step on one device and
// against its peak memory.
#include "graph/layer_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "graph/memory.h"
#include "graph/training.h"
#include "models/zoo.h"
#include "support/configs.h"
#include "support/generators.h"
#include "support/step_simulation.h"

namespace phaze::graph {
namespace {

// What is saved up to each layer, with what it needs besides: the most of it.
Bytes most_of(const Model& model, const std::vector<LayerMemory>& memory) {
  Bytes saved, most;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    saved += memory[i].saved * model.layers[i].repeat;
    most = std::max(most, saved + memory[i].transient);
  }
  return most;
}

// All that is saved and the largest of the rest.
Bytes simple_sum(const Model& model, const std::vector<LayerMemory>& memory) {
  Bytes saved, transient;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    saved += memory[i].saved * model.layers[i].repeat;
    transient = std::max(transient, memory[i].transient);
  }
  return saved + transient;
}

bool has_shared(const Model& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return std::ranges::any_of(layer.tensors,
                               [](const Tensor& tensor) { return tensor.role == Role::kShared; });
  });
}

TEST(LayerMemoryAgainstSimulation, AgreesOnSmallModelsOfAllFamilies) {
  for (const char* family : {"bert", "megatron-bert", "gpt2", "opt", "llama", "mistral", "qwen2",
                             "mixtral", "phi", "gpt_neox", "t5", "vit"}) {
    for (const auto execution : {models::Execution::kFused, models::Execution::kEager}) {
      for (const char* policy : {"none", "selective", "full"}) {
        for (const std::int64_t layers : {1, 2, 5}) {
          models::ModelSpec spec = tests::spec_of(tests::small_config(family));
          for (models::Stack& stack : spec.stacks) {
            stack.runs[0].count = layers;
          }
          models::BuildOptions options;
          options.execution = execution;
          options.microbatch = 2;
          TrainingOptions training;
          training.recompute = *parse_recompute_policy(policy);
          training.fusion = execution == models::Execution::kFused ? Fusion::kFull : Fusion::kNone;
          const Model model = to_training(tests::build(spec, options), training);
          const Bytes found = most_of(model, compute_layer_memory(model, Allocation::kExact));
          const Bytes truth = tests::simulate_activations(model, Allocation::kExact);
          if (has_shared(model)) {
            EXPECT_GE(found, truth) << family << " " << policy << " " << layers;
          } else {
            EXPECT_EQ(found, truth) << family << " " << policy << " " << layers;
          }
        }
      }
    }
  }
}

RC_GTEST_PROP(LayerMemoryAgainstSimulation, IsNeverLessForAnyModel, ()) {
  const models::ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model model =
      to_training(tests::build(spec, *tests::options_for(spec)), *tests::any_training());
  const auto allocation = *rc::gen::element(Allocation::kExact, Allocation::kCaching);
  const std::vector<LayerMemory> memory = compute_layer_memory(model, allocation);
  RC_ASSERT(most_of(model, memory) >= tests::simulate_activations(model, allocation));
}

// Layers that need not fit one another.
RC_GTEST_PROP(LayerMemoryAgainstSimulation, IsNeverLessForAnyChainOfLayers, ()) {
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
  const std::vector<LayerMemory> memory = compute_layer_memory(model, Allocation::kExact);
  RC_ASSERT(most_of(model, memory) >= tests::simulate_activations(model, Allocation::kExact));
}

// A step on one device, as torch.cuda.max_memory_allocated counts: what is there all the time, all
// gradients, and the layers' part. The peak itself is lower where it comes before all gradients
// have been made.
TEST(LayerMemory, IsThatOfThePeakForBuiltInModels) {
  for (const char* name : {"bert-large", "gpt2-xl", "llama3-8b", "mixtral-8x7b", "t5-large"}) {
    for (const std::int64_t microbatch : {1, 8}) {
      for (const char* policy : {"none", "selective", "full"}) {
        for (const std::int64_t width : {1, 2}) {
          const models::ModelSpec spec = models::find_zoo_model(name)->spec;
          models::BuildOptions options;
          options.microbatch = microbatch;
          options.tensor_width = name == std::string("gpt2-xl") ? 1 : width;
          options.sequence_parallel = width > 1;
          TrainingOptions training;
          training.recompute = *parse_recompute_policy(policy);
          const Model model = to_training(tests::build(spec, options), training);
          const PeakMemory peak = compute_peak_memory(model, {});
          const std::vector<LayerMemory> memory = compute_layer_memory(model, Allocation::kCaching);
          const Bytes always =
              peak.parameters + peak.optimizer_states + peak.constants + peak.workspace;
          Bytes gradients;
          TensorSizes sizes(model, Allocation::kCaching);
          for (const Layer& layer : model.layers) {
            for (const Tensor& tensor : layer.tensors) {
              if (is_weight(tensor) && !tensor.is_tied) {
                gradients += sizes.packed(tensor.shape, ElementType::kF32) * layer.repeat;
              }
            }
          }
          const std::string which = std::string(name) + " " + policy + " micro-batch " +
                                    std::to_string(microbatch) + " width " +
                                    std::to_string(options.tensor_width);
          const Bytes all = always + gradients + most_of(model, memory);
          EXPECT_GE(all, peak.total) << which;
          const Bytes truth =
              always + gradients + tests::simulate_activations(model, Allocation::kCaching);
          EXPECT_GE(all, truth) << which;
          // Shared tensors of T5 count twice.
          EXPECT_LE(static_cast<double>(all.value()),
                    (has_shared(model) ? 1.005 : 1) * static_cast<double>(truth.value()))
              << which;
          // Simpler, and larger where the head saves much that is gone when other layers need most.
          EXPECT_LE(static_cast<double>((always + gradients + simple_sum(model, memory)).value()),
                    1.05 * static_cast<double>(truth.value()))
              << which;
        }
      }
    }
  }
}

}  // namespace
}  // namespace phaze::graph
