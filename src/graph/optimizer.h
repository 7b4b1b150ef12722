#pragma once
// The optimiser's step over a layer's parameters, as bytes and vector work.

#include <optional>
#include <string_view>

#include "graph/layer.h"

namespace phaze::graph {

// Number formats of training. mixed: bf16 weights and activations, fp32 gradients, master weights
// and moments. bf16, fp32: everything in that format, no master copy.
enum class Precision { kMixed, kBf16, kF32 };
enum class OptimizerKind { kAdam, kSgd };

std::optional<Precision> parse_precision(std::string_view name);
std::optional<OptimizerKind> parse_optimizer(std::string_view name);
std::string_view to_string(Precision precision);
std::string_view to_string(OptimizerKind kind);

ElementType weight_type(Precision precision);
ElementType gradient_type(Precision precision);

// Bytes of weights, gradients, master weights and moments per parameter: 18 for mixed Adam.
Bytes state_per_parameter(Precision precision, OptimizerKind kind);

// The layer with one operator more, which reads the gradients of the parameters that the layer
// owns (tied ones belong to another) and the state, and writes state and weights.
Layer add_optimizer(Layer layer, Precision precision, OptimizerKind kind);

}  // namespace phaze::graph
