#pragma once
// Questions to a study in SQL.

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "plan/data_table.h"

namespace phaze::study {

inline constexpr std::size_t kMostQueryBytes = std::size_t{256} << 20;

// The answer to one SELECT (or WITH, VALUES). Nothing is written, whatever the text says. Bytes
// that are no text come as x'0af3'. An answer of more than kMostQueryBytes is a fault, as is a
// query that is none; `option` is where those are.
std::optional<plan::DataTable> run_query(const std::string& path, const std::string& sql,
                                         const Location& option, Diagnostics& diagnostics);

}  // namespace phaze::study
