// Do activations per layer and device follow Korthikanti et al. 2022 ("Reducing activation
// recomputation in large transformer models", table 2)? Bytes of a layer with unfused attention and
// dropout, s sequence, b micro-batch, h hidden, a heads, t tensor width.

#include <gtest/gtest.h>

#include "graph/summary.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/zoo.h"

namespace phaze::models {
namespace {

struct Case {
  std::string model;
  std::int64_t microbatch;
  std::int64_t tensor;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.model << " b " << c.microbatch << " t " << c.tensor;
  }
};

class Korthikanti : public testing::TestWithParam<Case> {
 protected:
  double s_ = 0, b_ = 0, h_ = 0, a_ = 0, t_ = 0;

  double saved(bool sequence_parallel, const std::string& recompute) {
    const ModelSpec spec = find_zoo_model(GetParam().model)->spec;
    BuildOptions options;
    options.microbatch = GetParam().microbatch;
    options.tensor_width = GetParam().tensor;
    options.sequence_parallel = sequence_parallel;
    options.attention = AttentionMode::kEager;
    Diagnostics diagnostics;
    const std::optional<graph::Model> forward = build_model(spec, options, diagnostics);
    EXPECT_TRUE(forward) << to_string(diagnostics);
    graph::TrainingOptions training;
    training.recompute = *graph::parse_recompute_policy(recompute);
    const graph::Model model = graph::to_training(*forward, training);
    s_ = static_cast<double>(model.sequence);
    b_ = static_cast<double>(model.microbatch);
    h_ = static_cast<double>(spec.hidden);
    a_ = static_cast<double>(spec.stacks[0].runs[0].block.attention.heads);
    t_ = static_cast<double>(model.tensor_width);
    return static_cast<double>(graph::summarise(model.layers.at(1)).saved_activation_bytes.value());
  }

  // The paper leaves out the statistics of the two norms: a mean and a deviation per token.
  double statistics(bool is_split) const { return 2 * 8 * s_ * b_ / (is_split ? t_ : 1); }
};

TEST_P(Korthikanti, TensorParallel) {
  const double found = saved(false, "none");
  EXPECT_DOUBLE_EQ(found,
                   s_ * b_ * h_ * (10 + 24 / t_ + 5 * a_ * s_ / (h_ * t_)) + statistics(false));
}

TEST_P(Korthikanti, TensorAndSequenceParallel) {
  const double found = saved(true, "none");
  EXPECT_DOUBLE_EQ(found, s_ * b_ * h_ / t_ * (34 + 5 * a_ * s_ / h_) + statistics(true));
}

TEST_P(Korthikanti, SelectiveRecomputation) {
  const double found = saved(true, "selective");
  EXPECT_DOUBLE_EQ(found, s_ * b_ * h_ / t_ * 34 + statistics(true));
}

TEST_P(Korthikanti, FullRecomputation) {
  const double found = saved(false, "full");
  EXPECT_DOUBLE_EQ(found, 2 * s_ * b_ * h_);
}

INSTANTIATE_TEST_SUITE_P(Models, Korthikanti,
                         testing::Values(Case{"gpt3-175b", 1, 1}, Case{"gpt3-175b", 1, 8},
                                         Case{"turing-nlg-530b", 1, 8}, Case{"megatron-1t", 1, 8},
                                         Case{"megatron-gpt2-8.3b", 4, 4}));

}  // namespace
}  // namespace phaze::models
