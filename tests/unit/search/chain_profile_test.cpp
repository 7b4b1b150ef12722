// The chain that placement sees, against the step and the memory that it is made of.
#include "search/chain_profile.h"

#include <gtest/gtest.h>

#include "cost/step.h"
#include "graph/layer_memory.h"
#include "graph/summary.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "support/configs.h"

namespace phaze::search {
namespace {

using models::AttentionMode;
using plan::Chain;
using plan::ChainLayer;
using plan::LayerWork;
using plan::Recompute;

constexpr Recompute kWays[] = {Recompute::kNone, Recompute::kSelective, Recompute::kFull};

models::LoadedModel load(const std::string& name) {
  Diagnostics diagnostics;
  return models::load_model(name, diagnostics).value();
}

const ChainLayer& layer_of(const Chain& chain, const std::string& name) {
  for (const ChainLayer& layer : chain.layers) {
    if (layer.name == name) {
      return layer;
    }
  }
  throw std::runtime_error("no layer is called " + name);
}

bool is_offered(const ChainLayer& layer, Recompute way) {
  return layer.work[static_cast<std::size_t>(way)].has_value();
}

class ChainProfile : public ::testing::Test {
 protected:
  // Nobody waits for the host: sums are exact.
  void use(const std::string& model, const std::string& chip_name = "h100") {
    model_ = load(model);
    Diagnostics diagnostics;
    chip_ = presets::load_chip(chip_name, {}, diagnostics).value();
    chip_.host_launch = chip_.host_recompute = chip_.host_microbatch = Seconds();
    cluster_ = presets::load_cluster("dgx-h100", {}, diagnostics).value();
    request_.model = &model_;
    request_.context = cost::make_context(chip_);
    request_.cluster = &cluster_;
  }

  ChainShape shape(std::int64_t tensor, std::int64_t microbatch, bool sequence_parallel) const {
    return {tensor, sequence_parallel, microbatch,
            cost::place_group(cluster_, tensor, 1, cost::Company::kAll).value()};
  }

  Chain chain(std::int64_t tensor = 1, std::int64_t microbatch = 1,
              bool sequence_parallel = false) const {
    ChainOrReason answer = compute_chain(request_, shape(tensor, microbatch, sequence_parallel));
    EXPECT_EQ(answer.reason, "");
    return answer.chain.value();
  }

  // The graph of the same step, made as a whole.
  graph::Model training(const ChainShape& of, Recompute way) const {
    models::BuildOptions build = request_.build;
    build.tensor_width = of.tensor;
    build.microbatch = of.microbatch;
    build.sequence_parallel = of.sequence_parallel;
    graph::TrainingOptions options = request_.training;
    options.recompute = *graph::parse_recompute_policy(plan::to_string(way));
    return graph::to_training(tests::build(std::get<models::ModelSpec>(model_), build), options);
  }

  plan::StepCost step(const ChainShape& of, const graph::Model& model) const {
    cost::CostContext context = request_.context;
    context.network = cost::Network{&cluster_, of.tensor_group};
    if (request_.training.fusion == graph::Fusion::kNone) {
      context.kernels = cost::Kernels::kLibrary;
    }
    return cost::compute_step_cost(context, model);
  }

