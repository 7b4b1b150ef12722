// What is refused, with its place.
#include <gtest/gtest.h>

#include "io/document.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using tests::document_faults;
using Lines = std::vector<std::string>;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST(DocumentFaults, NothingAtAll) {
  for (const char* text : {"", "\n\n", "  ", "# only a comment\n"}) {
    EXPECT_EQ(document_faults(text), (Lines{"test.yaml: error: is empty"})) << text;
  }
}

TEST(DocumentFaults, MoreThanOneDocument) {
  EXPECT_EQ(document_faults("a: 1\n---\nb: 2\n"),
            (Lines{"test.yaml:2:1: error: expected one document, found another"}));
}

TEST(DocumentFaults, BrokenSyntaxHasItsPlace) {
  for (const auto& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {"{\"a\": 1,\n \"b\": [1, 2", "test.yaml:2:"},
           {"a: 1\nb: [1, 2\nc: 3\n", "test.yaml:"},
           {"a: \"open", "test.yaml:1:"},
           {"a:\n\t- 1\n", "test.yaml:2:"},  // tabs indent JSON, not YAML
           {"a: *nobody\n", "test.yaml:1:4"}}) {
    const Lines faults = document_faults(text);
    ASSERT_EQ(faults.size(), 1u) << text;
    EXPECT_TRUE(faults[0].starts_with(place)) << faults[0];
    EXPECT_NE(faults[0].find("error: not valid JSON or YAML: "), std::string::npos) << faults[0];
  }
}

TEST(DocumentFaults, AKeyThatIsGivenTwice) {
  EXPECT_EQ(document_faults("{\"a\": 1, \"b\": 2, \"a\": 3}"),
            (Lines{"test.yaml:1:18: error: a: this key is given twice"}));
  EXPECT_EQ(document_faults("x:\n  - b: 1\n    c: 2\n    b: 3\n"),
            (Lines{"test.yaml:4:5: error: x[0].b: this key is given twice"}));
}

TEST(DocumentFaults, AllDuplicatesAreReported) {
  EXPECT_EQ(document_faults("{a: 1, a: 2, b: {c: 1, c: 2}, a: 3}").size(), 3u);
}

TEST(DocumentFaults, AKeyThatIsNoText) {
  EXPECT_EQ(document_faults("? [1, 2]\n: 3\n"),
            (Lines{"test.yaml:1:3: error: expected a key that is text"}));
  EXPECT_EQ(document_faults("x: {{a: 1}: 2}\n"),
            (Lines{"test.yaml:1:5: error: x: expected a key that is text"}));
}

TEST(DocumentFaults, MergeKeysAndTagsWouldBeLost) {
  EXPECT_EQ(document_faults("base: &b {x: 1}\nother:\n  <<: *b\n"),
            (Lines{"test.yaml:3:3: error: other: merge keys (<<) are not supported; write the "
                   "values out"}));
  EXPECT_EQ(document_faults("a: !!float 5\n").size(), 1u);
  EXPECT_NE(document_faults("a: !mine 5\n")[0].find("a: YAML tags are not supported, found !mine"),
            std::string::npos);
}

TEST(DocumentFaults, BinaryDataAndOtherEncodings) {
  EXPECT_EQ(document_faults(std::string("\x08\x00\x12", 3)),
            (Lines{"test.yaml: error: expected text, found binary data"}));
  EXPECT_EQ(document_faults("a: 1\nb: \xE4\n"),  // Latin-1
            (Lines{"test.yaml:2:4: error: expected UTF-8 text, found a byte that is none"}));
  EXPECT_EQ(document_faults("\xC3").size(), 1u);          // cut off
  EXPECT_EQ(document_faults("\xC0\xAF").size(), 1u);      // longer than need be
  EXPECT_EQ(document_faults("\xED\xA0\x80").size(), 1u);  // half of a surrogate pair
  EXPECT_EQ(document_faults("a: \xF0\x9F\x98\x80\n"), Lines{});
}

TEST(DocumentFaults, NestingBeyondMeaning) {
  EXPECT_EQ(document_faults(repeated("[", 100) + repeated("]", 100)), Lines{});
  EXPECT_EQ(document_faults(repeated("[", 102) + repeated("]", 102)),
            (Lines{"test.yaml:1:102: error: nested deeper than 100 values"}));
  // Also where the parser itself would give up, and where it would run out of stack.
  for (const int depth : {400, 2000, 100'000}) {
    const Lines faults = document_faults(repeated("[", depth) + repeated("]", depth));
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults[0].find("nested deeper than 100 values"), std::string::npos) << faults[0];
  }
  EXPECT_NE(document_faults(repeated("{a: ", 200) + repeated("}", 200))[0].find("nested deeper"),
            std::string::npos);
}

// Nine lines that mean a billion values; without a limit minutes and gigabytes.
TEST(DocumentFaults, AliasesThatRepeatWithoutEnd) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeated(", " + before, 9) + "]\n";
  }
  const Lines faults = document_faults(bomb);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("its aliases repeat more than the whole text holds"), std::string::npos);
}

TEST(DocumentFaults, AliasesThatNestTooDeep) {
  // The comment makes the text long enough for all that the alias repeats.
  const std::string deep =
      "#" + repeated(".", 40000) + "\na: &a " + repeated("[", 60) + repeated("]", 60) + "\nb: ";
  EXPECT_EQ(document_faults(deep + "*a\n"), Lines{});
  const Lines faults = document_faults(deep + repeated("[", 60) + "*a" + repeated("]", 60) + "\n");
  EXPECT_EQ(faults, (Lines{"test.yaml:3:64: error: nested deeper than 100 values"}));
}

TEST(DocumentFaults, AnAliasOfItself) {
  const Lines faults = document_faults("a: &a [1, *a]\n");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults[0].starts_with("test.yaml:1:11: error: ")) << faults[0];
}

TEST(DocumentFaults, AMillionValuesAreEnough) {
  EXPECT_EQ(document_faults("[" + repeated("1,", 1'000'001) + "1]"),
            (Lines{"test.yaml: error: holds more than 1,000,000 values"}));
}

TEST(DocumentFaults, AnErrorNamesItsSource) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_document("{", "standard input", diagnostics));
  EXPECT_TRUE(to_string(diagnostics).starts_with("standard input:"));
}

}  // namespace
}  // namespace phaze::io
