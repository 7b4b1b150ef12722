#include "cost/measured_sample.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "graph/backward.h"
#include "graph/builder.h"

namespace phaze::cost {
namespace {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::Shape;
using graph::Tensor;
using graph::TensorId;
using plan::MeasuredOperator;

constexpr const char* kName = "op";

bool is_optimizer(OpKind kind) { return kind == OpKind::kAdam || kind == OpKind::kSgd; }

class SampleBuilder {
 public:
  explicit SampleBuilder(const MeasuredOperator& measured)
      : measured_(measured),
        shape_{measured.rows, measured.columns},
        build_({}, is_optimizer(measured.kind) ? graph::Pass::kOptimizer : graph::Pass::kForward) {}

  Sample run() && {
    const TensorId result = forward();
    const bool is_backward = measured_.is_backward && plan::has_backward_form(measured_.kind);
    if (!is_backward) {
      graph::Layer layer = std::move(build_).finish();
      const graph::OpId op(layer.operators.size() - 1);
      return {std::move(layer), op};
    }
    build_.hand_over(result);
    graph::Layer layer = graph::add_backward(std::move(build_).finish(), {});
    for (const graph::OpId id : ids_of(layer.operators)) {
      const graph::Operator& op = layer.operators[id];
      if (op.pass == graph::Pass::kBackward && op.kind == measured_.kind) {
        return {std::move(layer), id};
      }
    }
    CHECK(false, std::string(to_string(measured_.kind)) + " has no backward operator");
  }

 private:
  TensorId input(const std::string& name, Shape shape) {
    return build_.input(name, std::move(shape), measured_.type);
  }
  TensorId x() { return input("x", shape_); }

  TensorId add(std::vector<TensorId> inputs, std::vector<Tensor> outputs) {
    graph::Operator op;
    op.kind = measured_.kind;
    op.name = kName;
    op.inputs = std::move(inputs);
    return build_.add(std::move(op), std::move(outputs))[0];
  }
  static Tensor result(const std::string& name, Shape shape, ElementType type) {
    return {name, std::move(shape), type, graph::Role::kActivation, std::nullopt, false};
  }
  // As it is after a step, in its place.
  Tensor state(const std::string& name, TensorId old, ElementType type) const {
    return {name + ".new", build_.shape(old), type, graph::Role::kOptimizerState, old, false};
  }
  TensorId indices(const std::string& name) {
    return build_.constant(name, {measured_.rows}, ElementType::kI64);
  }

  // A backward product is its data gradient: of m x k times k x n forward it is m x n times n x k.
  graph::ProductShape forward_product() const {
    graph::ProductShape shape = measured_.product;
    if (measured_.is_backward) {
      std::swap(shape.n, shape.k);
    }
    return shape;
  }

  TensorId product() {
    const graph::ProductShape p = forward_product();
    const TensorId a = input("a", {p.batch, p.m, p.k});
    const TensorId b = input("b", {p.batch, p.k, p.n});
    return build_.product(kName, a, b, p, {p.batch, p.m, p.n}, measured_.type);
  }

  TensorId convolution() {
    const graph::ProductShape p = forward_product();
    const TensorId image = input("x", {p.batch, p.m, p.k});
    const TensorId weight = build_.parameter("weight", {p.batch, p.k, p.n}, measured_.type);
    const TensorId bias = build_.parameter("bias", {p.n}, measured_.type);
    return build_.convolution(kName, image, weight, bias, p, {p.batch, p.m, p.n});
  }

  TensorId attention() {
    const graph::AttentionShape& a = measured_.attention;
    const Shape queries = {a.batch, a.queries, a.heads * a.head_dim};
    const Shape keys = {a.batch, a.keys, a.kv_heads * a.head_dim};
    return build_.attention(kName, {input("q", queries), input("k", keys), input("v", keys)}, a,
                            queries);
  }

  TensorId concatenation() {
    const std::int64_t half = measured_.columns / 2;
    std::vector<TensorId> parts = {input("x", {measured_.rows, measured_.columns - half})};
    if (half > 0) {
      parts.push_back(input("y", {measured_.rows, half}));
    }
    return build_.concatenate(kName, std::move(parts), shape_);
  }

