#pragma once
// Chips from files (docs/formats.md).

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "hw/figures.h"
#include "io/document.h"

namespace phaze::io {

// Reads a chip whose `derive` has been resolved. Fields that the file leaves out follow rules that
// scale with the core. Chips that make no sense are faults: all of them are reported. Whether the
// edges of the die have room for the HBM stacks depends on the technology: the original's has no
// memory interfaces.
std::optional<hw::Chip> read_chip(const Value& document, const std::string& name,
                                  hw::Technology technology, Diagnostics& diagnostics);

}  // namespace phaze::io
