#pragma once
// Tables as CSV and JSON.

#include <string>

#include "plan/data_table.h"

namespace phaze::io {

// A line of names, then a line a row. A cell that holds nothing is empty, numbers are in their
// shortest form; text is in quotes where it needs them, and may then go over several lines.
std::string write_csv(const plan::DataTable& table);

// {"schema": 1, "columns": [...], "rows": [[...], ...]}
std::string write_table(const plan::DataTable& table);

}  // namespace phaze::io
