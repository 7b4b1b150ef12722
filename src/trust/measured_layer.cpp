#include "trust/measured_layer.h"

#include "graph/builder.h"
#include "trust/data_rows.h"

namespace phaze::trust {

using graph::ElementType;
using graph::LayerBuilder;
using graph::OpKind;
using graph::Shape;
using graph::TensorId;

namespace {

constexpr ElementType kBf16 = ElementType::kBf16;

class Module {
 public:
  explicit Module(const MeasuredLayer& row)
      : row_(row), dim_(row.hidden / row.heads), build_("layer") {}

  graph::Layer build() && {
    const Shape tokens = {row_.microbatch, row_.sequence, row_.hidden};
    const TensorId x = build_.input("x", tokens, kBf16);
    const TensorId attended =
        dropout("proj_dropout", linear("proj", attend(norm("n1", x)), row_.hidden));
    const TensorId middle = build_.binary(OpKind::kAdd, "residual1", x, attended);
    const TensorId y = dropout("fc2_dropout", linear("fc2", mlp(norm("n2", middle)), row_.hidden));
    build_.hand_over(build_.binary(OpKind::kAdd, "residual2", middle, y));
    return std::move(build_).finish();
  }

 private:
  bool has_dropout() const { return row_.has_dropout; }

  TensorId dropout(const std::string& name, TensorId x) {
    return has_dropout() ? build_.dropout(name, x) : x;
  }

  TensorId norm(const std::string& name, TensorId x) {
    const TensorId weight = build_.parameter(name + ".weight", {row_.hidden}, kBf16);
    if (row_.is_gated) {
      return build_.rms_norm(name, x, {weight});
    }
    return build_.layer_norm(name, x,
                             {weight, build_.parameter(name + ".bias", {row_.hidden}, kBf16)});
  }

  TensorId linear(const std::string& name, TensorId x, std::int64_t outputs) {
    const TensorId weight =
        build_.parameter(name + ".weight", {outputs, build_.shape(x).back()}, kBf16);
    std::optional<TensorId> bias;
    if (!row_.is_gated) {
      bias = build_.parameter(name + ".bias", {outputs}, kBf16);
    }
    return build_.linear(name, x, weight, bias);
  }

  // repeat_interleave: every key and value head copied for the queries that share it.
  TensorId expand(const std::string& name, TensorId x) {
    return row_.kv_heads == row_.heads
               ? x
               : build_.copy(name, x, {row_.microbatch, row_.sequence, row_.hidden});
  }

  // torch.matmul reshapes [batch, heads, s, d] to [batch x heads, s, d]: of a view of the merged
  // projection that is a copy as soon as there are two sequences.
  TensorId by_heads(const std::string& name, TensorId x, bool is_contiguous) {
    const Shape shape = {row_.microbatch, row_.heads, row_.sequence, dim_};
    return row_.microbatch > 1 && !is_contiguous ? build_.copy(name, x, shape)
                                                 : build_.view(name, x, shape);
  }

  TensorId attend(TensorId x) {
    const std::int64_t kv = dim_ * row_.kv_heads;
    const std::vector<TensorId> parts =
        build_.split("split", linear("qkv", x, row_.hidden + 2 * kv), {row_.hidden, kv, kv});
    const TensorId k = expand("k_expanded", parts[1]);
    const TensorId v = expand("v_expanded", parts[2]);
    const std::int64_t batch = row_.microbatch;
    const std::int64_t s = row_.sequence;
    if (row_.is_flash) {
      return build_.attention("attention", {parts[0], k, v},
                              {batch, row_.heads, row_.heads, s, s, dim_, true, 0},
                              {batch, s, row_.hidden});
    }
    const bool is_expanded = row_.kv_heads != row_.heads;
    const Shape square = {batch, row_.heads, s, s};
    const TensorId scores = build_.product("scores", by_heads("q_heads", parts[0], false),
                                           by_heads("k_heads", k, is_expanded),
                                           {batch * row_.heads, s, s, dim_}, square, kBf16);
    const TensorId scaled = build_.unary(OpKind::kScale, "scale", scores);
    const TensorId weights =
        dropout("attention_dropout", build_.unary(OpKind::kSoftmax, "softmax", scaled));
    const TensorId context =
        build_.product("context", weights, by_heads("v_heads", v, is_expanded),
                       {batch * row_.heads, s, dim_, s}, {batch, row_.heads, s, dim_}, kBf16);
    return build_.copy("merge_heads", context, {batch, s, row_.hidden});
  }

  TensorId mlp(TensorId x) {
    const TensorId y = linear("fc1", x, row_.is_gated ? 2 * row_.ffn : row_.ffn);
    if (!row_.is_gated) {
      return build_.unary(OpKind::kGelu, "gelu", y);
    }
    const std::vector<TensorId> halves = build_.split("chunk", y, {row_.ffn, row_.ffn});
    return build_.binary(OpKind::kMultiply, "product",
                         build_.unary(OpKind::kSilu, "silu", halves[0]), halves[1]);
  }

  const MeasuredLayer& row_;
  std::int64_t dim_;
  LayerBuilder build_;
};

}  // namespace

graph::Layer build_measured_layer(const MeasuredLayer& row) { return Module(row).build(); }

std::vector<MeasuredLayer> read_measured_layers(std::string_view text) {
  std::vector<MeasuredLayer> rows;
  for (const DataRow& row : read_rows(text)) {
    const auto number = [&row](const std::string& key) -> std::int64_t {
      return row.contains(key) ? std::stoll(row.at(key)) : 0;
    };
    const auto decimal = [&row](const std::string& key) {
      return row.contains(key) ? std::stod(row.at(key)) : 0;
    };
    // The replayed layers were measured without dropout.
    const bool has_dropout =
        !row.contains("execution") && number("gated") == 0 && row.at("attention") == "eager";
    rows.push_back({row.at("model"), number("hidden"), number("heads"), number("kv_heads"),
                    number("ffn"), number("seq"), number("gated") == 1, number("microbatch"),
                    row.at("attention") == "flash", number("saved_activation_bytes"),
                    number("parameters"), has_dropout,
                    row.contains("execution") && row.at("execution") == "compiled",
                    decimal("fwd_ms"), decimal("bwd_ms"), decimal("fwd_bwd_ms")});
  }
  return rows;
}

}  // namespace phaze::trust
