#pragma once
// Quantiles of the errors of predictions as CSV: what `phaze validate --write-errors` writes and
// the program carries (data/errors.csv; docs/formats.md).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/prediction_range.h"

namespace phaze::io {

// `notes` become comments at the head.
std::string write_error_table(const std::vector<plan::ErrorQuantiles>& table,
                              const std::vector<std::string>& notes);

std::optional<std::vector<plan::ErrorQuantiles>> read_error_table(std::string_view text,
                                                                  const std::string& source,
                                                                  Diagnostics& diagnostics);

}  // namespace phaze::io
