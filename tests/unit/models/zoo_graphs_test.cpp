// Every built-in model in many ways: its graph keeps what verify asks of it, forward and training.
#include <gtest/gtest.h>

#include "graph/summary.h"
#include "graph/training.h"
#include "models/zoo.h"
#include "support/configs.h"
#include "support/layers.h"

namespace phaze::models {
namespace {

// Short sequences: shapes matter here, sizes do not.
constexpr std::int64_t kSequence = 96;

class ZooGraphs : public ::testing::TestWithParam<std::string> {};

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

std::string describe(const BuildOptions& o, const graph::TrainingOptions& t) {
  return std::string(to_string(o.attention)) + " attention, " +
         std::string(to_string(o.execution)) + " execution, width " +
         std::to_string(o.tensor_width) + (o.sequence_parallel ? ", sequence parallel" : "") +
         (o.expand_kv ? ", expanded" : "") + ", microbatch " + std::to_string(o.microbatch) +
         ", recompute " + to_string(t.recompute) + ", fusion " + std::string(to_string(t.fusion)) +
         ", " + std::string(to_string(t.precision));
}

// All pairs of attention, execution, width and sequence parallelism; what is left takes turns.
TEST_P(ZooGraphs, VerifyInEveryForm) {
  const ModelSpec spec = find_zoo_model(GetParam())->spec;
  const std::vector<std::int64_t> widths = tensor_widths(spec);
  const char* policies[] = {"none",  "selective",         "full",
                            "norms", "norms+activations", "attention+norms+activations"};
  std::size_t turn = 0;
  for (const AttentionMode attention : {AttentionMode::kFlash, AttentionMode::kEager}) {
    for (const Execution execution : {Execution::kFused, Execution::kEager}) {
      for (const std::int64_t width : {widths.front(), widths.back()}) {
        for (const bool is_parallel : {false, true}) {
          ++turn;
          BuildOptions options;
          options.sequence = spec.embedding.channels > 0 ? 0 : kSequence;
          options.attention = attention;
          options.execution = execution;
          options.tensor_width = width;
          const std::int64_t tokens =
              options.sequence > 0 ? options.sequence : spec.default_sequence;
          options.sequence_parallel = is_parallel && tokens % width == 0;
          options.expand_kv = turn % 3 == 0;
          options.microbatch = 1 + static_cast<std::int64_t>(turn % 2);
          graph::TrainingOptions training;
          training.recompute = *graph::parse_recompute_policy(policies[turn % 6]);
          training.fusion = static_cast<graph::Fusion>(turn % 3);
          training.precision = static_cast<graph::Precision>((turn / 2) % 3);
          options.precision = training.precision;
          SCOPED_TRACE(describe(options, training));
          const graph::Model forward = tests::build(spec, options);
          EXPECT_EQ(tests::faults_of(forward), "");
          EXPECT_EQ(tests::faults_of(graph::to_training(forward, training)), "");
        }
      }
    }
  }
}

TEST_P(ZooGraphs, LayersAddUpToTheModel) {
  const ModelSpec spec = find_zoo_model(GetParam())->spec;
  const graph::Model model = tests::build(spec);
  EXPECT_EQ(graph::summarise(model).parameters, model.parameters);
  EXPECT_EQ(model.parameters, count_parameters(spec));
}

INSTANTIATE_TEST_SUITE_P(Models, ZooGraphs, ::testing::ValuesIn(zoo_names()), test_name);

}  // namespace
}  // namespace phaze::models
