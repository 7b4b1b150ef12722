#include "graph/builder.h"

#include <utility>

#include "base/check.h"
#include "graph/work.h"

namespace phaze::graph {

LayerBuilder::LayerBuilder(std::string name, std::int64_t repeat) {
  layer_.name = std::move(name);
  layer_.repeat = repeat;
}

LayerBuilder::LayerBuilder(Layer layer, Pass pass) : layer_(std::move(layer)), pass_(pass) {
  for (const Tensor& tensor : layer_.tensors) {
    ++tensor_names_[tensor.name];
  }
  for (const Operator& op : layer_.operators) {
    ++operator_names_[op.name];
  }
}

std::string LayerBuilder::unique(const std::string& name, std::map<std::string, int>& used) const {
  std::string numbered = name;
  int& count = ++used[name];
  while (count > 1) {
    numbered = name + "." + std::to_string(count);
    if (++used[numbered] == 1) {
      break;
    }
    ++count;  // somebody has that name already
  }
  return numbered;
}

TensorId LayerBuilder::add_tensor(Tensor tensor) {
  tensor.name = unique(tensor.name, tensor_names_);
  return layer_.tensors.push_back(std::move(tensor));
}

TensorId LayerBuilder::input(const std::string& name, Shape shape, ElementType type) {
  return add_tensor({name, std::move(shape), type, Role::kInput, std::nullopt, false});
}

TensorId LayerBuilder::shared(const std::string& name, Shape shape, ElementType type) {
  return add_tensor({name, std::move(shape), type, Role::kShared, std::nullopt, false});
}

TensorId LayerBuilder::constant(const std::string& name, Shape shape, ElementType type) {
  return add_tensor({name, std::move(shape), type, Role::kConstant, std::nullopt, false});
}

TensorId LayerBuilder::parameter(const std::string& name, Shape shape, ElementType type,
                                 bool is_tied) {
  return add_tensor({name, std::move(shape), type, Role::kParameter, std::nullopt, is_tied});
}

TensorId LayerBuilder::state(const std::string& name, Shape shape, ElementType type) {
  return add_tensor({name, std::move(shape), type, Role::kOptimizerState, std::nullopt, false});
}

TensorId LayerBuilder::outside_gradient(const std::string& name, TensorId of) {
  const Tensor& tensor = layer_.tensors[of];
  return add_tensor({name, tensor.shape, tensor.type, Role::kGradient, std::nullopt, false});
}

std::vector<TensorId> LayerBuilder::add(Operator op, std::vector<Tensor> outputs) {
  op.name = unique(op.name, operator_names_);
  op.pass = pass_;
  op.region = region_;
  for (Tensor& output : outputs) {
    op.outputs.push_back(add_tensor(std::move(output)));
  }
  if (op.vector_flops == Flops()) {
    op.vector_flops = compute_vector_flops(layer_, op);
  }
  std::vector<TensorId> ids = op.outputs;
  layer_.operators.push_back(std::move(op));
  return ids;
}

namespace {

Tensor output_of(const std::string& name, Shape shape, ElementType type) {
  return {name, std::move(shape), type, Role::kActivation, std::nullopt, false};
}

Operator make_operator(OpKind kind, const std::string& name, std::vector<TensorId> inputs) {
  Operator op;
  op.kind = kind;
  op.name = name;
  op.inputs = std::move(inputs);
  return op;
}

// Everything but the last dimension.
Shape rows_of(const Shape& shape) { return {shape.begin(), shape.end() - 1}; }

}  // namespace

TensorId LayerBuilder::linear(const std::string& name, TensorId x, TensorId weight,
                              std::optional<TensorId> bias) {
  const Shape& in = shape(x);
  const Shape& w = shape(weight);
  CHECK(w.size() == 2 && !in.empty() && in.back() == w[1], name + ": x and weight do not match");
  Shape out = rows_of(in);
  const ProductShape dims{1, element_count(out), w[0], w[1]};
  out.push_back(w[0]);
  Operator op = make_operator(OpKind::kProduct, name, {x, weight});
  if (bias) {
    op.inputs.push_back(*bias);
  }
  op.product = dims;
  return add(std::move(op), {output_of(name, std::move(out), tensor(x).type)})[0];
}

TensorId LayerBuilder::product(const std::string& name, TensorId a, TensorId b, ProductShape dims,
                               Shape output, ElementType type) {
  Operator op = make_operator(OpKind::kProduct, name, {a, b});
  op.product = dims;
  return add(std::move(op), {output_of(name, std::move(output), type)})[0];
}

TensorId LayerBuilder::convolution(const std::string& name, TensorId x, TensorId weight,
                                   TensorId bias, ProductShape dims, Shape output) {
  Operator op = make_operator(OpKind::kConvolution, name, {x, weight, bias});
  op.product = dims;
  return add(std::move(op), {output_of(name, std::move(output), tensor(x).type)})[0];
}

TensorId LayerBuilder::attention(const std::string& name, std::vector<TensorId> inputs,
                                 AttentionShape dims, Shape output) {
  const ElementType type = tensor(inputs[0]).type;
  Operator op = make_operator(OpKind::kAttention, name, std::move(inputs));
  op.attention = dims;
  return add(std::move(op), {output_of(name, std::move(output), type),
                             output_of(name + ".statistics", {dims.batch, dims.heads, dims.queries},
                                       ElementType::kF32)})[0];
}

TensorId LayerBuilder::layer_norm(const std::string& name, TensorId x,
                                  std::vector<TensorId> weights) {
  std::vector<TensorId> inputs = {x};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  Shape statistics = rows_of(shape(x));
  statistics.push_back(2);
  return add(make_operator(OpKind::kLayerNorm, name, std::move(inputs)),
             {output_of(name, shape(x), tensor(x).type),
              output_of(name + ".statistics", std::move(statistics), ElementType::kF32)})[0];
}

TensorId LayerBuilder::rms_norm(const std::string& name, TensorId x,
                                std::vector<TensorId> weights) {
  std::vector<TensorId> inputs = {x};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  return add(make_operator(OpKind::kRmsNorm, name, std::move(inputs)),
             {output_of(name, shape(x), tensor(x).type),
              output_of(name + ".statistics", rows_of(shape(x)), ElementType::kF32)})[0];
}

TensorId LayerBuilder::unary(OpKind kind, const std::string& name, TensorId x) {
  return unary(kind, name, x, tensor(x).type);
}

TensorId LayerBuilder::unary(OpKind kind, const std::string& name, TensorId x, ElementType type) {
  return add(make_operator(kind, name, {x}), {output_of(name, shape(x), type)})[0];
}

TensorId LayerBuilder::binary(OpKind kind, const std::string& name, TensorId a, TensorId b) {
  return binary(kind, name, a, b, tensor(a).type);
}

TensorId LayerBuilder::binary(OpKind kind, const std::string& name, TensorId a, TensorId b,
                              ElementType type) {
  const TensorId larger = element_count(shape(a)) >= element_count(shape(b)) ? a : b;
  return add(make_operator(kind, name, {a, b}), {output_of(name, shape(larger), type)})[0];
}

TensorId LayerBuilder::dropout(const std::string& name, TensorId x) {
  return add(make_operator(OpKind::kDropout, name, {x}),
             {output_of(name, shape(x), tensor(x).type),
              output_of(name + ".mask", shape(x), ElementType::kBool)})[0];
}

TensorId LayerBuilder::mean(const std::string& name, TensorId x) {
  Shape out = rows_of(shape(x));
  out.push_back(1);
  return add(make_operator(OpKind::kMean, name, {x}),
             {output_of(name, std::move(out), tensor(x).type)})[0];
}

TensorId LayerBuilder::copy(const std::string& name, TensorId x, Shape output) {
  return add(make_operator(OpKind::kCopy, name, {x}),
             {output_of(name, std::move(output), tensor(x).type)})[0];
}

TensorId LayerBuilder::concatenate(const std::string& name, std::vector<TensorId> parts,
                                   Shape output) {
  const ElementType type = tensor(parts[0]).type;
  return add(make_operator(OpKind::kConcatenate, name, std::move(parts)),
             {output_of(name, std::move(output), type)})[0];
}

TensorId LayerBuilder::embedding(const std::string& name, TensorId table, TensorId ids) {
  Shape out = shape(ids);
  out.push_back(shape(table).back());
  return add(make_operator(OpKind::kEmbedding, name, {ids, table}),
             {output_of(name, std::move(out), tensor(table).type)})[0];
}

TensorId LayerBuilder::gather(const std::string& name, TensorId x, TensorId indices, Shape output) {
  return add(make_operator(OpKind::kGather, name, {x, indices}),
             {output_of(name, std::move(output), tensor(x).type)})[0];
}

TensorId LayerBuilder::scatter_add(const std::string& name, TensorId x, TensorId indices,
                                   Shape output) {
  return add(make_operator(OpKind::kScatterAdd, name, {x, indices}),
             {output_of(name, std::move(output), tensor(x).type)})[0];
}

TensorId LayerBuilder::view(const std::string& name, TensorId x, Shape output) {
  Tensor out = output_of(name, std::move(output), tensor(x).type);
  out.view_of = x;
  return add(make_operator(OpKind::kView, name, {x}), {std::move(out)})[0];
}

std::vector<TensorId> LayerBuilder::split(const std::string& name, TensorId x,
                                          const std::vector<std::int64_t>& sizes) {
  std::vector<Tensor> outputs;
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    Shape part = rows_of(shape(x));
    part.push_back(size);
    sum += size;
    Tensor out =
        output_of(name + "." + std::to_string(outputs.size()), std::move(part), tensor(x).type);
    out.view_of = x;
    outputs.push_back(std::move(out));
  }
  CHECK(sum == shape(x).back(), name + ": parts do not add up");
  return add(make_operator(OpKind::kSplit, name, {x}), std::move(outputs));
}

TensorId LayerBuilder::collective(OpKind kind, const std::string& name, TensorId x, Shape output,
                                  std::int64_t group) {
  Operator op = make_operator(kind, name, {x});
  op.group = group;
  Tensor out = output_of(name, std::move(output), tensor(x).type);
  if (kind == OpKind::kEnterTensorParallel) {
    out.view_of = x;
  }
  return add(std::move(op), {std::move(out)})[0];
}

}  // namespace phaze::graph
