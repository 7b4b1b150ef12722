#include "report/wrap.h"

#include <algorithm>
#include <optional>

#include "report/text_width.h"

namespace phaze::report {
namespace {

constexpr std::size_t kFurtherIn = 2;
constexpr std::size_t kLongestLabel = 20;  // with what stands before it, in columns
constexpr std::size_t kLeastWidth = 30;    // in less nothing is readable

// Where the text of a line begins, after its label; nothing: the line is a row of a table.
struct Parts {
  std::size_t begin = 0;    // of the text, in bytes
  std::size_t hanging = 0;  // columns before what goes on below
};
std::optional<Parts> parts_of(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", indent);
  if (gap == std::string_view::npos) {
    return Parts{indent, indent + kFurtherIn};
  }
  const std::size_t begin = line.find_first_not_of(' ', gap);
  if (begin == std::string_view::npos || line.find("  ", begin) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t columns = text_width(line.substr(0, begin));
  return columns <= kLongestLabel ? std::optional(Parts{begin, columns}) : std::nullopt;
}

void add_wrapped(std::string_view line, std::size_t width, std::string& result) {
  const auto parts = text_width(line) > width ? parts_of(line) : std::nullopt;
  if (!parts) {
    result += line;
    return;
  }
  result += line.substr(0, parts->begin);
  std::size_t column = text_width(line.substr(0, parts->begin));
  std::string_view rest = line.substr(parts->begin);
  for (bool is_first = true; !rest.empty(); is_first = false) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t wide = text_width(word);
    if (!is_first && column + 1 + wide > width) {
      result += "\n" + std::string(parts->hanging, ' ');
      column = parts->hanging;
    } else if (!is_first) {
      result += " ";
      ++column;
    }
    result += word;
    column += wide;
  }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width) {
  if (width < kLeastWidth) {
    return std::string(text);
  }
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    add_wrapped(text.substr(0, end), width, result);
    if (end == std::string_view::npos) {
      break;
    }
    result += '\n';
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace phaze::report
