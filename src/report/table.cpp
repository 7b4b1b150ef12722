#include "report/table.h"

#include <algorithm>

#include "base/text.h"

namespace phaze::report {
namespace {

// Columns on the screen: bytes of UTF-8 that begin a character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = printable(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::to_string(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].title);
    for (const auto& row : rows_) {
      if (i < row.size()) {
        width = std::max(width, width_of(row[i]));
      }
    }
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string cell = i < cells.size() ? cells[i] : "";
      const std::string pad(widths[i] - width_of(cell), ' ');
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