  models::LoadedModel model_;
  hw::Chip chip_;
  hw::Cluster cluster_;
  ProfileRequest request_;
};

// Sums over a chain's layers.
struct Sums {
  double forward = 0, backward = 0, recompute = 0, optimizer = 0, energy = 0, network = 0;
  double flops = 0, run_flops = 0;
  std::int64_t parameters = 0;
};

Sums sums_of(const Chain& chain, Recompute way) {
  Sums sums;
  for (const ChainLayer& layer : chain.layers) {
    const LayerWork& work = work_of(layer, way);
    const auto times = static_cast<double>(layer.repeat);
    sums.forward += work.forward.value() * times;
    sums.backward += work.backward.value() * times;
    sums.recompute += work.recompute.value() * times;
    sums.energy += work.energy.value() * times;
    sums.network += (work.forward_network + work.backward_network).value() * times;
    sums.optimizer += layer.optimizer.value() * times;
    sums.flops += layer.flops.value() * times;
    sums.run_flops += layer.run_flops.value() * times;
    sums.parameters += layer.parameters * layer.repeat;
  }
  return sums;
}

void expect_near(double found, double expected) { EXPECT_NEAR(found, expected, 1e-9 * expected); }

TEST_F(ChainProfile, AddsUpToTheStep) {
  use("llama2-7b");
  request_.build.attention = AttentionMode::kEager;
  for (const auto execution : {models::Execution::kFused, models::Execution::kEager}) {
    request_.build.execution = execution;
    request_.training.fusion =
        execution == models::Execution::kEager ? graph::Fusion::kNone : graph::Fusion::kFull;
    for (const std::int64_t width : {1, 8}) {
      const ChainShape of = shape(width, 2, width > 1);
      const Chain found = chain(width, 2, width > 1);
      for (const Recompute way : kWays) {
        const graph::Model model = training(of, way);
        const plan::StepCost whole = step(of, model);
        const Sums sums = sums_of(found, way);
        expect_near(sums.forward, whole.forward.time.value());
        expect_near(sums.backward, whole.backward.time.value());
        expect_near(sums.optimizer, whole.optimizer.time.value());
        expect_near(sums.energy, (whole.forward.energy + whole.backward.energy).value());
        double network = 0, gathered_again = 0;
        for (std::size_t i = 0; i < model.layers.size(); ++i) {
          for (const graph::OpId id : ids_of(model.layers[i].operators)) {
            const plan::OperatorCost& op = whole.layers[i].operators[id];
            const double time = op.bound == plan::Bound::kNetwork
                                    ? op.time.value() * static_cast<double>(model.layers[i].repeat)
                                    : 0;
            const bool is_again = model.layers[i].operators[id].pass == graph::Pass::kRecompute;
            network += time;
            gathered_again += is_again ? time : 0;
          }
        }
        expect_near(sums.network, network);
        // Collectives that run again are the network's.
        EXPECT_NEAR(sums.recompute, whole.recompute.time.value() - gathered_again,
                    1e-9 * whole.backward.time.value());
      }
      const graph::ModelSummary summary = graph::summarise(training(of, Recompute::kNone));
      const Sums sums = sums_of(found, Recompute::kNone);
      expect_near(sums.flops, summary.model_flops.value());
      expect_near(sums.run_flops, (summary.forward_flops + summary.backward_flops).value());
      EXPECT_EQ(sums.parameters, summary.parameters);
    }
  }
}

TEST_F(ChainProfile, GradientsAddUpInProductsOrAfterThem) {
  use("llama2-7b");
  const double bytes_per_s = hw::hbm_bandwidth(chip_).value() * chip_.sustained.hbm;
  const auto bytes_of = [&](models::Execution execution) {
    request_.build.execution = execution;
    const ChainLayer layer = layer_of(chain(), "decoder");
    return layer.accumulation.value() * bytes_per_s / static_cast<double>(layer.parameters);
  };
  expect_near(bytes_of(models::Execution::kFused), 4);     // read once more in fp32
  expect_near(bytes_of(models::Execution::kMegatron), 6);  // two read and one written in bf16
}

TEST_F(ChainProfile, TheHostIsWaitedForAtTheHead) {
  use("llama2-7b");
  const Chain before = chain();
  chip_.host_microbatch = Seconds(0.5);
  const Chain after = chain();
  for (std::size_t i = 0; i + 1 < before.layers.size(); ++i) {
    EXPECT_EQ(after.layers[i], before.layers[i]);
  }
  expect_near(after.layers.back().work[0]->forward.value(),
              before.layers.back().work[0]->forward.value() + 0.5);
}

TEST_F(ChainProfile, MemoryIsThatOfTheWholeGraph) {
  use("gpt2-xl");
  request_.build.attention = AttentionMode::kEager;
  const Chain found = chain(1, 4);
  for (const Recompute way : kWays) {
    const auto memory =
        graph::compute_layer_memory(training(shape(1, 4, false), way), graph::Allocation::kCaching);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const ChainLayer& layer = found.layers[i];
      EXPECT_EQ(work_of(layer, way).saved, memory[i].saved) << layer.name;
      EXPECT_EQ(work_of(layer, way).transient, memory[i].transient) << layer.name;
    }
  }
}

TEST_F(ChainProfile, OffersWaysToRecomputeThatSaveLess) {
  use("gpt2-xl");
  const Chain flash = chain();
  EXPECT_TRUE(is_offered(layer_of(flash, "decoder"), Recompute::kNone));
  // Row statistics of fused attention are not worth it.
  EXPECT_FALSE(is_offered(layer_of(flash, "decoder"), Recompute::kSelective));
  EXPECT_TRUE(is_offered(layer_of(flash, "decoder"), Recompute::kFull));
  for (const char* name : {"embedding", "head"}) {
    EXPECT_TRUE(is_offered(layer_of(flash, name), Recompute::kNone));
    EXPECT_FALSE(is_offered(layer_of(flash, name), Recompute::kSelective));
    EXPECT_FALSE(is_offered(layer_of(flash, name), Recompute::kFull));
  }
  request_.build.attention = AttentionMode::kEager;
  const Chain eager = chain();
  const ChainLayer& decoder = layer_of(eager, "decoder");
  ASSERT_TRUE(is_offered(decoder, Recompute::kSelective));
  EXPECT_LT(work_of(decoder, Recompute::kSelective).saved,
            work_of(decoder, Recompute::kNone).saved);
  EXPECT_LT(work_of(decoder, Recompute::kFull).saved,
            work_of(decoder, Recompute::kSelective).saved);
  EXPECT_GT(work_of(decoder, Recompute::kSelective).backward,
            work_of(decoder, Recompute::kNone).backward);
}

TEST_F(ChainProfile, BoundariesAreTheTokensOfAMicrobatch) {
  use("llama2-7b");
  request_.build.sequence = 1024;
  constexpr std::int64_t kTokens = std::int64_t{1024} * 4096 * 2;  // bytes of one sequence
  EXPECT_EQ(chain(1, 1).boundary, Bytes(kTokens));
  EXPECT_EQ(chain(1, 3).boundary, Bytes(3 * kTokens));
  EXPECT_EQ(chain(8, 1).boundary, Bytes(kTokens));
  EXPECT_EQ(chain(8, 1, true).boundary, Bytes(kTokens / 8));
  use("t5-large");
  request_.build.sequence = 512;
  request_.build.decoder_sequence = 128;
  EXPECT_EQ(chain(1, 2).boundary, Bytes(std::int64_t{2} * 512 * 1024 * 2));
}

TEST_F(ChainProfile, TiedParametersAreTheEmbeddings) {
  use("megatron-gpt2-2.5b");
  const auto& spec = std::get<models::ModelSpec>(model_);
  const std::int64_t table = spec.embedding.vocabulary * spec.hidden;
  EXPECT_EQ(chain(1).tied_parameters, table);
  EXPECT_EQ(chain(2).tied_parameters, table / 2);
  EXPECT_EQ(layer_of(chain(), "head").parameters, 2 * spec.hidden);  // the last norm
  use("gpt2-xl");
  EXPECT_EQ(chain().tied_parameters, std::int64_t{50257} * 1600);
  use("llama2-7b");
  EXPECT_EQ(chain().tied_parameters, 0);
}

TEST_F(ChainProfile, EncodersComeBeforeDecoders) {
  use("t5-large");
  const Chain found = chain();
  std::vector<std::string> names;
  for (const ChainLayer& layer : found.layers) {
    names.push_back(layer.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"encoder_embedding", "encoder_first", "encoder",
                                             "encoder_end", "decoder_embedding", "decoder_first",
                                             "decoder", "head"}));
  EXPECT_EQ(found.length(), 2 * 24 + 4);
}

