#pragma once
// YAML and JSON files as plain values that know where they stood. The only reader of both formats.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace phaze::io {

enum class ValueKind { kNull, kBoolean, kInteger, kNumber, kText, kList, kMap };

struct Value {
  ValueKind kind = ValueKind::kNull;
  Location where;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // set for integers too
  std::string text;   // of scalars as written
  std::vector<Value> items;
  std::vector<std::pair<std::string, Value>> members;  // in the file's order

  const Value* find(std::string_view key) const;
};

// "the text \"abc\"", "true", "a list of 3": for "expected ..., found ..." messages.
std::string describe(const Value& value);

// Parses one document. Faults: syntax, duplicate keys, keys that are not text, more than one
// document, nesting or size beyond what a real file has (aliases count as often as they are used).
std::optional<Value> parse_document(std::string_view text, const std::string& source,
                                    Diagnostics& diagnostics);

// The contents of a file of at most 256 MiB.
std::optional<std::string> read_text_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace phaze::io
