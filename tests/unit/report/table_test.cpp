#include "report/table.h"

#include <gtest/gtest.h>

namespace phaze::report {
namespace {

TEST(Table, ColumnsLineUpLeftAndRight) {
  Table table({{"name", Align::kLeft}, {"n", Align::kRight}, {"what", Align::kLeft}});
  table.add_row({"a", "1,000", "x"});
  table.add_row({"longer", "7", ""});
  EXPECT_EQ(table.to_string(0),
            "name        n  what\n"
            "------  -----  ----\n"
            "a       1,000  x\n"
            "longer      7\n");
}

TEST(Table, RulesAndIndent) {
  Table table({{"a", Align::kRight}, {"b", Align::kRight}});
  table.add_row({"10", "2"});
  table.add_rule();
  table.add_row({"", "3"});
  EXPECT_EQ(table.to_string(2),
            "   a  b\n"
            "  --  -\n"
            "  10  2\n"
            "  --  -\n"
            "      3\n");
}

TEST(Table, MissingCellsAreEmpty) {
  Table table({{"a", Align::kLeft}, {"b", Align::kLeft}});
  table.add_row({"only"});
  EXPECT_EQ(table.to_string(0), "a     b\n----  -\nonly\n");
}

TEST(Table, WithoutRowsThereAreTitles) {
  EXPECT_EQ(Table({{"title", Align::kLeft}}).to_string(0), "title\n-----\n");
}

// A character of several bytes takes one place on the screen.
TEST(Table, WidthsAreThoseOfCharacters) {
  Table table({{"name", Align::kLeft}, {"n", Align::kRight}});
  table.add_row({"\xC3\xA4\xE2\x82\xAC", "1"});
  table.add_row({"ab", "2"});
  EXPECT_EQ(table.to_string(0),
            "name  n\n"
            "----  -\n"
            "\xC3\xA4\xE2\x82\xAC    1\n"
            "ab    2\n");
}

}  // namespace
}  // namespace phaze::report
