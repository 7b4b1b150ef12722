#include "io/json_parser.h"

#include <gtest/gtest.h>

#include "support/documents.h"
#include "support/values.h"

namespace phaze::io {
namespace {

// The comment makes it YAML.
Value by_yaml(const std::string& text) { return tests::parse(text + "\n# end\n", "in.json"); }

TEST(JsonParser, ReadsWhatTheReaderOfYamlReads) {
  const std::vector<std::string> texts = {
      "{}",
      "[]",
      " \n\t[ ]\n",
      R"({"a": 1, "b": [true, false, null, "x"], "c": {"d": {"e": []}}})",
      "{\"a\":1,\"b\":[1,2 ,3],\n\t\"c\" : -0.5e-3}",
      R"([0, -0, 1, -1, 2.5, 1e3, 1E+3, 1e-3, -1.25e5, 9223372036854775807, 9223372036854775808, 1e999])",
      R"(["", "null", "true", "12", "a b", "~", "# no comment", "{", "<<", "a: b", "- c", "'", "&x", "*x", "!x", "|", "%"])",
      R"({"": 1, "1": 2, "a b": 3, "<<": 4, "null": 5, "~": 6})",
      "[\r\n1,\r\n  {\"a\":\r\n2}\r\n]\r\n",
      "[[[[[[[[[[[1]]]]]]]]]]]",
  };
  for (const std::string& text : texts) {
    const std::optional<Value> value = parse_plain_json(text, "in.json");
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(tests::difference(*value, by_yaml(text)), "") << text;
  }
}

TEST(JsonParser, LeavesEverythingElse) {
  for (const std::string& text : {
           std::string(),
           std::string("1"),
           std::string("\"a\""),
           std::string("null"),
           std::string("a: 1"),
           std::string("{a: 1}"),
           std::string("{\"a\": b}"),
           std::string("[1"),
           std::string("[1,]"),
           std::string("[,1]"),
           std::string("{\"a\": 1,}"),
           std::string("{\"a\" 1}"),
           std::string("{\"a\": 1} x"),
           std::string("[1] # end"),
           std::string("[1] [2]"),
           std::string("[01]"),
           std::string("[+1]"),
           std::string("[1.]"),
           std::string("[.5]"),
           std::string("[1e]"),
           std::string("[--1]"),
           std::string("[NaN]"),
           std::string("[Infinity]"),
           std::string("[True]"),
           std::string("[truee]"),
           std::string("[\"\\n\"]"),
           std::string("[\"\\u0041\"]"),
           std::string("[\"\xC3\xA4\"]"),
           std::string("\xEF\xBB\xBF[]"),
           std::string("[\"a\tb\"]"),
           std::string("[\"a\nb\"]"),
           std::string("[1\r,2]"),
           std::string("[\"a]"),
           std::string("{\"a\": 1, \"a\": 2}"),
           std::string(200, '[') + std::string(200, ']'),
       }) {
    EXPECT_FALSE(parse_plain_json(text, "in.json")) << text;
  }
}

TEST(JsonParser, PlacesAndPaths) {
  const Value value = parse_plain_json("{\"a\":\n [1, {\"b\": null}]}", "in.json").value();
  const Value& inner = value.members[0].second.items[1].members[0].second;
  EXPECT_EQ(inner.where, (Location{"in.json", 2, 12, "a[1].b"}));
  EXPECT_EQ(inner.kind, ValueKind::kNull);
}

}  // namespace
}  // namespace phaze::io
