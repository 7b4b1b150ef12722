#pragma once
// The text of a document before it is parsed. Inside io/ only.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace phaze::io {

// Values that a document may hold, aliases counted as often as they are used.
inline constexpr std::size_t kMaxValues = 1'000'000;
std::string too_many_values();

// Is the text UTF-8 without zero bytes?
bool check_utf8(std::string_view text, const std::string& source, Diagnostics& diagnostics);

// Is the text UTF-8, and is it not plain from afar that it holds more than kMaxValues?
bool check_text(std::string_view text, const std::string& source, Diagnostics& diagnostics);

// JSON and YAML as yaml-cpp likes it, in the same place (but for a byte order mark and escapes).
std::string as_yaml(std::string_view text);

}  // namespace phaze::io
