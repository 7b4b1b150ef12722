#pragma once
// A table of any columns: what goes out as CSV, JSON or text.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace phaze::plan {

// Nothing, a whole number, a number, text.
using DataCell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct DataTable {
  std::vector<std::string> columns;
  std::vector<std::vector<DataCell>> rows;  // each as long as columns

  bool operator==(const DataTable&) const = default;
};

}  // namespace phaze::plan
