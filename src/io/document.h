#pragma once
// YAML and JSON files as plain values that know where they stood. The only reader of both formats.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"

namespace phaze::io {

enum class ValueKind { kNull, kBoolean, kInteger, kNumber, kText, kList, kMap };

struct Member;

struct Value {
  ValueKind kind = ValueKind::kNull;
  Location where;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  // set for integers too
  std::string text;   // of scalars as written
  std::vector<Value> items;
  std::vector<Member> members;  // in the file's order

  const Value* find(std::string_view key) const;
};

// A key of a map with its value. (A std::pair would have to know Value's size, says clang 14.)
struct Member {
  Member(std::string key, Value value) : first(std::move(key)), second(std::move(value)) {}

  std::string first;
  Value second;
};

// "the text \"abc\"", "true", "a list of 3": for "expected ..., found ..." messages.
std::string describe(const Value& value);

// Parses one document. Faults: syntax, bytes that are not UTF-8, duplicate keys, keys that are not
// text, tags and merge keys (which would be lost in silence), more than one document, nesting or
// size beyond what a real file has (aliases count as often as they are used). Whole numbers with
// leading zeros, which YAML 1.1 reads as octal, are numbers but no integers.
std::optional<Value> parse_document(std::string_view text, const std::string& source,
                                    Diagnostics& diagnostics);

// The contents of a file of at most 64 MiB.
std::optional<std::string> read_text_file(const std::string& path, Diagnostics& diagnostics);

// The same for a stream that is open, such as standard input.
std::optional<std::string> read_text(std::istream& stream, const std::string& source,
                                     Diagnostics& diagnostics);

}  // namespace phaze::io
