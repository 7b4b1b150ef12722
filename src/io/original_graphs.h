#pragma once
// The layer graphs of a placement problem of the original Phaze. Inside io/ only.

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"
#include "plan/original_placement.h"

namespace phaze::io {

// A width with its lists of layers and edges, as they stand in the file.
struct OriginalWidth {
  std::int64_t width = 1;
  const Value* nodes = nullptr;
  const Value* edges = nullptr;
};

// The graphs of all widths, in the order given. With any fault what comes back is of no use.
std::vector<plan::OriginalGraph> read_original_graphs(const std::vector<OriginalWidth>& widths,
                                                      Diagnostics& diagnostics);

}  // namespace phaze::io
