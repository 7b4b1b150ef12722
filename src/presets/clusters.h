#pragma once
// Clusters by name or file: built-in ones (data/clusters, carried inside the program) and changes
// from the command line.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "hw/cluster.h"

namespace phaze::presets {

// In the order in which they are listed.
std::vector<std::string> cluster_names();

// A built-in name or a file, with settings such as "infiniband.bandwidth=+20%" (the field of a
// level) or "start=10 us" applied.
std::optional<hw::Cluster> load_cluster(const std::string& name_or_file,
                                        const std::vector<std::string>& settings,
                                        Diagnostics& diagnostics);

}  // namespace phaze::presets
