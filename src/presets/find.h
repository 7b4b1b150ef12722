#pragma once
// A built-in document by name, or a file. Inside presets/ only.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "embedded/file.h"
#include "io/document.h"

namespace phaze::presets {

std::vector<std::string> names_of(std::span<const embedded::File> files);

// `kind` is what is looked for, in messages: "chip".
std::optional<io::Value> find_document(std::span<const embedded::File> files,
                                       const std::string& name, const std::string& kind,
                                       Diagnostics& diagnostics);

}  // namespace phaze::presets
