#include "graph/optimizer.h"

#include <utility>

#include "graph/builder.h"

namespace phaze::graph {
namespace {

bool has_master_weights(Precision precision) { return precision == Precision::kMixed; }

std::vector<std::string> state_names(Precision precision, OptimizerKind kind) {
  std::vector<std::string> names;
  if (has_master_weights(precision)) {
    names.emplace_back("master_weights");
  }
  if (kind == OptimizerKind::kAdam) {
    names.emplace_back("first_moments");
    names.emplace_back("second_moments");
  }
  return names;
}

}  // namespace

std::optional<Precision> parse_precision(std::string_view name) {
  if (name == "mixed") {
    return Precision::kMixed;
  }
  if (name == "bf16") {
    return Precision::kBf16;
  }
  if (name == "fp32") {
    return Precision::kF32;
  }
  return std::nullopt;
}

std::optional<OptimizerKind> parse_optimizer(std::string_view name) {
  if (name == "adam") {
    return OptimizerKind::kAdam;
  }
  if (name == "sgd") {
    return OptimizerKind::kSgd;
  }
  return std::nullopt;
}

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::kMixed:
      return "mixed";
    case Precision::kBf16:
      return "bf16";
    case Precision::kF32:
      return "fp32";
  }
  CHECK(false, "unknown precision");
}

std::string_view to_string(OptimizerKind kind) {
  return kind == OptimizerKind::kAdam ? "adam" : "sgd";
}

ElementType weight_type(Precision precision) {
  return precision == Precision::kF32 ? ElementType::kF32 : ElementType::kBf16;
}

ElementType gradient_type(Precision precision) {
  return precision == Precision::kBf16 ? ElementType::kBf16 : ElementType::kF32;
}

Bytes state_per_parameter(Precision precision, OptimizerKind kind) {
  const auto states = static_cast<std::int64_t>(state_names(precision, kind).size());
  const std::int64_t gradient = bytes_per_element(gradient_type(precision));
  return Bytes(bytes_per_element(weight_type(precision)) + gradient * (1 + states));
}

Layer add_optimizer(Layer layer, Precision precision, OptimizerKind kind) {
  Operator op;
  op.kind = kind == OptimizerKind::kAdam ? OpKind::kAdam : OpKind::kSgd;
  op.name = std::string(to_string(kind));
  std::int64_t parameters = 0;
  for (const TensorId id : ids_of(layer.tensors)) {
    const Tensor& tensor = layer.tensors[id];
    if (is_weight(tensor) && !tensor.is_tied) {
      parameters += element_count(tensor.shape);
    }
  }
  if (parameters == 0) {
    return layer;
  }
  LayerBuilder build(std::move(layer), Pass::kOptimizer);
  // A parameter's gradient is the last of its sums: the one that nobody else reads.
  IdVector<TensorId, char> is_read(build.layer().tensors.size(), 0);
  for (const Operator& each : build.layer().operators) {
    for (const TensorId input : each.inputs) {
      is_read[input] = 1;
    }
  }
  for (const TensorId id : ids_of(is_read)) {
    if (build.tensor(id).role == Role::kParameterGradient && is_read[id] == 0) {
      op.inputs.push_back(id);
    }
  }
  std::vector<Tensor> outputs;
  const ElementType state_type = gradient_type(precision);
  for (const std::string& name : state_names(precision, kind)) {
    const TensorId state = build.state(name, {parameters}, state_type);
    op.inputs.push_back(state);
    outputs.push_back(
        {name + ".new", {parameters}, state_type, Role::kOptimizerState, state, false});
  }
  const ElementType weights = weight_type(precision);
  const TensorId old_weights = build.state("weights", {parameters}, weights);
  if (!has_master_weights(precision)) {
    op.inputs.push_back(old_weights);
  }
  outputs.push_back(
      {"weights.new", {parameters}, weights, Role::kOptimizerState, old_weights, false});
  op.vector_flops = Flops(traits(op.kind).forward_flops * static_cast<double>(parameters));
  build.add(std::move(op), std::move(outputs));
  return std::move(build).finish();
}

}  // namespace phaze::graph