  // Gradients and states of one type, weights in bf16 and kept once more in the states' type when
  // that is wider.
  TensorId optimizer() {
    const Shape all = {checked_multiply(measured_.rows, measured_.columns)};
    std::vector<std::string> states;
    const bool is_mixed = measured_.type == ElementType::kF32;
    if (is_mixed) {
      states.emplace_back("master_weights");
    }
    if (measured_.kind == OpKind::kAdam) {
      states.emplace_back("first_moments");
      states.emplace_back("second_moments");
    }
    std::vector<TensorId> inputs = {input("gradient", all)};
    std::vector<Tensor> outputs;
    for (const std::string& name : states) {
      inputs.push_back(build_.state(name, all, measured_.type));
      outputs.push_back(state(name, inputs.back(), measured_.type));
    }
    const ElementType type = is_mixed ? ElementType::kBf16 : measured_.type;
    const TensorId weights = build_.state("weights", all, type);
    if (!is_mixed) {
      inputs.push_back(weights);
    }
    outputs.push_back(state("weights", weights, type));
    return add(std::move(inputs), std::move(outputs));
  }

  TensorId forward() {
    const ElementType type = measured_.type;
    const std::int64_t rows = measured_.rows;
    const std::int64_t columns = measured_.columns;
    switch (measured_.kind) {
      case OpKind::kProduct:
        return product();
      case OpKind::kConvolution:
        return convolution();
      case OpKind::kAttention:
        return attention();
      case OpKind::kLayerNorm: {
        const TensorId first = x();
        return build_.layer_norm(kName, first,
                                 {build_.parameter("weight", {columns}, type),
                                  build_.parameter("bias", {columns}, type)});
      }
      case OpKind::kRmsNorm: {
        const TensorId first = x();
        return build_.rms_norm(kName, first, {build_.parameter("weight", {columns}, type)});
      }
      case OpKind::kCrossEntropy:
        return add({x(), indices("labels")}, {result(kName, {1}, ElementType::kF32),
                                              result("statistics", {rows, 2}, ElementType::kF32)});
      case OpKind::kNllLoss:
        return add({x(), indices("labels")}, {result(kName, {1}, type)});
      case OpKind::kSquaredError:
        return add({x(), build_.constant("target", shape_, type)}, {result(kName, {1}, type)});
      case OpKind::kMean:
        return build_.mean(kName, x());
      case OpKind::kReduce:
        return add({x()}, {result(kName, {columns}, type)});
      case OpKind::kTopK: {
        constexpr std::int64_t kUsual = 2;
        const Shape most = {rows, std::min(kUsual, columns)};
        return add({x()}, {result(kName, most, type), result("indices", most, ElementType::kI64)});
      }
      case OpKind::kSoftmax:
      case OpKind::kLogSoftmax:
      case OpKind::kScale:
      case OpKind::kGelu:
      case OpKind::kGeluTanh:
      case OpKind::kQuickGelu:
      case OpKind::kRelu:
      case OpKind::kSilu:
      case OpKind::kTanh:
      case OpKind::kSigmoid:
      case OpKind::kPower:
      case OpKind::kRsqrt:
      case OpKind::kNegate:
      case OpKind::kAddScalar:
      case OpKind::kRotary:
        return build_.unary(measured_.kind, kName, x());
      case OpKind::kCast:
        return build_.unary(measured_.kind, kName, x(),
                            type == ElementType::kF32 ? ElementType::kBf16 : ElementType::kF32);
      case OpKind::kAdd:
      case OpKind::kMultiply:
      case OpKind::kDivide:
      case OpKind::kSwiglu:
      case OpKind::kGeglu:
      case OpKind::kReglu: {
        const TensorId first = x();
        return build_.binary(measured_.kind, kName, first, input("y", shape_));
      }
      case OpKind::kDropout:
        return build_.dropout(kName, x());
      case OpKind::kCopy:
        return build_.copy(kName, x(), shape_);
      case OpKind::kConcatenate:
        return concatenation();
      case OpKind::kEmbedding: {
        const TensorId table = build_.parameter("table", shape_, type);
        return build_.embedding(kName, table, indices("ids"));
      }
      case OpKind::kGather: {
        const TensorId first = x();
        return build_.gather(kName, first, indices("indices"), shape_);
      }
      case OpKind::kScatterAdd: {
        const TensorId first = x();
        return build_.scatter_add(kName, first, indices("indices"), shape_);
      }
      case OpKind::kAdam:
      case OpKind::kSgd:
        return optimizer();
      case OpKind::kView:
      case OpKind::kSplit:
      case OpKind::kJoin:
      case OpKind::kAllReduce:
      case OpKind::kAllGather:
      case OpKind::kReduceScatter:
      case OpKind::kAllToAll:
      case OpKind::kEnterTensorParallel:
        break;
    }
    CHECK(false, std::string(to_string(measured_.kind)) + " is not measured on a chip");
  }

  const MeasuredOperator& measured_;
  Shape shape_;
  LayerBuilder build_;
};

}  // namespace

Sample make_sample(const MeasuredOperator& measured) { return SampleBuilder(measured).run(); }

}  // namespace phaze::cost
