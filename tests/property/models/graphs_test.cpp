// Any model in any form: rules, shards and FLOPs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "graph/summary.h"
#include "graph/training.h"
#include "graph/work.h"
#include "support/configs.h"
#include "support/generators.h"
#include "support/layers.h"

namespace phaze::models {
namespace {

using graph::Layer;
using graph::Model;
using graph::Pass;
using graph::TrainingOptions;

RC_GTEST_PROP(GraphsProperty, KeepTheRules, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const BuildOptions options = *tests::options_for(spec);
  const Model forward = tests::build(spec, options);
  RC_ASSERT(tests::faults_of(forward) == "");
  RC_ASSERT(!graph::is_training(forward));
  const Model model = graph::to_training(forward, *tests::any_training());
  RC_ASSERT(tests::faults_of(model) == "");
}

RC_GTEST_PROP(GraphsProperty, CountsAreNotNegativeAndAddUp, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  BuildOptions options = *tests::options_for(spec);
  options.tensor_width = 1;
  const Model model = graph::to_training(tests::build(spec, options), *tests::any_training());
  const graph::ModelSummary total = graph::summarise(model);
  RC_ASSERT(total.parameters == model.parameters);
  RC_ASSERT(model.parameters > 0);
  RC_ASSERT(total.forward_flops > Flops());
  RC_ASSERT(total.backward_flops > Flops());
  RC_ASSERT(total.saved_activation_bytes >= Bytes());
  for (const Layer& layer : model.layers) {
    RC_ASSERT(layer.repeat >= 1);
    for (const graph::Operator& op : layer.operators) {
      const graph::Traffic traffic = graph::compute_traffic(layer, op);
      RC_ASSERT(traffic.read >= Bytes() && traffic.written >= Bytes());
    }
  }
}

// Every parameter of a shard is the whole one, or an equal part of it.
RC_GTEST_PROP(GraphsProperty, ShardsAddUpToTheWhole, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const BuildOptions options = *tests::options_for(spec);
  BuildOptions alone = options;
  alone.tensor_width = 1;
  const Model shard = tests::build(spec, options);
  const Model whole = tests::build(spec, alone);
  RC_CLASSIFY(options.tensor_width > 1);
  RC_ASSERT(shard.parameters == whole.parameters);
  RC_ASSERT(shard.layers.size() == whole.layers.size());
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    const tests::Names names = tests::role_names(whole.layers[i], graph::Role::kParameter);
    RC_ASSERT(names == tests::role_names(shard.layers[i], graph::Role::kParameter));
    for (const std::string& name : names) {
      const graph::Tensor& all = tests::tensor_of(whole.layers[i], name);
      const graph::Tensor& part = tests::tensor_of(shard.layers[i], name);
      const std::int64_t count = graph::element_count(all.shape);
      const std::int64_t share = graph::element_count(part.shape);
      RC_ASSERT(share == count || share * options.tensor_width == count);
      RC_ASSERT(all.is_tied == part.is_tied);
    }
  }
}

// The matrix work of all devices together is that of one alone, but for what each repeats.
RC_GTEST_PROP(GraphsProperty, ShardsShareTheWork, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const BuildOptions options = *tests::options_for(spec);
  BuildOptions alone = options;
  alone.tensor_width = 1;
  const graph::ModelSummary shard = graph::summarise(tests::build(spec, options));
  const graph::ModelSummary whole = graph::summarise(tests::build(spec, alone));
  RC_ASSERT(shard.forward_flops <= whole.forward_flops);
  RC_ASSERT(shard.forward_flops * static_cast<double>(options.tensor_width) >= whole.forward_flops);
}

// A product is followed backward by one for each operand that needs a gradient, each as large.
RC_GTEST_PROP(GraphsProperty, BackwardIsTwiceForward, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  TrainingOptions training;
  training.fusion = graph::Fusion::kNone;
  const Model model = graph::to_training(tests::build(spec, *tests::options_for(spec)), training);
  for (const Layer& layer : model.layers) {
    double forward = 0;
    double expected = 0;
    for (const graph::Operator& op : layer.operators) {
      if (op.pass != Pass::kForward) {
        continue;
      }
      const bool is_of_pixels = layer.tensors[op.inputs[0]].role == graph::Role::kConstant;
      const double flops = graph::matrix_flops(op).value();
      forward += flops;
      // Fused attention runs its two products again as five.
      expected += flops * (op.attention ? 2.5 : is_of_pixels ? 1 : 2);
    }
    const graph::LayerSummary summary = graph::summarise(layer);
    RC_ASSERT(summary.forward_flops.value() == forward);
    // A head that ends without a loss on some branch hands no gradient into it.
    RC_ASSERT(summary.backward_flops.value() == expected);
  }
}

RC_GTEST_PROP(GraphsProperty, ModelFlopsAreThoseOfTheModel, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, *tests::options_for(spec));
  TrainingOptions plain;
  plain.fusion = graph::Fusion::kNone;
  const TrainingOptions other = *tests::any_training();
  RC_ASSERT(graph::summarise(graph::to_training(forward, plain)).model_flops ==
            graph::summarise(graph::to_training(forward, other)).model_flops);
}

}  // namespace
}  // namespace phaze::models
