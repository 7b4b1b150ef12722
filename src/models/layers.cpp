#include "models/layers.h"

#include "models/parts.h"

namespace phaze::models {

using graph::ElementType;
using graph::Layer;
using graph::LayerBuilder;
using graph::OpKind;
using graph::ProductShape;
using graph::Shape;
using graph::TensorId;

namespace {

TensorId embed_patches(LayerBuilder& build, Parts& parts, const ModelSpec& spec,
                       const BuildOptions& options) {
  const Embedding& e = spec.embedding;
  const std::int64_t patches = e.positions - 1;
  const std::int64_t patch = e.channels * e.patch_height * e.patch_width;
  const TensorId pixels = build.constant(
      "pixels", {options.microbatch, e.channels, e.image_height, e.image_width}, parts.type());
  const TensorId weight =
      parts.replicated("patch.weight", {spec.hidden, e.channels, e.patch_height, e.patch_width});
  const TensorId bias = parts.replicated("patch.bias", {spec.hidden});
  const TensorId embedded = build.convolution("patch", pixels, weight, bias,
                                              {1, options.microbatch * patches, spec.hidden, patch},
                                              {options.microbatch, patches, spec.hidden});
  const TensorId first =
      build.copy("class_token.expand", parts.replicated("class_token", {1, 1, spec.hidden}),
                 {options.microbatch, 1, spec.hidden});
  const TensorId tokens = build.concatenate("tokens", {first, embedded},
                                            {options.microbatch, patches + 1, spec.hidden});
  if (e.has_mask_token) {
    // Used only where patches are masked; the parameter is the library's.
    build.parameter("mask_token", {1, 1, spec.hidden}, parts.type());
  }
  const TensorId positions = parts.replicated("positions", {1, patches + 1, spec.hidden});
  return parts.add("add_positions", tokens, positions);
}

TensorId embed_tokens(LayerBuilder& build, Parts& parts, const ModelSpec& spec,
                      const BuildOptions& options, std::int64_t sequence, bool is_tied) {
  const Embedding& e = spec.embedding;
  const TensorId ids = build.constant("ids", {options.microbatch, sequence}, ElementType::kI64);
  const TensorId table = build.parameter(
      "tokens.weight", {e.vocabulary / options.tensor_width, e.width}, parts.type(), is_tied);
  TensorId x = parts.leave("tokens.reduce", build.embedding("tokens", table, ids));
  if (e.width != spec.hidden) {
    x = parts.whole("project_in", x, spec.hidden, false);
  }
  if (e.token_types > 0) {
    const TensorId types =
        build.constant("type_ids", {options.microbatch, parts.local_sequence()}, ElementType::kI64);
    const TensorId type_table =
        parts.replicated("token_types.weight", {e.token_types, spec.hidden});
    x = parts.add("add_types", x, build.embedding("token_types", type_table, types));
  }
  if (e.positions > 0) {
    const TensorId places =
        build.constant("position_ids", {parts.local_sequence()}, ElementType::kI64);
    const TensorId position_table =
        parts.replicated("positions.weight", {e.positions, spec.hidden});
    x = parts.add("add_positions", x, build.embedding("positions", position_table, places));
  }
  return x;
}

Layer build_embedding(const ModelSpec& spec, const BuildOptions& options, std::int64_t sequence,
                      const std::string& name, bool is_tied) {
  LayerBuilder build(name);
  build.forbid_recompute();
  Parts parts(build, options, spec.hidden, sequence);
  const bool is_vision = spec.embedding.channels > 0;
  TensorId x = is_vision ? embed_patches(build, parts, spec, options)
                         : embed_tokens(build, parts, spec, options, sequence, is_tied);
  if (is_vision && options.sequence_parallel) {
    // Every device has all patches and goes on with its share of them.
    x = build.view("own_tokens", x, parts.token_shape(spec.hidden));
  }
  if (spec.embedding.has_norm) {
    x = parts.norm("norm", spec.norm, x);
  }
  x = parts.dropout("dropout", spec.embedding.dropout, x);
  build.hand_over(x);
  return std::move(build).finish();
}

// The scores' bias by relative position: a small table looked up for every pair of places.
TensorId relative_bias(LayerBuilder& build, const Parts& parts, const Stack& stack, std::int64_t s,
                       std::int64_t heads) {
  const std::int64_t share = heads / parts.width();
  const TensorId table =
      build.parameter("relative_bias.weight", {stack.relative_buckets, share}, parts.type());
  const TensorId buckets = build.constant("relative_bias.buckets", {s, s}, ElementType::kI64);
  const TensorId looked_up = build.embedding("relative_bias", table, buckets);
  return build.copy("relative_bias.by_heads", looked_up, {share, s, s});
}

TensorId attend(Parts& parts, const Block& block, const std::string& name, TensorId x,
                std::optional<TensorId> other, std::optional<TensorId> bias) {
  Attention attention = block.attention;
  if (other) {
    attention.is_causal = false;
    attention.window = 0;
    bias.reset();
  }
  const TensorId y = parts.attention(name, attention, x, other, bias);
  return parts.dropout(name.empty() ? "out_dropout" : name + ".out_dropout", block.dropout, y);
}

TensorId transform(Parts& parts, const Block& block, TensorId x, std::optional<TensorId> memory,
                   std::optional<TensorId> bias) {
  const auto mlp = [&](TensorId in) {
    return parts.dropout("mlp_dropout", block.dropout, parts.feed_forward(block.feed_forward, in));
  };
  switch (block.residual) {
    case Residual::kPreNorm: {
      x = parts.add(
          "residual1", x,
          attend(parts, block, "", parts.norm("norm1", block.norm, x), std::nullopt, bias));
      if (memory) {
        x = parts.add("residual_cross", x,
                      attend(parts, block, "cross", parts.norm("norm_cross", block.norm, x), memory,
                             std::nullopt));
      }
      return parts.add("residual2", x, mlp(parts.norm("norm2", block.norm, x)));
    }
    case Residual::kPostNorm: {
      x = parts.norm("norm1", block.norm,
                     parts.add("residual1", x, attend(parts, block, "", x, std::nullopt, bias)));
      if (memory) {
        x = parts.norm(
            "norm_cross", block.norm,
            parts.add("residual_cross", x, attend(parts, block, "cross", x, memory, std::nullopt)));
      }
      return parts.norm("norm2", block.norm, parts.add("residual2", x, mlp(x)));
    }
    case Residual::kParallel:
    case Residual::kParallelNorms: {
      const TensorId normed = parts.norm("norm1", block.norm, x);
      const TensorId attended = attend(parts, block, "", normed, std::nullopt, bias);
      const TensorId second =
          block.residual == Residual::kParallel ? normed : parts.norm("norm2", block.norm, x);
      return parts.add("residual", parts.add("parallel_sum", attended, mlp(second)), x);
    }
  }
  CHECK(false, "unknown residual");
}

Layer build_block(const ModelSpec& spec, const BuildOptions& options, std::size_t at,
                  const Block& block, const std::string& name, std::int64_t repeat,
                  bool makes_bias) {
  const Stack& stack = spec.stacks[at];
  const std::int64_t sequence = stack_sequence(spec, options, at);
  LayerBuilder build(name, repeat);
  Parts parts(build, options, spec.hidden, sequence);
  const TensorId x = build.input("x", parts.token_shape(spec.hidden), parts.type());
  std::optional<TensorId> memory;
  if (block.has_cross_attention) {
    const Parts encoder(build, options, spec.hidden, stack_sequence(spec, options, 0));
    memory = build.shared("encoder_output", encoder.token_shape(spec.hidden), parts.type());
  }
  std::optional<TensorId> bias;
  if (stack.relative_buckets > 0) {
    const std::int64_t share = block.attention.heads / options.tensor_width;
    bias = makes_bias ? relative_bias(build, parts, stack, sequence, block.attention.heads)
                      : build.shared("relative_bias", {share, sequence, sequence}, parts.type());
  }
  build.hand_over(transform(parts, block, x, memory, bias));
  if (makes_bias) {
    build.hand_over(*bias);
  }
  return std::move(build).finish();
}

Layer build_stack_end(const ModelSpec& spec, const BuildOptions& options, const Stack& stack) {
  LayerBuilder build(stack.name + "_end");
  build.forbid_recompute();
  Parts parts(build, options, spec.hidden, options.sequence);
  TensorId x = build.input("x", parts.token_shape(spec.hidden), parts.type());
  x = parts.norm("norm", spec.norm, x);
  build.hand_over(parts.dropout("dropout", stack.final_dropout, x));
  return std::move(build).finish();
}

}  // namespace

std::int64_t stack_sequence(const ModelSpec& spec, const BuildOptions& options, std::size_t stack) {
  const bool is_decoder_of_pair = spec.stacks.size() > 1 && stack > 0;
  return is_decoder_of_pair && options.decoder_sequence > 0 ? options.decoder_sequence
                                                            : options.sequence;
}

std::vector<Layer> build_layers(const ModelSpec& spec, const BuildOptions& options) {
  std::vector<Layer> layers;
  const bool is_pair = spec.stacks.size() > 1;
  for (std::size_t i = 0; i < spec.stacks.size(); ++i) {
    const Stack& stack = spec.stacks[i];
    layers.push_back(build_embedding(spec, options, stack_sequence(spec, options, i),
                                     is_pair ? stack.name + "_embedding" : "embedding", i > 0));
    bool is_first = stack.relative_buckets > 0;
    for (const Run& run : stack.runs) {
      const bool slides = stack.runs.size() > 1 && run.block.attention.window > 0;
      const std::string name = stack.name + (slides ? "_sliding" : "");
      std::int64_t count = run.count;
      if (is_first) {
        layers.push_back(build_block(spec, options, i, run.block, stack.name + "_first", 1, true));
        is_first = false;
        --count;
      }
      if (count > 0) {
        layers.push_back(build_block(spec, options, i, run.block, name, count, false));
      }
    }
    if (i + 1 < spec.stacks.size()) {
      layers.push_back(build_stack_end(spec, options, stack));
    }
  }
  if (std::optional<Layer> head = build_head(spec, options)) {
    layers.push_back(std::move(*head));
  }
  return layers;
}

}  // namespace phaze::models
