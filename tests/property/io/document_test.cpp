#include "io/document.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

// Text of characters from all over Unicode, control characters included.
rc::Gen<std::string> any_text() {
  return rc::gen::exec([] {
    const auto letters =
        *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
            "a", "B", "7", " ", "\"", "\\", "/", "{", "}", "[", "]", ":", ",", "#", "&", "*", "!",
            "|", ">", "'", "%", "@", "`", "-", "?", "<<", "\n", "\t", "\r", "\x01", "\x7F",
            "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "null", "true", "~", "0x1"));
    std::string text;
    for (const std::string& letter : letters) {
      text += letter;
    }
    return text;
  });
}

Json any_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return static_cast<double>(*rc::gen::arbitrary<std::int32_t>()) / 64;
    case 4:
      return *any_text();
    case 5: {
      Json list = Json::array();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        list.push_back(any_json(depth - 1));
      }
      return list;
    }
    default: {
      Json map = Json::object();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        map[*any_text()] = any_json(depth - 1);
      }
      return map;
    }
  }
}

void assert_equal(const Value& value, const Json& json) {
  switch (value.kind) {
    case ValueKind::kNull:
      RC_ASSERT(json.is_null());
      return;
    case ValueKind::kBoolean:
      RC_ASSERT(json.is_boolean() && value.boolean == json.get<bool>());
      return;
    case ValueKind::kInteger:
      RC_ASSERT(json.is_number() && value.integer == json.get<std::int64_t>());
      return;
    case ValueKind::kNumber:
      RC_ASSERT(json.is_number() && value.number == json.get<double>());
      return;
    case ValueKind::kText:
      RC_ASSERT(json.is_string() && value.text == json.get<std::string>());
      return;
    case ValueKind::kList:
      RC_ASSERT(json.is_array() && value.items.size() == json.size());
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        assert_equal(value.items[i], json[i]);
      }
      return;
    case ValueKind::kMap: {
      RC_ASSERT(json.is_object() && value.members.size() == json.size());
      auto expected = json.begin();
      for (const auto& [key, member] : value.members) {
        RC_ASSERT(key == expected.key());
        assert_equal(member, *expected);
        ++expected;
      }
      return;
    }
  }
}

// Whatever JSON another library writes, in whatever layout.
RC_GTEST_PROP(DocumentProperty, ReadsTheJsonOfOthers, ()) {
  const Json json = any_json(3);
  const int indent = *rc::gen::element(-1, 0, 2);
  const char space = *rc::gen::element(' ', '\t');
  const std::string text = json.dump(indent, space);
  RC_LOG() << text << "\n";
  Diagnostics diagnostics;
  const std::optional<Value> value = parse_document(text, "test.json", diagnostics);
  RC_LOG() << to_string(diagnostics);
  RC_ASSERT(value.has_value());
  assert_equal(*value, json);
}

RC_GTEST_PROP(DocumentProperty, AnyBytesAreReadOrRefused, (const std::string& bytes)) {
  Diagnostics diagnostics;
  const bool is_read = parse_document(bytes, "test", diagnostics).has_value();
  RC_ASSERT(is_read != diagnostics.has_errors());
}

RC_GTEST_PROP(DocumentProperty, AnyTextIsReadOrRefused, ()) {
  Diagnostics diagnostics;
  const std::string text = *any_text();
  const bool is_read = parse_document(text, "test", diagnostics).has_value();
  RC_ASSERT(is_read != diagnostics.has_errors());
}

}  // namespace
}  // namespace phaze::io
