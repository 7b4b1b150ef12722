// The passes on random layers: whatever the graph, what comes out keeps its rules.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "graph/backward.h"
#include "graph/summary.h"
#include "support/generators.h"
#include "support/layers.h"

namespace phaze::graph {
namespace {

using tests::any_layer;
using tests::faults_of;

RecomputePolicy any_policy() {
  return *parse_recompute_policy(*rc::gen::element<std::string>(
      "none", "selective", "full", "norms", "activations", "attention+norms+activations"));
}

// Written by backward operators and read by none of them: what the layer hands back.
std::set<std::string> gradients_of(const Layer& layer) {
  std::set<TensorId> read;
  for (const Operator& op : layer.operators) {
    read.insert(op.inputs.begin(), op.inputs.end());
  }
  std::set<std::string> names;
  for (const Operator& op : layer.operators) {
    for (const TensorId id : op.outputs) {
      const Role role = layer.tensors[id].role;
      if (!read.contains(id) && (role == Role::kGradient || role == Role::kParameterGradient)) {
        names.insert(layer.tensors[id].name);
      }
    }
  }
  return names;
}

RC_GTEST_PROP(PassesProperty, BackwardKeepsTheRules, ()) {
  const Layer forward = *any_layer();
  RC_ASSERT(faults_of(forward) == "");
  const Layer layer = tests::with_backward(forward);
  RC_ASSERT(faults_of(layer) == "");
  for (const OpId id : ids_of(forward.operators)) {
    RC_ASSERT(layer.operators[id] == forward.operators[id]);
  }
}

// Parameters from which a path of operators leads to an output, and only those, have a gradient.
RC_GTEST_PROP(PassesProperty, WhatReachesTheOutputHasAGradient, ()) {
  const Layer forward = *any_layer();
  const Layer layer = tests::with_backward(forward);
  std::set<TensorId> reaching(forward.outputs.begin(), forward.outputs.end());
  for (std::size_t at = forward.operators.size(); at > 0; --at) {
    const Operator& op = forward.operators[OpId(at - 1)];
    if (std::ranges::any_of(op.outputs, [&](TensorId id) { return reaching.contains(id); })) {
      reaching.insert(op.inputs.begin(), op.inputs.end());
    }
  }
  for (const TensorId id : ids_of(forward.tensors)) {
    const Tensor& tensor = forward.tensors[id];
    if (is_weight(tensor)) {
      RC_ASSERT(tests::has_tensor(layer, "d(" + tensor.name + ")") == reaching.contains(id));
    }
  }
}

RC_GTEST_PROP(PassesProperty, RecomputeKeepsTheRulesAndTheGradients, ()) {
  const Layer layer = tests::with_backward(*any_layer());
  const RecomputePolicy policy = any_policy();
  RC_LOG() << to_string(policy) << "\n";
  const Layer result = apply_recompute(layer, policy);
  RC_ASSERT(faults_of(result) == "");
  RC_ASSERT(gradients_of(result) == gradients_of(layer));
  RC_ASSERT(summarise(result).model_flops == summarise(layer).model_flops);
  RC_ASSERT(summarise(result).forward_flops == summarise(layer).forward_flops);
}

// Nothing but inputs is saved, and nothing runs more than once more.
RC_GTEST_PROP(PassesProperty, FullRecomputeSavesInputsOnly, ()) {
  const Layer layer = tests::with_backward(*any_layer());
  const Layer result = apply_recompute(layer, *parse_recompute_policy("full"));
  for (const TensorId id : compute_saved(result)) {
    RC_ASSERT(result.tensors[id].role == Role::kInput);
  }
  RC_ASSERT(summarise(result).recompute_flops <= summarise(result).forward_flops);
}

RC_GTEST_PROP(PassesProperty, FusionKeepsTheRulesTheWorkAndTheResults, ()) {
  const Layer layer = apply_recompute(tests::with_backward(*any_layer()), any_policy());
  const Fusion fusion = *rc::gen::element(Fusion::kElementwise, Fusion::kFull);
  const Layer fused = fuse_elementwise(layer, fusion);
  RC_ASSERT(faults_of(fused) == "");
  RC_ASSERT(gradients_of(fused) == gradients_of(layer));
  RC_ASSERT(tests::names_of(fused, fused.outputs) == tests::names_of(layer, layer.outputs));
  RC_ASSERT(tests::matrix_flops_of(fused) == tests::matrix_flops_of(layer));
  RC_ASSERT(tests::vector_flops_of(fused) == tests::vector_flops_of(layer));
  RC_ASSERT(tests::moved_bytes(fused) <= tests::moved_bytes(layer));
  RC_ASSERT(summarise(fused).saved_activation_bytes <= summarise(layer).saved_activation_bytes);
  RC_ASSERT(summarise(fused).parameters == summarise(layer).parameters);
}

RC_GTEST_PROP(PassesProperty, FusingTwiceChangesNothing, ()) {
  const Layer once = fuse_elementwise(tests::with_backward(*any_layer()), Fusion::kFull);
  RC_ASSERT(fuse_elementwise(once, Fusion::kFull) == once);
}

RC_GTEST_PROP(PassesProperty, TheOptimizerSeesEveryOwnParametersGradientOnce, ()) {
  const Layer layer = tests::with_backward(*any_layer());
  const Layer result = add_optimizer(layer, Precision::kMixed, OptimizerKind::kAdam);
  RC_ASSERT(faults_of(result) == "");
  std::set<std::string> own;
  for (const std::string& name : gradients_of(layer)) {
    if (tests::tensor_of(layer, name).role == Role::kParameterGradient) {
      own.insert(name);
    }
  }
  if (tests::has_op(result, "adam")) {
    std::set<std::string> read;
    for (const std::string& name : tests::inputs_of(result, "adam")) {
      if (tests::tensor_of(result, name).role == Role::kParameterGradient) {
        RC_ASSERT(read.insert(name).second);
      }
    }
    RC_ASSERT(read == own);
  } else {
    RC_ASSERT(own.empty());
  }
}

}  // namespace
}  // namespace phaze::graph
