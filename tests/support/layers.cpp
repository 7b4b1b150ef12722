#include "support/layers.h"

#include <algorithm>
#include <stdexcept>

#include "graph/backward.h"
#include "graph/summary.h"
#include "graph/verify.h"
#include "graph/work.h"

namespace phaze::tests {

using graph::ElementType;
using graph::Layer;
using graph::LayerBuilder;
using graph::OpId;
using graph::OpKind;
using graph::Region;
using graph::TensorId;

namespace {

template <class IdType, class Table>
std::optional<IdType> find(const Table& table, const std::string& name) {
  for (const IdType id : ids_of(table)) {
    if (table[id].name == name) {
      return id;
    }
  }
  return std::nullopt;
}

}  // namespace

TensorId tensor_id(const Layer& layer, const std::string& name) {
  const std::optional<TensorId> id = find<TensorId>(layer.tensors, name);
  if (!id) {
    throw std::runtime_error("no tensor is called " + name);
  }
  return *id;
}

OpId op_id(const Layer& layer, const std::string& name) {
  const std::optional<OpId> id = find<OpId>(layer.operators, name);
  if (!id) {
    throw std::runtime_error("no operator is called " + name);
  }
  return *id;
}

const graph::Tensor& tensor_of(const Layer& layer, const std::string& name) {
  return layer.tensors[tensor_id(layer, name)];
}

const graph::Operator& op_of(const Layer& layer, const std::string& name) {
  return layer.operators[op_id(layer, name)];
}

bool has_op(const Layer& layer, const std::string& name) {
  return find<OpId>(layer.operators, name).has_value();
}

bool has_tensor(const Layer& layer, const std::string& name) {
  return find<TensorId>(layer.tensors, name).has_value();
}

Names names_of(const Layer& layer, const std::vector<TensorId>& ids) {
  Names names;
  for (const TensorId id : ids) {
    names.push_back(layer.tensors[id].name);
  }
  return names;
}

Names inputs_of(const Layer& layer, const std::string& op) {
  return names_of(layer, op_of(layer, op).inputs);
}

Names outputs_of(const Layer& layer, const std::string& op) {
  return names_of(layer, op_of(layer, op).outputs);
}

Names op_names(const Layer& layer, graph::Pass pass) {
  Names names;
  for (const graph::Operator& op : layer.operators) {
    if (op.pass == pass) {
      names.push_back(op.name);
    }
  }
  return names;
}

Names saved_names(const Layer& layer) { return names_of(layer, graph::compute_saved(layer)); }

Names role_names(const Layer& layer, graph::Role role) {
  Names names;
  for (const graph::Tensor& tensor : layer.tensors) {
    if (tensor.role == role) {
      names.push_back(tensor.name);
    }
  }
  return names;
}

std::string faults_of(const Layer& layer) {
  std::string text;
  for (const graph::Fault& fault : graph::verify(layer)) {
    const std::string where = fault.op       ? layer.operators[*fault.op].name + ": "
                              : fault.tensor ? layer.tensors[*fault.tensor].name + ": "
                                             : "";
    text += (text.empty() ? "" : "\n") + where + fault.message;
  }
  return text;
}

std::string faults_of(const graph::Model& model) {
  std::string text;
  for (const Layer& layer : model.layers) {
    const std::string faults = faults_of(layer);
    text += faults.empty() ? "" : layer.name + ": " + faults + "\n";
  }
  return text;
}

double matrix_flops_of(const Layer& layer) {
  double sum = 0;
  for (const graph::Operator& op : layer.operators) {
    sum += graph::matrix_flops(op).value();
  }
  return sum;
}

double vector_flops_of(const Layer& layer) {
  double sum = 0;
  for (const graph::Operator& op : layer.operators) {
    sum += op.vector_flops.value();
  }
  return sum;
}

std::int64_t moved_bytes(const Layer& layer) {
  Bytes sum;
  for (const graph::Operator& op : layer.operators) {
    const graph::Traffic traffic = graph::compute_traffic(layer, op);
    sum += traffic.read + traffic.written;
  }
  return sum.value();
}

Layer with_backward(Layer forward) {
  return graph::add_backward(std::move(forward), {ElementType::kF32});
}

Layer mlp_layer() {
  constexpr ElementType kType = ElementType::kBf16;
  LayerBuilder build("mlp");
  const TensorId x = build.input("x", {2, 4}, kType);
  const TensorId w1 = build.parameter("w1", {8, 4}, kType);
  const TensorId b1 = build.parameter("b1", {8}, kType);
  const TensorId w2 = build.parameter("w2", {4, 8}, kType);
  const TensorId hidden = build.linear("fc1", x, w1, b1);
  build.set_region(Region::kActivation);
  const TensorId activated = build.unary(OpKind::kGelu, "gelu", hidden);
  build.set_region(Region::kNone);
  const TensorId out = build.linear("fc2", activated, w2);
  build.hand_over(build.binary(OpKind::kAdd, "residual", x, out));
  return std::move(build).finish();
}

Layer attention_layer(std::int64_t gathered_from) {
  constexpr ElementType kType = ElementType::kBf16;
  const std::int64_t own_tokens = 4 / gathered_from;
  LayerBuilder build("attention");
  const TensorId x = build.input("x", {1, own_tokens, 8}, kType);
  build.set_region(Region::kNorm);
  TensorId tokens = build.layer_norm("norm1", x, {build.parameter("norm1.weight", {8}, kType)});
  if (gathered_from > 1) {
    build.set_region(Region::kRegather);
    tokens = build.collective(OpKind::kAllGather, "gather", tokens, {1, 4, 8}, gathered_from);
  }
  build.set_region(Region::kNone);
  const TensorId q = build.linear("q", tokens, build.parameter("wq", {8, 8}, kType));
  const TensorId k = build.linear("k", tokens, build.parameter("wk", {8, 8}, kType));
  const TensorId v = build.linear("v", tokens, build.parameter("wv", {8, 8}, kType));
  build.set_region(Region::kAttentionCore);
  const TensorId scores = build.product("scores", q, k, {2, 4, 4, 4}, {1, 2, 4, 4}, kType);
  const TensorId odds = build.unary(OpKind::kSoftmax, "softmax", scores);
  const TensorId kept = build.dropout("dropout", odds);
  const TensorId context = build.product("context", kept, v, {2, 4, 4, 4}, {1, 4, 8}, kType);
  build.set_region(Region::kNone);
  TensorId out = build.linear("out", context, build.parameter("wo", {8, 8}, kType));
  if (gathered_from > 1) {
    out =
        build.collective(OpKind::kReduceScatter, "scatter", out, {1, own_tokens, 8}, gathered_from);
  }
  const TensorId sum = build.binary(OpKind::kAdd, "residual", x, out);
  build.set_region(Region::kActivation);
  build.hand_over(build.unary(OpKind::kGelu, "gelu", sum));
  return std::move(build).finish();
}

}  // namespace phaze::tests
