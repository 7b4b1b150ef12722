#pragma once
// Cases of tests/reference: configurations and what the real library says of them.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "io/document.h"

namespace phaze::tests {

inline io::Value read_json(const std::string& path) {
  Diagnostics diagnostics;
  const std::optional<std::string> text = io::read_text_file(path, diagnostics);
  std::optional<io::Value> value =
      text ? io::parse_document(*text, path, diagnostics) : std::nullopt;
  EXPECT_TRUE(value) << to_string(diagnostics);
  return value.value_or(io::Value{});
}

inline const io::Value& member(const io::Value& map, const std::string& key) {
  const io::Value* value = map.find(key);
  EXPECT_NE(value, nullptr) << key;
  static const io::Value kMissing;
  return value != nullptr ? *value : kMissing;
}

inline io::Value text_value(const std::string& text) {
  io::Value value;
  value.kind = io::ValueKind::kText;
  value.text = text;
  return value;
}

// The case's config.json. A file that does not say which class or which version of the library it
// is for gets both from the case.
inline io::Value config_of(const io::Value& example) {
  io::Value config = member(example, "config");
  const io::Value* architectures = config.find("architectures");
  if (architectures == nullptr || architectures->items.empty()) {
    std::erase_if(config.members, [](const auto& m) { return m.first == "architectures"; });
    io::Value list;
    list.kind = io::ValueKind::kList;
    list.items.push_back(text_value(member(example, "architecture").text));
    config.members.emplace_back("architectures", list);
  }
  if (config.find("transformers_version") == nullptr) {
    const std::string library = member(example, "library").text;  // "transformers 5.22.2"
    config.members.emplace_back("transformers_version",
                                text_value(library.substr(library.find(' ') + 1)));
  }
  return config;
}

}  // namespace phaze::tests
