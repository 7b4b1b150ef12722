#include "io/document_parts.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/text.h"

namespace phaze::io {
namespace {

bool has_leading_zero(std::string_view text) {
  const std::size_t first = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return text.size() > first + 1 && text[first] == '0';
}

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  number = is_whole ? parsed : number;
  return is_whole;
}

std::string joined(const std::string& key, const std::string& part) {
  constexpr std::size_t kLongest = 240;
  constexpr std::size_t kKept = 100;
  std::string path = key + part;
  if (path.size() <= kLongest) {
    return path;
  }
  std::size_t tail = path.size() - kKept;
  while (tail < path.size() && (static_cast<unsigned char>(path[tail]) & 0xC0U) == 0x80U) {
    ++tail;  // not within a character
  }
  return shortened(path, kKept) + path.substr(tail);
}

}  // namespace

void read_plain(Value& value) {
  const std::string& text = value.text;
  double number = 0;
  if (text == "null" || text == "~" || text.empty()) {
    value.kind = ValueKind::kNull;
  } else if (text == "true" || text == "True" || text == "false" || text == "False") {
    value.kind = ValueKind::kBoolean;
    value.boolean = text == "true" || text == "True";
  } else if (!has_leading_zero(text) && parse_whole(text, value.integer)) {
    value.kind = ValueKind::kInteger;
    value.number = static_cast<double>(value.integer);
  } else if (parse_whole(text, number) && std::isfinite(number)) {
    value.kind = ValueKind::kNumber;
    value.number = number;
  }
}

std::string item_path(const Value& list, std::size_t at) {
  return joined(list.where.key, "[" + std::to_string(at) + "]");
}

std::string member_path(const Value& map, const std::string& name) {
  return joined(map.where.key, (map.where.key.empty() ? "" : ".") + name);
}

}  // namespace phaze::io
