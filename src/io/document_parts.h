#pragma once
// What the parsers of documents share. Inside io/ only.

#include <cstddef>
#include <string>

#include "io/document.h"

namespace phaze::io {

// Lists and maps within one another.
inline constexpr std::size_t kMaxDepth = 100;

// Sets kind and number of a scalar without quotes from its text; left alone when it is but text.
void read_plain(Value& value);

// The path of a value within its list or map. Every value carries its own, so a very long one loses
// its middle.
std::string item_path(const Value& list, std::size_t at);
std::string member_path(const Value& map, const std::string& name);

}  // namespace phaze::io
