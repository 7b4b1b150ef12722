#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "io/data_table.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

std::string csv_text(const std::string& text) {
  const bool is_plain = !text.empty() && text.find_first_of(",\"\r\n") == std::string::npos &&
                        text.front() != '#' && text.front() != ' ' && text.back() != ' ';
  if (is_plain) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

struct CsvCellText {
  std::string operator()(std::monostate /*nothing*/) const { return ""; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& text) const { return csv_text(text); }
};

struct JsonCell {
  Json operator()(std::monostate /*nothing*/) const { return nullptr; }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

}  // namespace

std::string write_csv(const plan::DataTable& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += (i == 0 ? "" : ",") + csv_text(table.columns[i]);
  }
  text += "\n";
  for (const std::vector<plan::DataCell>& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "" : ",";
      text += std::visit(CsvCellText(), row[i]);
    }
    text += "\n";
  }
  return text;
}

std::string write_table(const plan::DataTable& table) {
  Json rows = Json::array();
  for (const std::vector<plan::DataCell>& row : table.rows) {
    Json cells = Json::array();
    for (const plan::DataCell& cell : row) {
      cells.push_back(std::visit(JsonCell(), cell));
    }
    rows.push_back(std::move(cells));
  }
  const Json json = {{"schema", 1}, {"columns", table.columns}, {"rows", std::move(rows)}};
  // SQL can make text that is no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
