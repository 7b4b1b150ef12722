#include "io/document_text.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace phaze::io {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the UTF-8 character at the start of `text`; 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80U                     ? 1
                             : first >= 0xC2U && first < 0xE0U ? 2
                             : (first & 0xF0U) == 0xE0U        ? 3
                             : first >= 0xF0U && first < 0xF5U ? 4
                                                               : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  // Longer than need be, halves of surrogate pairs, beyond the last character.
  const bool is_bad =
      length > 2 && ((first == 0xE0U && byte(1) < 0xA0U) || (first == 0xEDU && byte(1) >= 0xA0U) ||
                     (first == 0xF0U && byte(1) < 0x90U) || (first == 0xF4U && byte(1) >= 0x90U));
  return is_bad ? 0 : length;
}

// The number that `text` starts with as backslash, u and four hexadecimal digits; 0 for none.
unsigned escaped_unit(std::string_view text) {
  constexpr std::size_t kLength = 6;
  unsigned unit = 0;
  if (text.size() < kLength || !text.starts_with("\\u")) {
    return 0;
  }
  const char* end = text.data() + kLength;
  return std::from_chars(text.data() + 2, end, unit, 16).ptr == end ? unit : 0;
}

// JSON spells characters beyond 16 bits as two escapes, YAML as one (\U and eight digits).
std::string with_pairs_joined(const std::string& text) {
  constexpr std::size_t kLength = 6;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    const unsigned high = escaped_unit(rest);
    const unsigned low = high == 0 ? 0 : escaped_unit(rest.substr(kLength));
    if (high >= 0xD800U && high < 0xDC00U && low >= 0xDC00U && low < 0xE000U) {
      const unsigned character = 0x10000U + ((high - 0xD800U) << 10U) + (low - 0xDC00U);
      joined += "\\U";
      for (unsigned shift = 32; shift > 0; shift -= 4) {
        joined += kHex[(character >> (shift - 4)) & 0xFU];
      }
      i += 2 * kLength - 1;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      joined += rest.substr(0, 2);
      ++i;
    } else {
      joined += text[i];
    }
  }
  return joined;
}

}  // namespace

std::string too_many_values() {
  return "holds more than " + with_thousands(static_cast<std::int64_t>(kMaxValues)) + " values";
}

bool check_text(std::string_view text, const std::string& source, Diagnostics& diagnostics) {
  // Every value has a comma, a line or a bracket of its own.
  for (const char mark : {',', '\n', '[', '{'}) {
    if (static_cast<std::size_t>(std::ranges::count(text, mark)) > kMaxValues) {
      diagnostics.error({source, 0, 0, ""}, too_many_values());
      return false;
    }
  }
  return check_utf8(text, source, diagnostics);
}

bool check_utf8(std::string_view text, const std::string& source, Diagnostics& diagnostics) {
  int line = 1;
  int column = 1;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0 || text[0] == '\0') {
      const bool is_binary = text.find('\0') != std::string_view::npos;
      diagnostics.error(is_binary ? Location{source, 0, 0, ""} : Location{source, line, column, ""},
                        is_binary ? "expected text, found binary data"
                                  : "expected UTF-8 text, found a byte that is none");
      return false;
    }
    const bool is_end = text[0] == '\n';
    line += is_end ? 1 : 0;
    column = is_end ? 1 : column + 1;
    text.remove_prefix(length);
  }
  return true;
}

// JSON may be indented by tabs, which YAML forbids; a tab inside a JSON string is not legal. A
// carriage return alone ends a line in both and is not known to yaml-cpp.
std::string as_yaml(std::string_view text) {
  std::string copy(text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text);
  const std::size_t first = copy.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (copy[first] == '{' || copy[first] == '[');
  for (std::size_t i = 0; i < copy.size(); ++i) {
    if (copy[i] == '\t' && is_json) {
      copy[i] = ' ';
    } else if (copy[i] == '\r' && (i + 1 == copy.size() || copy[i + 1] != '\n')) {
      copy[i] = '\n';
    }
  }
  return is_json ? with_pairs_joined(copy) : copy;
}

}  // namespace phaze::io
