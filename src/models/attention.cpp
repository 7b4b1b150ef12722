// Attention in its forms: one fused operator (`flash`), or separate products and softmax
// (`eager`), the latter as a tuned stack runs it (one masked softmax) or as the library does (an
// operator for scale, mask, softmax, cast, and copies where a batched product needs them).
#include <optional>

#include "models/parts.h"

namespace phaze::models {

using graph::AttentionShape;
using graph::ElementType;
using graph::OpKind;
using graph::ProductShape;
using graph::Region;
using graph::Shape;
using graph::TensorId;

// Tensors are [batch, length, heads x head_dim]; counts are those of one device.
struct Parts::Heads {
  TensorId q, k, v;
  std::int64_t heads, kv_heads, queries, keys;
  // The library's partial rotation leaves q and k laid out head by head: products need no copy of
  // them, but the result does.
  bool is_head_major = false;
};

Parts::Heads Parts::project(const std::string& name, const Attention& spec, TensorId x,
                            std::optional<TensorId> other) {
  const std::string prefix = name.empty() ? "" : name + ".";
  const std::int64_t q_width = spec.heads * spec.head_dim;
  const std::int64_t kv_width = spec.kv_heads * spec.head_dim;
  x = enter(prefix + "enter_attention", x);
  Heads h{x,
          x,
          x,
          spec.heads / width(),
          spec.kv_heads / width(),
          build_.shape(x)[1],
          build_.shape(x)[1],
          false};
  if (spec.is_merged && !other) {
    const TensorId merged = column(prefix + "qkv", x, q_width + 2 * kv_width, spec.has_qkv_bias);
    const std::vector<TensorId> parts = build_.split(
        prefix + "qkv.parts", merged, {q_width / width(), kv_width / width(), kv_width / width()});
    h.q = parts[0];
    h.k = parts[1];
    h.v = parts[2];
    return h;
  }
  h.q = column(prefix + "q", x, q_width, spec.has_qkv_bias);
  if (other) {
    x = enter(prefix + "enter_memory", *other);
    h.keys = build_.shape(x)[1];
  }
  h.k = column(prefix + "k", x, kv_width, spec.has_qkv_bias);
  h.v = column(prefix + "v", x, kv_width, spec.has_qkv_bias);
  return h;
}

// q cos + rotate_half(q) sin.
TensorId Parts::rotate(const std::string& name, const Attention& spec, TensorId x,
                       std::int64_t heads, std::int64_t length) {
  const std::int64_t rotated = spec.rotary_dim;
  const Shape whole = build_.shape(x);
  const TensorId table = build_.constant(name + ".table", {length, 2 * rotated}, type());
  if (!is_eager()) {
    graph::Operator op;
    op.kind = OpKind::kRotary;
    op.name = name;
    op.inputs = {x, table};
    return build_.add(std::move(op),
                      {{name, whole, type(), graph::Role::kActivation, std::nullopt, false}})[0];
  }
  const Shape per_head = {options_.microbatch, length, heads, spec.head_dim};
  TensorId y = build_.view(name + ".heads", x, per_head);
  std::optional<TensorId> rest;
  if (rotated < spec.head_dim) {
    const std::vector<TensorId> parts =
        build_.split(name + ".parts", y, {rotated, spec.head_dim - rotated});
    y = parts[0];
    rest = parts[1];
  }
  const TensorId cosines = build_.constant(name + ".cos", {length, 1, rotated}, type());
  const TensorId sines = build_.constant(name + ".sin", {length, 1, rotated}, type());
  const TensorId straight = build_.binary(OpKind::kMultiply, name + ".straight", y, cosines);
  const std::int64_t half = rotated / 2;
  const std::vector<TensorId> halves = build_.split(name + ".halves", y, {half, rotated - half});
  const TensorId negated = build_.unary(OpKind::kNegate, name + ".negate", halves[1]);
  const TensorId turned = build_.concatenate(name + ".turn", {negated, halves[0]}, build_.shape(y));
  const TensorId crossed = build_.binary(OpKind::kMultiply, name + ".crossed", turned, sines);
  y = build_.binary(OpKind::kAdd, name, straight, crossed);
  if (rest) {
    y = build_.concatenate(name + ".whole", {y, *rest}, per_head);
  }
  return build_.view(name + ".tokens", y, whole);
}

TensorId Parts::flash_core(const std::string& name, const Attention& spec, const Heads& h,
                           std::optional<TensorId> bias) {
  if (bias && is_eager()) {
    return unfused_core(name, spec, h, *bias);
  }
  std::vector<TensorId> inputs = {h.q, h.k, h.v};
  if (bias) {
    inputs.push_back(*bias);
  }
  const AttentionShape shape{options_.microbatch, h.heads,     h.kv_heads,
                             h.queries,           h.keys,      spec.head_dim,
                             spec.is_causal,      spec.window, spec.dropout > 0};
  const TensorId out =
      build_.attention(name + "attention", std::move(inputs), shape, build_.shape(h.q));
  return h.is_head_major ? build_.copy(name + "attention.copy", out, build_.shape(h.q)) : out;
}

// What scaled_dot_product_attention runs when no fused kernel takes its mask: separate products in
// fp32. A learned bias is laid out with the heads innermost, which they all refuse.
TensorId Parts::unfused_core(const std::string& name, const Attention& spec, const Heads& h,
                             TensorId bias) {
  const std::int64_t batch = options_.microbatch;
  constexpr ElementType kWide = ElementType::kF32;
  const auto prepare = [&](const std::string& what, TensorId x, std::int64_t length,
                           bool is_scaled) {
    const Shape shape = {batch, h.heads, length, spec.head_dim};
    if (type() != kWide) {
      x = build_.unary(OpKind::kCast, name + what + ".to_f32", x, kWide);
    }
    if (is_scaled) {
      x = build_.unary(OpKind::kScale, name + what + ".scaled", x);
    }
    return batch > 1 ? build_.copy(name + what + ".by_heads", x, shape)
                     : build_.view(name + what + ".by_heads", x, shape);
  };
  const TensorId q = prepare("q", h.q, h.queries, true);
  const TensorId k = prepare("k", h.k, h.keys, true);
  const TensorId v = prepare("v", h.v, h.keys, false);
  if (spec.is_causal) {
    bias = build_.copy(name + "mask", bias, build_.shape(bias));
  }
  const ProductShape scores_shape{batch * h.heads, h.queries, h.keys, spec.head_dim};
  TensorId scores = build_.product(name + "scores", q, k, scores_shape,
                                   {batch, h.heads, h.queries, h.keys}, kWide);
  scores = build_.binary(OpKind::kAdd, name + "add_bias", scores, bias);
  const TensorId weights = build_.unary(OpKind::kSoftmax, name + "softmax", scores);
  const TensorId kept = dropout(name + "attention_dropout", spec.dropout, weights);
  const ProductShape context_shape{batch * h.heads, h.queries, spec.head_dim, h.keys};
  TensorId context = build_.product(name + "context", kept, v, context_shape,
                                    {batch, h.heads, h.queries, spec.head_dim}, kWide);
  if (type() != kWide) {
    context = build_.unary(OpKind::kCast, name + "context.cast", context, type());
  }
  return build_.copy(name + "context.by_tokens", context, build_.shape(h.q));
}

// Grouped heads share K and V: their queries are rows of one product.
TensorId Parts::fused_core(const std::string& name, const Attention& spec, const Heads& h,
                           std::optional<TensorId> bias) {
  const std::int64_t groups = h.heads / h.kv_heads;
  const ProductShape scores_shape{options_.microbatch * h.kv_heads, groups * h.queries, h.keys,
                                  spec.head_dim};
  const ProductShape context_shape{scores_shape.batch, scores_shape.m, spec.head_dim, h.keys};
  const Shape square = {options_.microbatch, h.heads, h.queries, h.keys};
  TensorId scores = build_.product(name + "scores", h.q, h.k, scores_shape, square, type());
  if (bias) {
    scores = build_.binary(OpKind::kAdd, name + "add_bias", scores, *bias);
  }
  const TensorId weights = build_.unary(OpKind::kSoftmax, name + "softmax", scores);
  const TensorId kept = dropout(name + "attention_dropout", spec.dropout, weights);
  return build_.product(name + "context", kept, h.v, context_shape, build_.shape(h.q), type());
}

TensorId Parts::eager_core(const std::string& name, const Attention& spec, const Heads& h,
                           std::optional<TensorId> bias) {
  const std::int64_t batch = options_.microbatch;
  const Shape square = {batch, h.heads, h.queries, h.keys};
  // A batched product takes its operands head by head. Within one sequence that is a view; with
  // several it is a copy, unless they are laid out so already.
  const auto by_heads = [&](const std::string& what, TensorId x, std::int64_t length,
                            bool is_laid_out) {
    const Shape shape = {batch, h.heads, length, spec.head_dim};
    return batch > 1 && !is_laid_out ? build_.copy(name + what + ".by_heads", x, shape)
                                     : build_.view(name + what + ".by_heads", x, shape);
  };
  const bool is_expanded = h.kv_heads < h.heads || options_.expand_kv;
  const TensorId q = by_heads("q", h.q, h.queries, h.is_head_major);
  const TensorId k = by_heads("k", h.k, h.keys, h.is_head_major || is_expanded);
  const TensorId v = by_heads("v", h.v, h.keys, is_expanded);
  const ProductShape scores_shape{batch * h.heads, h.queries, h.keys, spec.head_dim};
  TensorId scores = build_.product(name + "scores", q, k, scores_shape, square, type());
  scores = build_.unary(OpKind::kScale, name + "scale", scores);
  if (bias) {
    scores = build_.binary(OpKind::kAdd, name + "add_bias", scores, *bias);
  }
  if (spec.is_causal) {
    const TensorId mask = build_.constant(name + "mask", {batch, 1, h.queries, h.keys}, type());
    scores = build_.binary(OpKind::kAdd, name + "add_mask", scores, mask);
  }
  TensorId weights = scores;
  if (spec.has_f32_softmax && type() != ElementType::kF32) {
    const TensorId wide =
        build_.unary(OpKind::kCast, name + "scores.to_f32", scores, ElementType::kF32);
    const TensorId odds = build_.unary(OpKind::kSoftmax, name + "softmax", wide);
    weights = build_.unary(OpKind::kCast, name + "softmax.cast", odds, type());
  } else {
    weights = build_.unary(OpKind::kSoftmax, name + "softmax", scores);
  }
  const TensorId kept = dropout(name + "attention_dropout", spec.dropout, weights);
  const ProductShape context_shape{batch * h.heads, h.queries, spec.head_dim, h.keys};
  const TensorId context = build_.product(name + "context", kept, v, context_shape,
                                          {batch, h.heads, h.queries, spec.head_dim}, type());
  return build_.copy(name + "context.by_tokens", context, build_.shape(h.q));
}

TensorId Parts::attention(const std::string& name, const Attention& spec, TensorId x,
                          std::optional<TensorId> other, std::optional<TensorId> bias) {
  const std::string prefix = name.empty() ? "" : name + ".";
  Heads h = project(name, spec, x, other);
  if (spec.qk_norm_width > 0) {
    const Norm norm{NormKind::kLayerNorm, true, true, false};
    const auto per_head = [&](const std::string& what, TensorId y, std::int64_t heads) {
      const Shape shape = build_.shape(y);
      const TensorId split =
          build_.view(prefix + what + ".heads", y, {shape[0], shape[1], heads, spec.head_dim});
      return build_.view(prefix + what + ".tokens",
                         this->norm(prefix + what + "_norm", norm, split, Place::kInside), shape);
    };
    h.q = per_head("q", h.q, h.heads);
    h.k = per_head("k", h.k, h.kv_heads);
  }
  if (spec.scale == ScorePlace::kQuery && is_eager()) {
    h.q = build_.unary(OpKind::kScale, prefix + "q.scale", h.q);
  }
  if (spec.rotary_dim > 0) {
    h.q = rotate(prefix + "q_rotary", spec, h.q, h.heads, h.queries);
    h.k = rotate(prefix + "k_rotary", spec, h.k, h.kv_heads, h.keys);
    h.is_head_major = is_eager() && spec.rotary_dim < spec.head_dim;
  }
  const bool is_flash = options_.attention == AttentionMode::kFlash;
  // The library hands a window to attention as a mask, and a mask only to equal heads.
  const bool has_mask = spec.window > 0 && h.keys >= spec.window;
  if (h.kv_heads < h.heads && (options_.expand_kv || (is_eager() && (!is_flash || has_mask)))) {
    const Shape expanded = {options_.microbatch, h.keys, h.heads * spec.head_dim};
    h.k = build_.copy(prefix + "k.expand", h.k, expanded);
    h.v = build_.copy(prefix + "v.expand", h.v, expanded);
    if (is_flash || !is_eager()) {  // eager_core looks at heads only
      h.kv_heads = h.heads;
    }
  }
  TensorId context;
  {
    const RegionScope scope(build_, Region::kAttentionCore);
    context = is_flash     ? flash_core(prefix, spec, h, bias)
              : is_eager() ? eager_core(prefix, spec, h, bias)
                           : fused_core(prefix, spec, h, bias);
  }
  return row(prefix + "out", context, spec.has_out_bias);
}

}  // namespace phaze::models
