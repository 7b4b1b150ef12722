#include "report/table.h"

#include <algorithm>

#include "base/text.h"
#include "report/text_width.h"

namespace phaze::report {

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::to_string(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = text_width(columns_[i].title);
    for (const auto& row : rows_) {
      if (i < row.size()) {
        width = std::max(width, text_width(row[i]));
      }
    }
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = i < cells.size() ? cells[i] : "";
      const std::string pad(widths[i] - text_width(cell), ' ');
      text += i > 0 ? "  " : "";
      text += columns_[i].align == Align::kRight ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::vector<std::string> titles;
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    rule.emplace_back(widths[i], '-');
  }
  std::string text = line(titles) + line(rule);
  for (const auto& row : rows_) {
    text += row.empty() ? line(rule) : line(row);
  }
  return text;
}

}  // namespace phaze::report
