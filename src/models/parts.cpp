#include "models/parts.h"

#include "base/check.h"

namespace phaze::models {

using graph::ElementType;
using graph::OpKind;
using graph::ProductShape;
using graph::Region;
using graph::Shape;
using graph::TensorId;

namespace {

OpKind kind_of(Activation activation) {
  switch (activation) {
    case Activation::kGelu:
      return OpKind::kGelu;
    case Activation::kGeluNew:
    case Activation::kGeluTanh:
      return OpKind::kGeluTanh;
    case Activation::kQuickGelu:
      return OpKind::kQuickGelu;
    case Activation::kRelu:
      return OpKind::kRelu;
    case Activation::kSilu:
      return OpKind::kSilu;
    case Activation::kTanh:
      return OpKind::kTanh;
  }
  CHECK(false, "unknown activation");
}

// The gated form of an activation as one operator, where there is one.
std::optional<OpKind> gated_kind_of(Activation activation) {
  switch (activation) {
    case Activation::kSilu:
      return OpKind::kSwiglu;
    case Activation::kGelu:
    case Activation::kGeluNew:
    case Activation::kGeluTanh:
      return OpKind::kGeglu;
    case Activation::kRelu:
      return OpKind::kReglu;
    case Activation::kQuickGelu:
    case Activation::kTanh:
      return std::nullopt;
  }
  CHECK(false, "unknown activation");
}

}  // namespace

std::int64_t Parts::local_sequence() const {
  return options_.sequence_parallel ? sequence_ / options_.tensor_width : sequence_;
}

Shape Parts::token_shape(std::int64_t width) const {
  return {options_.microbatch, local_sequence(), width};
}

TensorId Parts::enter(const std::string& name, TensorId x) {
  if (width() == 1) {
    return x;
  }
  if (!options_.sequence_parallel) {
    return build_.collective(OpKind::kEnterTensorParallel, name, x, build_.shape(x), width());
  }
  // Megatron keeps the shard and gathers again for the weight gradients.
  const RegionScope scope(build_, Region::kRegather);
  Shape gathered = build_.shape(x);
  gathered[1] *= width();
  return build_.collective(OpKind::kAllGather, name, x, std::move(gathered), width());
}

TensorId Parts::leave(const std::string& name, TensorId x) {
  if (width() == 1) {
    return x;
  }
  Shape shape = build_.shape(x);
  if (!options_.sequence_parallel) {
    return build_.collective(OpKind::kAllReduce, name, x, std::move(shape), width());
  }
  shape[1] /= width();
  return build_.collective(OpKind::kReduceScatter, name, x, std::move(shape), width());
}

TensorId Parts::replicated(const std::string& name, Shape shape, Place place) {
  const TensorId weight = build_.parameter(name, std::move(shape), type());
  if (width() == 1 || (place == Place::kOutside && !options_.sequence_parallel)) {
    return weight;
  }
  return build_.collective(OpKind::kEnterTensorParallel, name + ".everywhere", weight,
                           build_.shape(weight), width());
}

TensorId Parts::column(const std::string& name, TensorId x, std::int64_t outputs, bool has_bias) {
  const std::int64_t share = outputs / width();
  const TensorId weight =
      build_.parameter(name + ".weight", {share, build_.shape(x).back()}, type());
  std::optional<TensorId> bias;
  if (has_bias) {
    bias = build_.parameter(name + ".bias", {share}, type());
  }
  return build_.linear(name, x, weight, bias);
}

TensorId Parts::row(const std::string& name, TensorId x, bool has_bias) {
  const TensorId weight =
      build_.parameter(name + ".weight", {hidden_, build_.shape(x).back()}, type());
  if (width() == 1) {
    std::optional<TensorId> bias;
    if (has_bias) {
      bias = build_.parameter(name + ".bias", {hidden_}, type());
    }
    return build_.linear(name, x, weight, bias);
  }
  // The bias is added once, after the partial sums of the devices came together.
  const TensorId y = leave(name + ".reduce", build_.linear(name, x, weight));
  return has_bias ? add(name + ".add_bias", y, replicated(name + ".bias", {hidden_})) : y;
}

TensorId Parts::whole(const std::string& name, TensorId x, std::int64_t outputs, bool has_bias) {
  const TensorId weight = replicated(name + ".weight", {outputs, build_.shape(x).back()});
  std::optional<TensorId> bias;
  if (has_bias) {
    bias = replicated(name + ".bias", {outputs});
  }
  return build_.linear(name, x, weight, bias);
}

TensorId Parts::norm(const std::string& name, const Norm& norm, TensorId x, Place place) {
  const RegionScope scope(build_, Region::kNorm);
  if (norm.kind == NormKind::kRmsNorm && is_eager()) {
    return eager_rms_norm(name, norm, x, place);
  }
  std::vector<TensorId> weights;
  if (norm.has_weight) {
    weights.push_back(replicated(name + ".weight", {build_.shape(x).back()}, place));
  }
  if (norm.has_bias) {
    weights.push_back(replicated(name + ".bias", {build_.shape(x).back()}, place));
  }
  return norm.kind == NormKind::kRmsNorm ? build_.rms_norm(name, x, std::move(weights))
                                         : build_.layer_norm(name, x, std::move(weights));
}

// The library's own operators: an fp32 copy, its mean square, the normalised copy cast back, and
// the weight's product.
TensorId Parts::eager_rms_norm(const std::string& name, const Norm& norm, TensorId x, Place place) {
  const TensorId weight = replicated(name + ".weight", {build_.shape(x).back()}, place);
  const bool casts = type() != ElementType::kF32;
  const TensorId x32 =
      casts ? build_.unary(OpKind::kCast, name + ".to_f32", x, ElementType::kF32) : x;
  const TensorId square = build_.unary(OpKind::kPower, name + ".square", x32);
  const TensorId mean = build_.mean(name + ".mean", square);
  const TensorId shifted = build_.unary(OpKind::kAddScalar, name + ".epsilon", mean);
  const TensorId scale = build_.unary(OpKind::kRsqrt, name + ".rsqrt", shifted);
  TensorId y = build_.binary(OpKind::kMultiply, name + ".normalise", norm.keeps_input ? x : x32,
                             scale, ElementType::kF32);
  if (casts) {
    y = build_.unary(OpKind::kCast, name + ".cast", y, type());
  }
  return build_.binary(OpKind::kMultiply, name, y, weight);
}

TensorId Parts::activate(const std::string& name, Activation activation, TensorId x) {
  const RegionScope scope(build_, Region::kActivation);
  if (activation == Activation::kGeluNew && is_eager()) {
    return eager_gelu_new(name, x);
  }
  return build_.unary(kind_of(activation), name, x);
}

// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), an operator for each step.
TensorId Parts::eager_gelu_new(const std::string& name, TensorId x) {
  const TensorId half = build_.unary(OpKind::kScale, name + ".half", x);
  const TensorId cube = build_.unary(OpKind::kPower, name + ".cube", x);
  const TensorId term = build_.unary(OpKind::kScale, name + ".term", cube);
  const TensorId sum = build_.binary(OpKind::kAdd, name + ".sum", x, term);
  const TensorId inner = build_.unary(OpKind::kScale, name + ".inner", sum);
  const TensorId tanh = build_.unary(OpKind::kTanh, name + ".tanh", inner);
  const TensorId shifted = build_.unary(OpKind::kAddScalar, name + ".shift", tanh);
  return build_.binary(OpKind::kMultiply, name, half, shifted);
}

TensorId Parts::dropout(const std::string& name, double probability, TensorId x) {
  return probability > 0 ? build_.dropout(name, x) : x;
}

TensorId Parts::add(const std::string& name, TensorId a, TensorId b) {
  return build_.binary(OpKind::kAdd, name, a, b);
}

TensorId Parts::gate(const FeedForward& spec, TensorId gate, TensorId up) {
  const std::optional<OpKind> fused = gated_kind_of(spec.activation);
  if (fused && !is_eager()) {
    const RegionScope scope(build_, Region::kActivation);
    return build_.binary(*fused, "activation", gate, up);
  }
  const TensorId activated = activate("activation", spec.activation, gate);
  const RegionScope scope(build_, Region::kActivation);
  return build_.binary(OpKind::kMultiply, "gated", activated, up);
}

TensorId Parts::feed_forward(const FeedForward& spec, TensorId x) {
  x = enter("enter_mlp", x);
  if (spec.experts > 0) {
    return experts(spec, x);
  }
  TensorId inner;
  if (spec.is_gated) {
    const TensorId gated = column("gate", x, spec.width, spec.has_bias);
    const TensorId up = column("up", x, spec.width, spec.has_bias);
    inner = gate(spec, gated, up);
  } else {
    inner = activate("activation", spec.activation, column("fc1", x, spec.width, spec.has_bias));
  }
  inner = dropout("activation_dropout", spec.inner_dropout, inner);
  return row(spec.is_gated ? "down" : "fc2", inner, spec.has_bias);
}

// Top-k routing with even load: every token goes to k experts, every expert gets the same number
// of rows (rounded up). Grouped products, one per expert, are batched products here.
TensorId Parts::experts(const FeedForward& spec, TensorId x) {
  const std::int64_t tokens = graph::element_count(build_.shape(x)) / hidden_;
  const std::int64_t picked = tokens * spec.experts_per_token;
  const std::int64_t rows = (picked + spec.experts - 1) / spec.experts;  // of each expert
  const std::int64_t share = spec.width / width();

  const TensorId router_weight =
      replicated("router.weight", {spec.experts, hidden_}, Place::kInside);
  const TensorId logits = build_.linear("router", x, router_weight);
  const TensorId logits32 =
      type() == ElementType::kF32
          ? logits
          : build_.unary(OpKind::kCast, "router.to_f32", logits, ElementType::kF32);
  const TensorId odds = build_.unary(OpKind::kSoftmax, "router.softmax", logits32);
  graph::Operator top;
  top.kind = OpKind::kTopK;
  top.name = "router.top_k";
  top.inputs = {odds};
  const Shape top_shape = {tokens, spec.experts_per_token};
  const std::vector<TensorId> best =
      build_.add(std::move(top), {{"router.weights", top_shape, ElementType::kF32,
                                   graph::Role::kActivation, std::nullopt, false},
                                  {"router.experts", top_shape, ElementType::kI64,
                                   graph::Role::kActivation, std::nullopt, false}});
  const TensorId sum = build_.mean("router.sum", best[0]);
  const TensorId weights = build_.binary(OpKind::kDivide, "router.normalise", best[0], sum);

  const Shape row_shape = {spec.experts * rows, hidden_};
  const TensorId dispatched = build_.gather("dispatch", x, best[1], row_shape);
  const TensorId gate_up = build_.parameter(
      "experts.gate_up.weight", {spec.experts, (spec.is_gated ? 2 : 1) * share, hidden_}, type());
  const TensorId down =
      build_.parameter("experts.down.weight", {spec.experts, hidden_, share}, type());
  const std::int64_t columns = (spec.is_gated ? 2 : 1) * share;
  const TensorId first =
      build_.product("experts.gate_up", dispatched, gate_up, {spec.experts, rows, columns, hidden_},
                     {spec.experts * rows, columns}, type());
  TensorId inner = first;
  if (spec.is_gated) {
    const std::vector<TensorId> halves = build_.split("experts.halves", first, {share, share});
    inner = gate(spec, halves[0], halves[1]);
  } else {
    inner = activate("activation", spec.activation, first);
  }
  const TensorId second = build_.product("experts.down", inner, down,
                                         {spec.experts, rows, hidden_, share}, row_shape, type());
  const TensorId row_weights =
      build_.gather("dispatch_weights", weights, best[1], {spec.experts * rows, 1});
  // The library multiplies and adds up in fp32; a fused stack rounds as it goes.
  const ElementType sum_type = is_eager() ? ElementType::kF32 : type();
  const TensorId weighted =
      build_.binary(OpKind::kMultiply, "experts.weight", second, row_weights, sum_type);
  TensorId combined = build_.scatter_add("combine", weighted, best[1], build_.shape(x));
  if (sum_type != type()) {
    combined = build_.unary(OpKind::kCast, "combine.cast", combined, type());
  }
  return leave("experts.reduce", combined);
}

}  // namespace phaze::models
