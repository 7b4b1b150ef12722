// What is saved and moved, and what it costs to save less.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/summary.h"
#include "graph/training.h"
#include "support/configs.h"
#include "support/generators.h"
#include "support/layers.h"

namespace phaze::models {
namespace {

using graph::Layer;
using graph::LayerSummary;
using graph::Model;
using graph::TrainingOptions;

Model trained(const Model& forward, const char* policy,
              graph::Fusion fusion = graph::Fusion::kNone) {
  TrainingOptions options;
  options.recompute = *graph::parse_recompute_policy(policy);
  options.fusion = fusion;
  return graph::to_training(forward, options);
}

// With several sequences the library's attention copies q, k and v head by head; to run it again
// one keeps what they were copied from, which may be all of a merged product and outweigh short
// scores.
BuildOptions without_copies(BuildOptions options) {
  if (options.execution == Execution::kEager) {
    options.microbatch = 1;
  }
  return options;
}

RC_GTEST_PROP(MemoryProperty, LessIsSavedTheMoreRunsAgain, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, without_copies(*tests::options_for(spec)));
  const Model none = trained(forward, "none");
  const Model selective = trained(forward, "selective");
  const Model full = trained(forward, "full");
  for (std::size_t i = 0; i < forward.layers.size(); ++i) {
    RC_LOG() << forward.layers[i].name << "\n";
    const LayerSummary a = graph::summarise(none.layers[i]);
    const LayerSummary b = graph::summarise(selective.layers[i]);
    const LayerSummary c = graph::summarise(full.layers[i]);
    RC_ASSERT(a.saved_activation_bytes >= b.saved_activation_bytes);
    RC_ASSERT(b.saved_activation_bytes >= c.saved_activation_bytes);
    RC_ASSERT(a.recompute_flops == Flops());
    RC_ASSERT(b.recompute_flops <= c.recompute_flops);
    RC_ASSERT(c.recompute_flops == (forward.layers[i].can_recompute ? c.forward_flops : Flops()));
  }
}

RC_GTEST_PROP(MemoryProperty, PartsSaveNoMoreThanNone, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, without_copies(*tests::options_for(spec)));
  const Bytes none = graph::summarise(trained(forward, "none")).saved_activation_bytes;
  for (const char* policy : {"norms", "activations", "attention+norms+activations"}) {
    RC_LOG() << policy << "\n";
    RC_ASSERT(graph::summarise(trained(forward, policy)).saved_activation_bytes <= none);
  }
}

RC_GTEST_PROP(MemoryProperty, SequenceParallelismSavesNoMore, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  BuildOptions options = *tests::options_for(spec);
  const bool fits =
      spec.embedding.channels == 0 || spec.default_sequence % options.tensor_width == 0;
  RC_PRE(fits);
  options.sequence_parallel = false;
  const Model without = trained(tests::build(spec, options), "none");
  options.sequence_parallel = true;
  const Model with = trained(tests::build(spec, options), "none");
  RC_CLASSIFY(options.tensor_width > 1);
  for (std::size_t i = 0; i < with.layers.size(); ++i) {
    RC_LOG() << with.layers[i].name << "\n";
    RC_ASSERT(graph::summarise(with.layers[i]).saved_activation_bytes <=
              graph::summarise(without.layers[i]).saved_activation_bytes);
  }
}

RC_GTEST_PROP(MemoryProperty, FusionMovesNoMoreAndSavesTheSame, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, *tests::options_for(spec));
  const char* policy = *rc::gen::element("none", "selective", "full");
  const Model loose = trained(forward, policy);
  const Model some = trained(forward, policy, graph::Fusion::kElementwise);
  const Model most = trained(forward, policy, graph::Fusion::kFull);
  for (std::size_t i = 0; i < loose.layers.size(); ++i) {
    RC_LOG() << loose.layers[i].name << "\n";
    RC_ASSERT(tests::moved_bytes(some.layers[i]) <= tests::moved_bytes(loose.layers[i]));
    RC_ASSERT(tests::moved_bytes(most.layers[i]) <= tests::moved_bytes(some.layers[i]));
    RC_ASSERT(tests::vector_flops_of(most.layers[i]) == tests::vector_flops_of(loose.layers[i]));
    RC_ASSERT(graph::summarise(most.layers[i]).saved_activation_bytes ==
              graph::summarise(loose.layers[i]).saved_activation_bytes);
    RC_ASSERT(tests::role_names(most.layers[i], graph::Role::kParameterGradient).size() ==
              tests::role_names(loose.layers[i], graph::Role::kParameterGradient).size());
  }
}

}  // namespace
}  // namespace phaze::models
