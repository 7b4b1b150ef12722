#include "trust/data_rows.h"

#include <sstream>

#include "base/check.h"

namespace phaze::trust {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::vector<DataRow> read_rows(std::string_view text) {
  std::stringstream stream{std::string(text)};
  std::string line;
  CHECK(static_cast<bool>(std::getline(stream, line)), "a table has a header");
  const std::vector<std::string> columns = split(line);
  std::vector<DataRow> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = split(line);
    DataRow row;
    for (std::size_t i = 0; i < columns.size() && i < cells.size(); ++i) {
      row[columns[i]] = cells[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::int64_t number(const DataRow& row, const std::string& column) {
  return std::stoll(row.at(column));
}

double seconds(const DataRow& row, const std::string& column) {
  constexpr double kMilli = 1e-3;
  return kMilli * std::stod(row.at(column));
}

}  // namespace phaze::trust
