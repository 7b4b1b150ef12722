// What values are and where they stand. What is refused: document_faults_test.cpp.
#include "io/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/documents.h"

namespace phaze::io {
namespace {

using tests::parse;

ValueKind kind_of(const std::string& scalar) { return parse("a: " + scalar).find("a")->kind; }

TEST(Document, ScalarsHaveTheirKinds) {
  for (const char* text : {"null", "~", ""}) {
    EXPECT_EQ(kind_of(text), ValueKind::kNull) << text;
  }
  for (const char* text : {"true", "false", "True", "False"}) {
    EXPECT_EQ(kind_of(text), ValueKind::kBoolean) << text;
  }
  for (const char* text : {"0", "7", "-3", "+5", "9223372036854775807"}) {
    EXPECT_EQ(kind_of(text), ValueKind::kInteger) << text;
  }
  for (const char* text : {"2.5", "-1e-5", "1.0", "1e3", "9223372036854775808"}) {
    EXPECT_EQ(kind_of(text), ValueKind::kNumber) << text;
  }
  for (const char* text : {"abc", "1 2", "0x10", "1_000", "inf", "nan", ".inf", "1e999", "yes",
                           "nothing", "+-5", "--5", "5 GB"}) {
    EXPECT_EQ(kind_of(text), ValueKind::kText) << text;
  }
}

TEST(Document, ScalarsHaveTheirValues) {
  const Value value = parse("{a: true, b: -12, c: 2.5, d: some text, e: 1e2}");
  EXPECT_TRUE(value.find("a")->boolean);
  EXPECT_EQ(value.find("b")->integer, -12);
  EXPECT_EQ(value.find("b")->number, -12.0);
  EXPECT_EQ(value.find("c")->number, 2.5);
  EXPECT_EQ(value.find("d")->text, "some text");
  EXPECT_EQ(value.find("e")->number, 100.0);
  EXPECT_EQ(value.find("e")->text, "1e2");  // as written
  EXPECT_EQ(value.find("f"), nullptr);
}

// YAML 1.1 would read 010 as eight.
TEST(Document, LeadingZerosMakeNoInteger) {
  EXPECT_EQ(kind_of("010"), ValueKind::kNumber);
  EXPECT_EQ(kind_of("-007"), ValueKind::kNumber);
  EXPECT_EQ(kind_of("0"), ValueKind::kInteger);
  EXPECT_EQ(kind_of("0.5"), ValueKind::kNumber);
}

TEST(Document, QuotedScalarsAreText) {
  for (const char* text : {"\"5\"", "'5'", "\"true\"", "\"null\"", "\"\"", "'2.5'"}) {
    EXPECT_EQ(kind_of(text), ValueKind::kText) << text;
  }
  EXPECT_EQ(parse("a: \"5\"").find("a")->text, "5");
  EXPECT_EQ(parse("a: |\n  12\n").find("a")->kind, ValueKind::kText);  // a block is text too
}

TEST(Document, JsonStringsHaveTheirEscapes) {
  const Value value = parse(R"({"a": "tab\tquote\"back\\slash\/ \u00e4 \u20ac"})");
  EXPECT_EQ(value.find("a")->text, "tab\tquote\"back\\slash/ \xC3\xA4 \xE2\x82\xAC");
}

// Python writes what lies beyond the first 65,536 characters as two escapes.
TEST(Document, JsonStringsMayHaveSurrogatePairs) {
  EXPECT_EQ(parse(R"({"a": "\ud83d\ude00!"})").find("a")->text, "\xF0\x9F\x98\x80!");
  EXPECT_EQ(parse(R"({"a": "\\ud83d"})").find("a")->text, "\\ud83d");  // a backslash, no escape
}

TEST(Document, ListsAndMapsKeepTheirOrder) {
  const Value value = parse("z: 1\na: [3, 1, 2]\nm: {}\n");
  ASSERT_EQ(value.members.size(), 3u);
  EXPECT_EQ(value.members[0].first, "z");
  EXPECT_EQ(value.members[1].first, "a");
  EXPECT_EQ(value.find("a")->items[0].integer, 3);
  EXPECT_EQ(value.find("m")->kind, ValueKind::kMap);
  EXPECT_TRUE(value.find("m")->members.empty());
  EXPECT_EQ(parse("7").integer, 7);
  EXPECT_EQ(parse("[]").kind, ValueKind::kList);
}

TEST(Document, ValuesOfYamlKnowTheirPlaces) {
  const Value value = parse("a:\n  b:\n    - 1\n    - c: 2\n", "file.yaml");
  EXPECT_EQ(value.where, (Location{"file.yaml", 1, 1, ""}));
  const Value& list = *value.find("a")->find("b");
  EXPECT_EQ(list.where.key, "a.b");
  EXPECT_EQ(list.items[0].where, (Location{"file.yaml", 3, 7, "a.b[0]"}));
  EXPECT_EQ(list.items[1].find("c")->where, (Location{"file.yaml", 4, 10, "a.b[1].c"}));
}

//   {
//   <tab>"a": {"b": [1, 2.5]},     the tab is one column
//   <tab>"c": null
//   }
TEST(Document, ValuesOfJsonKnowTheirPlaces) {
  const Value value = parse("{\n\t\"a\": {\"b\": [1, 2.5]},\n\t\"c\": null\n}", "file.json");
  EXPECT_EQ(value.find("a")->where, (Location{"file.json", 2, 7, "a"}));
  EXPECT_EQ(value.find("a")->find("b")->items[1].where, (Location{"file.json", 2, 17, "a.b[1]"}));
  EXPECT_EQ(value.find("c")->where, (Location{"file.json", 3, 7, "c"}));
}

TEST(Document, JsonNeedsNoSpaces) {
  const Value value = parse(R"({"a":1,"b":[true,null],"c":{"d":"x"}})");
  EXPECT_EQ(value.find("a")->integer, 1);
  EXPECT_EQ(value.find("b")->items[1].kind, ValueKind::kNull);
  EXPECT_EQ(value.find("c")->find("d")->text, "x");
}

TEST(Document, LinesMayEndAsOnOtherSystems) {
  EXPECT_EQ(parse("a: 1\r\nb: 2\r\n").find("b")->where.line, 2);
  EXPECT_EQ(parse("a: 1\rb: 2\r").find("b")->where.line, 2);
  EXPECT_EQ(parse("\xEF\xBB\xBF{\n\t\"a\": 1}").find("a")->integer, 1);  // a byte order mark
}

TEST(Document, AnAliasIsACopyWithAPathOfItsOwn) {
  const Value value = parse("base: &b {x: 1}\nother: *b\n");
  EXPECT_EQ(value.find("other")->find("x")->integer, 1);
  EXPECT_EQ(value.find("other")->find("x")->where.key, "other.x");
  EXPECT_EQ(value.find("base")->find("x")->where.key, "base.x");
}

TEST(Document, AVeryLongPathLosesItsMiddle) {
  const std::string name(300, 'k');
  const std::string path = parse("first: {" + name + ": {last: 1}}")
                               .find("first")
                               ->members[0]
                               .second.find("last")
                               ->where.key;
  EXPECT_TRUE(path.starts_with("first.kkk")) << path;
  EXPECT_TRUE(path.ends_with("kkk.last")) << path;
  EXPECT_LT(path.size(), 250u);
}

TEST(Document, KeysMayLookLikeNumbers) {
  EXPECT_EQ(parse("{0: a, true: b}").members[0].first, "0");
  EXPECT_EQ(parse("{\"<<\": 1}").find("<<")->integer, 1);
}

TEST(Describe, SaysWhatWasFound) {
  const auto text = [](const std::string& scalar) {
    return describe(*parse("a: " + scalar).find("a"));
  };
  EXPECT_EQ(text("null"), "null");
  EXPECT_EQ(text("true"), "true");
  EXPECT_EQ(text("1e3"), "1e3");
  EXPECT_EQ(text("-7"), "-7");
  EXPECT_EQ(text("abc"), "the text \"abc\"");
  EXPECT_EQ(text("[1, 2, 3]"), "a list of 3");
  EXPECT_EQ(text("{b: 1}"), "a map of 1");
  EXPECT_EQ(text(std::string(41, 'x')), "the text \"" + std::string(40, 'x') + "...\"");
}

TEST(ReadTextFile, ReadsAllOfAFile) {
  const std::string path = ::testing::TempDir() + "phaze_read_text_file";
  const std::string text(200'000, 'x');  // more than one chunk
  std::ofstream(path) << text;
  Diagnostics diagnostics;
  EXPECT_EQ(read_text_file(path, diagnostics), text);
  std::filesystem::remove(path);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(ReadTextFile, MissesWhatIsNotThere) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_text_file("no/such/file.json", diagnostics));
  EXPECT_FALSE(read_text_file("src", diagnostics));  // tests run in the project's root
  EXPECT_EQ(tests::lines_of(diagnostics),
            (std::vector<std::string>{"no/such/file.json: error: no such file",
                                      "src: error: is a folder, expected a file"}));
}

TEST(ReadText, StopsAtTheLargestFileThatIsMeant) {
  std::istringstream stream(std::string((std::size_t{64} << 20) + 1, ' '));
  Diagnostics diagnostics;
  EXPECT_FALSE(read_text(stream, "standard input", diagnostics));
  EXPECT_EQ(tests::lines_of(diagnostics),
            (std::vector<std::string>{"standard input: error: is larger than 64 MiB"}));
}

TEST(ReadText, AStreamThatBreaksIsAFault) {
  std::istringstream stream("abc");
  stream.setstate(std::ios::badbit);
  Diagnostics diagnostics;
  EXPECT_FALSE(read_text(stream, "standard input", diagnostics));
  EXPECT_EQ(tests::lines_of(diagnostics),
            (std::vector<std::string>{"standard input: error: cannot be read"}));
}

}  // namespace
}  // namespace phaze::io
