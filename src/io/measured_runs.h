#pragma once
// Tables of measured training runs: CSV, a row for each run (docs/formats.md).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/measured_run.h"

namespace phaze::io {

// Rows whose cells make sense by themselves: numbers in range, names that are known, a strategy
// that goes with devices and batch. Chips, clusters and models are names only. All faults are
// reported, the first twenty in full. `group` is that of rows that name none.
std::optional<std::vector<plan::MeasuredRun>> read_measured_runs(std::string_view text,
                                                                 const std::string& source,
                                                                 const std::string& group,
                                                                 Diagnostics& diagnostics);

}  // namespace phaze::io
