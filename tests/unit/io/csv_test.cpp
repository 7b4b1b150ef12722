#include "io/csv.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

using Lines = std::vector<std::string>;

// "LINE: COLUMN=text|..." for each line that holds cells.
Lines lines_of(std::string_view text) {
  Lines all;
  for (CsvLines lines(text); lines.next();) {
    std::string one = std::to_string(lines.line()) + ":";
    for (const CsvCell& cell : lines.cells()) {
      one += " " + std::to_string(cell.column) + "=" + cell.text;
    }
    if (lines.fault()) {
      one += " fault " + std::to_string(lines.fault()->column) + " " + lines.fault()->message;
    }
    all.push_back(one);
  }
  return all;
}

TEST(Csv, CellsWithTheirPlaces) {
  EXPECT_EQ(lines_of("a,bc,d\n1, 2 ,3\n"), (Lines{"1: 1=a 3=bc 6=d", "2: 1=1 4=2 7=3"}));
  EXPECT_EQ(lines_of("a,,\n"), (Lines{"1: 1=a 3= 4="}));
  EXPECT_EQ(lines_of("a"), (Lines{"1: 1=a"}));
  EXPECT_EQ(lines_of(""), (Lines{}));
}

TEST(Csv, ColumnsCountCharacters) {
  EXPECT_EQ(lines_of("\u00e9\u00e9,b\n"), (Lines{"1: 1=\u00e9\u00e9 4=b"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a,b\n"),
            (Lines{"1: 1=a 3=b"}));
}

TEST(Csv, EveryLineEndCounts) {
  EXPECT_EQ(lines_of("a\r\nb\rc\nd"), (Lines{"1: 1=a", "2: 1=b", "3: 1=c", "4: 1=d"}));
}

TEST(Csv, BlankLinesAndCommentsAreSkipped) {
  EXPECT_EQ(lines_of("# one\n\n  \t\n  # two, three\na,#b\n"), (Lines{"5: 1=a 3=#b"}));
}

TEST(Csv, Quotes) {
  EXPECT_EQ(lines_of(R"("a,b", "c ""d"" ",e)"), (Lines{R"(1: 1=a,b 8=c "d"  19=e)"}));
  EXPECT_EQ(lines_of("\"\",x\n"), (Lines{"1: 1= 4=x"}));
  EXPECT_EQ(
      lines_of("a,\"b\nc\n"),
      (Lines{"1: 1=a fault 3 expected a closing quote on this line: cells hold no line breaks"}));
  EXPECT_EQ(lines_of("a,\"b\"c\n"),
            (Lines{"1: 1=a fault 6 expected a comma after the closing quote"}));
  EXPECT_EQ(lines_of("\"\"\""),
            (Lines{"1: fault 1 expected a closing quote on this line: cells hold no line breaks"}));
}

}  // namespace
}  // namespace phaze::io
