#include "io/csv.h"

#include <algorithm>

namespace phaze::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

int characters_of(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

CsvLines::CsvLines(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) {
    rest_.remove_prefix(kByteOrderMark.size());
  }
}

std::string_view CsvLines::take_line() {
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  const std::size_t mark = rest_.substr(end).starts_with("\r\n") ? 2 : 1;
  rest_.remove_prefix(std::min(end + mark, rest_.size()));
  ++line_;
  return line;
}

bool CsvLines::next() {
  while (!rest_.empty()) {
    const std::string_view line = take_line();
    const std::string_view text = without_blanks(line);
    if (!text.empty() && text.front() != '#') {
      split(line);
      return true;
    }
  }
  return false;
}

void CsvLines::split(std::string_view line) {
  cells_.clear();
  fault_.reset();
  end_column_ = characters_of(line) + 1;
  int column = 1;  // of the character at `at`
  std::size_t at = 0;
  const auto go_to = [&](std::size_t to) {
    column += characters_of(line.substr(at, to - at));
    at = to;
  };
  while (true) {
    while (at < line.size() && is_blank(line[at])) {
      go_to(at + 1);
    }
    CsvCell cell{"", column};
    if (at < line.size() && line[at] == '"') {
      std::size_t to = at + 1;
      for (; to < line.size(); ++to) {
        if (line[to] == '"' && line.substr(to + 1, 1) != "\"") {
          break;
        }
        to += line[to] == '"' ? 1 : 0;
        cell.text += line[to];
      }
      if (to == line.size()) {
        fault_ = {column, "expected a closing quote on this line: cells hold no line breaks"};
        rest_ = {};  // which quotes open and which close is not known from here on
        return;
      }
      go_to(to + 1);
      while (at < line.size() && is_blank(line[at])) {
        go_to(at + 1);
      }
      if (at < line.size() && line[at] != ',') {
        fault_ = {column, "expected a comma after the closing quote"};
        return;
      }
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell.text = without_blanks(line.substr(at, end - at));
      go_to(end);
    }
    cells_.push_back(std::move(cell));
    if (at == line.size()) {
      return;
    }
    go_to(at + 1);  // past the comma
  }
}

}  // namespace phaze::io
