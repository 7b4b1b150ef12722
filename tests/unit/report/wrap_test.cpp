#include "report/wrap.h"

#include <gtest/gtest.h>

namespace phaze::report {
namespace {

TEST(Wrap, LongLinesGoOnFurtherIn) {
  EXPECT_EQ(wrapped("phaze: no plan fits one device of 16 GiB; it would on two\n", 30),
            "phaze: no plan fits one device\n  of 16 GiB; it would on two\n");
  EXPECT_EQ(wrapped("  a text that is indented, and long", 30),
            "  a text that is indented, and\n    long");
}

TEST(Wrap, BelowTheTextOfALabel) {
  EXPECT_EQ(wrapped("  cost     one dollar for electricity, two for devices\n", 30),
            "  cost     one dollar for\n           electricity, two\n           for devices\n");
}

TEST(Wrap, WhatFitsStays) {
  const std::string text = "short\n\n  and  short\nthirty columns are just enough\n";
  EXPECT_EQ(wrapped(text, 30), text);
  EXPECT_EQ(wrapped("", 30), "");
}

TEST(Wrap, RowsOfTablesStay) {
  const std::string row = "  stage 0   41.2 ms   83.0 ms   [wwgooooaaaa....]  58.1 GiB\n";
  EXPECT_EQ(wrapped(row, 30), row);
  const std::string label = "a label that takes more than its room  and a text behind it\n";
  EXPECT_EQ(wrapped(label, 30), label);
}

TEST(Wrap, WordsStayWhole) {
  EXPECT_EQ(wrapped("see /a/path/that/is/longer/than/a/line/of/it now", 30),
            "see\n  /a/path/that/is/longer/than/a/line/of/it\n  now");
  EXPECT_EQ(wrapped("/a/path/that/is/longer/than/a/line/of/it", 30),
            "/a/path/that/is/longer/than/a/line/of/it");
}

TEST(Wrap, ColumnsAreThoseOfTheTerminal) {
  // Fifteen wide characters fill thirty columns.
  std::string wide;
  for (int i = 0; i < 15; ++i) {
    wide += "\xE4\xB8\xAD";
  }
  EXPECT_EQ(wrapped(wide + " a", 30), wide + "\n  a");
  EXPECT_EQ(wrapped(wide, 30), wide);
}

TEST(Wrap, TooNarrowForAnything) { EXPECT_EQ(wrapped("some words here", 8), "some words here"); }

}  // namespace
}  // namespace phaze::report
