#pragma once
// Fitted constants: as JSON, and as files of a chip and a cluster (docs/formats.md).

#include <string>

#include "hw/cluster.h"
#include "plan/calibration.h"

namespace phaze::io {

std::string write_calibration(const plan::Calibration& calibration);

// A chip that derives from `parent` (a name, or a file as seen from the new one's folder) and has
// the fitted constants. `title` and `source` say what it is and what it was fitted on.
std::string write_derived_chip(const std::string& parent, const std::string& title,
                               const std::string& source, const plan::Calibration& calibration);

// A whole cluster, as the reader takes it.
std::string write_cluster_file(const hw::Cluster& cluster);

}  // namespace phaze::io