TEST_F(ChainProfile, SaysWhyThereIsNone) {
  use("llama2-7b");
  const ChainOrReason odd = compute_chain(request_, shape(64, 1, false));
  EXPECT_FALSE(odd.chain);
  EXPECT_NE(odd.reason.find("divides heads"), std::string::npos) << odd.reason;
  request_.cluster = nullptr;
  const ChainOrReason alone = compute_chain(request_, shape(8, 1, false));
  EXPECT_FALSE(alone.chain);
  EXPECT_NE(alone.reason.find("name a cluster"), std::string::npos) << alone.reason;
  use("bert-large", "tpuv4");
  request_.training.precision = graph::Precision::kF32;
  const ChainOrReason format = compute_chain(request_, shape(1, 1, false));
  EXPECT_FALSE(format.chain);
  EXPECT_NE(format.reason.find("tpuv4 cannot train this"), std::string::npos) << format.reason;
  EXPECT_NE(format.reason.find("f32, which the chip cannot"), std::string::npos) << format.reason;
}

TEST_F(ChainProfile, GraphFilesHaveTheirSizesBuiltIn) {
  use("gpt2-xl");
  const Chain expected = chain(1, 2);
  models::BuildOptions build;
  build.microbatch = 2;
  const graph::Model forward = tests::build(std::get<models::ModelSpec>(model_), build);
  model_ = forward;
  EXPECT_EQ(chain(1, 2), expected);
  const ChainOrReason other = compute_chain(request_, shape(1, 1, false));
  EXPECT_FALSE(other.chain);
  EXPECT_EQ(other.reason, "the graph file is for tensor width 1 and micro-batch 2");
  EXPECT_FALSE(compute_chain(request_, shape(2, 2, false)).chain);
  // One that holds its backward pass is taken as it is.
  model_ = graph::to_training(forward, {});
  const Chain complete = chain(1, 2);
  for (std::size_t i = 0; i < complete.layers.size(); ++i) {
    EXPECT_EQ(complete.layers[i].work[0], expected.layers[i].work[0]);
    EXPECT_FALSE(complete.layers[i].work[1] || complete.layers[i].work[2]);
  }
}

TEST_F(ChainProfile, AMemoOfProductsChangesNothing) {
  use("llama2-7b");
  const Chain alone = chain(8, 1);
  cost::ProductMemo memo;
  request_.context.products = &memo;
  EXPECT_EQ(chain(8, 1), alone);
  const std::size_t solved = memo.size();
  EXPECT_GT(solved, 0U);
  EXPECT_EQ(chain(8, 1), alone);
  EXPECT_EQ(memo.size(), solved);
}

}  // namespace
}  // namespace phaze::search
