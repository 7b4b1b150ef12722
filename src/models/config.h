#pragma once
// Reads a Hugging Face config.json (transformers 4 and 5) into a ModelSpec: keys of both versions,
// nulls, missing keys with the library's defaults. Unknown families and architectures, wrong types
// and sizes that cannot be meant are diagnostics.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"
#include "models/spec.h"

namespace phaze::models {

std::optional<ModelSpec> read_config(const io::Value& config, Diagnostics& diagnostics);

// Names of model_type that are known, sorted.
std::vector<std::string> family_names();

}  // namespace phaze::models
