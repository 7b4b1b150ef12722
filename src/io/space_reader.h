#pragma once
// Spaces of chips from files: docs/formats.md.

#include <functional>
#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "io/document.h"
#include "space/space.h"

namespace phaze::io {

// The base chip of a space: a name, a file, or a chip description. Nothing after a diagnostic.
using BaseLoader = std::function<std::optional<hw::Chip>(const Value& base, hw::Technology)>;

std::optional<space::Space> read_space(const Value& document, const std::string& name,
                                       const BaseLoader& load_base, Diagnostics& diagnostics);

}  // namespace phaze::io
