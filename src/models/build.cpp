#include "models/build.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "graph/summary.h"
#include "graph/verify.h"
#include "models/layers.h"

namespace phaze::models {
namespace {

constexpr std::int64_t kMaxSequence = std::int64_t{1} << 30;
constexpr std::int64_t kMaxMicrobatch = std::int64_t{1} << 30;
constexpr std::int64_t kMaxWidthOffered = 1024;
constexpr std::int64_t kPadding = 128;  // Megatron-LM's make-vocab-size-divisible-by

// What a tensor width has to divide.
std::vector<std::int64_t> split_extents(const ModelSpec& spec, bool pads_vocabulary) {
  std::vector<std::int64_t> extents;
  for (const Stack& stack : spec.stacks) {
    for (const Run& run : stack.runs) {
      extents.push_back(run.block.attention.heads);
      extents.push_back(run.block.attention.kv_heads);
      extents.push_back(run.block.feed_forward.width);
    }
  }
  if (spec.embedding.vocabulary > 0 && !pads_vocabulary) {
    extents.push_back(spec.embedding.vocabulary);
  }
  return extents;
}

Location option(const std::string& name) { return {"command line", 0, 0, name}; }

bool check_range(const std::string& name, std::int64_t value, std::int64_t most,
                 Diagnostics& diagnostics) {
  if (value >= 1 && value <= most) {
    return true;
  }
  diagnostics.error(option(name), "expected a whole number from 1 to " + with_thousands(most) +
                                      ", found " + with_thousands(value));
  return false;
}

void check_tensor_width(const ModelSpec& spec, const BuildOptions& options,
                        Diagnostics& diagnostics) {
  const std::vector<std::int64_t> widths = tensor_widths(spec);
  if (std::ranges::find(widths, options.tensor_width) == widths.end()) {
    std::string known;
    for (const std::int64_t width : widths) {
      known += (known.empty() ? "" : ", ") + std::to_string(width);
    }
    diagnostics.error(option("--tensor"),
                      "expected a width that divides heads, key-value heads, feed-forward width "
                      "and vocabulary (" +
                          known + "), found " + std::to_string(options.tensor_width));
  }
  const bool divides = options.sequence % options.tensor_width == 0 &&
                       options.decoder_sequence % options.tensor_width == 0;
  if (options.sequence_parallel && !divides) {
    const std::int64_t length =
        options.sequence % options.tensor_width != 0 ? options.sequence : options.decoder_sequence;
    diagnostics.error(option("--sequence-parallel"), "the sequence length " +
                                                         with_thousands(length) +
                                                         " is not a multiple of the tensor width " +
                                                         std::to_string(options.tensor_width));
  }
}

// No tensor may pass graph::kMaxElements: then every count and sum of bytes is exact.
void check_size(const ModelSpec& spec, const BuildOptions& options, Diagnostics& diagnostics) {
  const std::int64_t longest = std::max(options.sequence, options.decoder_sequence);
  const double tokens = static_cast<double>(options.microbatch) * static_cast<double>(longest);
  constexpr double kWidestStatistics = 8;  // a row of a loss or of a norm
  const Embedding& e = spec.embedding;
  double widest = std::max({kWidestStatistics, static_cast<double>(spec.hidden),
                            static_cast<double>(e.vocabulary), static_cast<double>(e.width)});
  double squares = 0;
  for (const Stack& stack : spec.stacks) {
    for (const Run& run : stack.runs) {
      const Attention& a = run.block.attention;
      const FeedForward& f = run.block.feed_forward;
      const double qkv =
          static_cast<double>(a.heads + 2 * a.kv_heads) * static_cast<double>(a.head_dim);
      // Every expert gets at least one row.
      const double copies =
          static_cast<double>(std::max<std::int64_t>(1, f.experts_per_token + f.experts));
      const auto inner = static_cast<double>(std::max(spec.hidden, 2 * f.width));
      widest = std::max({widest, qkv, copies * inner});
      if (options.attention == AttentionMode::kEager || a.has_relative_bias) {
        squares = std::max(squares, static_cast<double>(a.heads) * static_cast<double>(longest));
      }
    }
  }
  for (const Classifier& classifier : spec.head.classifiers) {
    widest = std::max(widest, static_cast<double>(classifier.outputs));
  }
  const double pixels = static_cast<double>(options.microbatch * e.channels) *
                        static_cast<double>(e.image_height) * static_cast<double>(e.image_width);
  const double largest = std::max(pixels, tokens * std::max(widest, squares));
  if (largest > static_cast<double>(graph::kMaxElements)) {
    diagnostics.error(option("--sequence"),
                      "with these sizes a tensor would have " + with_prefix(largest, "") +
                          " elements, more than can be meant (2^50); choose a smaller sequence or "
                          "micro-batch");
  }
}

}  // namespace

graph::Fusion default_fusion(Execution execution) {
  switch (execution) {
    case Execution::kFused:
      return graph::Fusion::kFull;
    case Execution::kMegatron:
      return graph::Fusion::kElementwise;
    case Execution::kEager:
      return graph::Fusion::kNone;
  }
  CHECK(false, "unknown execution");
}

std::optional<AttentionMode> parse_attention(std::string_view name) {
  return name == "flash"   ? std::optional(AttentionMode::kFlash)
         : name == "eager" ? std::optional(AttentionMode::kEager)
                           : std::nullopt;
}

std::optional<Execution> parse_execution(std::string_view name) {
  return name == "fused"      ? std::optional(Execution::kFused)
         : name == "megatron" ? std::optional(Execution::kMegatron)
         : name == "eager"    ? std::optional(Execution::kEager)
                              : std::nullopt;
}

std::string_view to_string(AttentionMode mode) {
  return mode == AttentionMode::kFlash ? "flash" : "eager";
}

std::string_view to_string(Execution execution) {
  switch (execution) {
    case Execution::kFused:
      return "fused";
    case Execution::kMegatron:
      return "megatron";
    case Execution::kEager:
      return "eager";
  }
  CHECK(false, "unknown execution");
}

std::int64_t padded_vocabulary(std::int64_t vocabulary, std::int64_t width) {
  if (vocabulary % width == 0) {
    return vocabulary;
  }
  const std::int64_t unit = kPadding * width;
  return (vocabulary + unit - 1) / unit * unit;
}

std::vector<std::int64_t> tensor_widths(const ModelSpec& spec, bool pads_vocabulary) {
  std::int64_t common = 0;
  for (const std::int64_t extent : split_extents(spec, pads_vocabulary)) {
    common = std::gcd(common, extent);
  }
  std::vector<std::int64_t> widths;
  for (std::int64_t width = 1; width <= std::min(common, kMaxWidthOffered); ++width) {
    if (common % width == 0) {
      widths.push_back(width);
    }
  }
  return widths;
}

namespace {

ModelSpec with_padded_vocabulary(ModelSpec spec, std::int64_t width) {
  std::int64_t& vocabulary = spec.embedding.vocabulary;
  const std::int64_t padded = padded_vocabulary(vocabulary, width);
  if (spec.head.vocabulary && spec.head.vocabulary->unused_biases == vocabulary) {
    spec.head.vocabulary->unused_biases = padded;
  }
  vocabulary = padded;
  return spec;
}

}  // namespace

std::optional<graph::Model> build_model(const ModelSpec& spec, const BuildOptions& given,
                                        Diagnostics& diagnostics) {
  if (given.pads_vocabulary && given.tensor_width > 1 && given.tensor_width <= kMaxWidthOffered &&
      spec.embedding.vocabulary % given.tensor_width != 0) {
    BuildOptions options = given;
    options.pads_vocabulary = false;
    return build_model(with_padded_vocabulary(spec, given.tensor_width), options, diagnostics);
  }
  const std::size_t before = diagnostics.error_count();
  BuildOptions options = given;
  if (options.sequence == 0) {
    options.sequence = spec.default_sequence;
  }
  const bool is_vision = spec.embedding.channels > 0;
  if (check_range("--sequence", options.sequence, kMaxSequence, diagnostics) &&
      spec.longest_sequence > 0 && options.sequence > spec.longest_sequence) {
    diagnostics.error(option("--sequence"), "expected at most " +
                                                with_thousands(spec.longest_sequence) +
                                                " (the model's learned positions), found " +
                                                with_thousands(options.sequence));
  } else if (is_vision && options.sequence != spec.default_sequence) {
    diagnostics.error(option("--sequence"), "an image of this model is always " +
                                                counted(spec.default_sequence, "token") + " long");
  }
  if (options.decoder_sequence != 0 &&
      check_range("--decoder-sequence", options.decoder_sequence, kMaxSequence, diagnostics) &&
      spec.stacks.size() < 2) {
    diagnostics.error(option("--decoder-sequence"), "the model has no encoder and decoder");
  }
  check_range("--microbatch", options.microbatch, kMaxMicrobatch, diagnostics);
  if (check_range("--tensor", options.tensor_width, kMaxWidthOffered, diagnostics)) {
    check_tensor_width(spec, options, diagnostics);
  }
  if (options.tensor_width == 1) {
    options.sequence_parallel = false;
  }
  if (diagnostics.error_count() == before) {
    check_size(spec, options, diagnostics);
  }
  if (diagnostics.error_count() > before) {
    return std::nullopt;
  }
  graph::Model model;
  model.name = spec.name;
  model.sequence = options.sequence;
  model.microbatch = options.microbatch;
  model.tensor_width = options.tensor_width;
  model.parameters = count_parameters(spec);
  model.settings = {{"family", spec.family},
                    {"architecture", spec.architecture},
                    {"attention", std::string(to_string(options.attention))},
                    {"execution", std::string(to_string(options.execution))},
                    {"precision", std::string(graph::to_string(options.precision))},
                    {"sequence_parallel", options.sequence_parallel ? "on" : "off"},
                    {"expanded_kv", options.expand_kv ? "on" : "off"}};
  if (options.decoder_sequence > 0) {
    model.settings["decoder_sequence"] = std::to_string(options.decoder_sequence);
  }
  model.layers = build_layers(spec, options);
  const double total = graph::total_elements(model);
  if (total > graph::kMaxForwardElements) {
    diagnostics.error(option("--sequence"),
                      "with these sizes all layers would read and write " + with_prefix(total, "") +
                          " elements, more than can be meant (2^52); choose a smaller sequence or "
                          "micro-batch");
    return std::nullopt;
  }
  return model;
}

std::int64_t count_parameters(const ModelSpec& spec) {
  BuildOptions options;
  options.sequence = spec.embedding.channels > 0 ? spec.default_sequence : 1;
  std::int64_t total = 0;
  for (const graph::Layer& layer : build_layers(spec, options)) {
    total += checked_multiply(graph::summarise(layer).parameters, layer.repeat);
  }
  return total;
}

}  // namespace phaze::models
