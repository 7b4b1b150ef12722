#pragma once
// The chain of distinct layers of a model. Inside models/ only.

#include <vector>

#include "graph/layer.h"
#include "models/build.h"
#include "models/spec.h"

namespace phaze::models {

// Tokens of a sequence in the stack of this number.
std::int64_t stack_sequence(const ModelSpec& spec, const BuildOptions& options, std::size_t stack);

// Options have been checked against the spec and carry the sequence length.
std::vector<graph::Layer> build_layers(const ModelSpec& spec, const BuildOptions& options);

// Final norm, projections and loss. Nothing when the model ends with its last layer.
std::optional<graph::Layer> build_head(const ModelSpec& spec, const BuildOptions& options);

}  // namespace phaze::models
