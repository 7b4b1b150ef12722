#pragma once
// Clusters from files (docs/formats.md).

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "hw/cluster.h"
#include "io/document.h"

namespace phaze::io {

// Everything that makes no sense is a fault, and all faults are reported.
std::optional<hw::Cluster> read_cluster(const Value& document, const std::string& name,
                                        Diagnostics& diagnostics);

}  // namespace phaze::io
