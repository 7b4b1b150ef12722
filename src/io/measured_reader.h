#pragma once
// Tables of measured operators: docs/formats.md, "Measured operators".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/measured.h"

namespace phaze::io {

// At least one row. Of very many faults the first twenty are reported, and the number of the rest.
std::optional<std::vector<plan::MeasuredOperator>> read_measured(std::string_view text,
                                                                 const std::string& source,
                                                                 Diagnostics& diagnostics);

}  // namespace phaze::io
