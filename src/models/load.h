#pragma once
// What a MODEL on the command line may be: a built-in name, a file or folder, "-" for standard
// input. Configurations become specs, graph files become graphs.

#include <optional>
#include <string>
#include <variant>

#include "base/diagnostics.h"
#include "graph/layer.h"
#include "models/spec.h"

namespace phaze::models {

using LoadedModel = std::variant<ModelSpec, graph::Model>;

std::optional<LoadedModel> load_model(const std::string& name, Diagnostics& diagnostics);

// The same for text that is already there, such as standard input.
std::optional<LoadedModel> read_model(const std::string& text, const std::string& source,
                                      Diagnostics& diagnostics);

}  // namespace phaze::models
