#include "report/text_width.h"

#include <gtest/gtest.h>

namespace phaze::report {
namespace {

TEST(TextWidth, CountsColumns) {
  EXPECT_EQ(text_width(""), 0U);
  EXPECT_EQ(text_width("norm1"), 5U);
  EXPECT_EQ(text_width("\xC3\xA9t\xC3\xA9"), 3U);         // e with an accent
  EXPECT_EQ(text_width("e\xCC\x81"), 1U);                 // the accent by itself
  EXPECT_EQ(text_width("\xE6\xB3\xA8\xE6\x84\x8F"), 4U);  // two Chinese characters
  EXPECT_EQ(text_width("\xF0\x9F\x98\x80"), 2U);          // a face
  EXPECT_EQ(text_width("a\xE2\x80\x8B"
                       "b"),
            2U);                                  // a space of no width
  EXPECT_EQ(text_width("\xCE\xB1\xCE\xB2"), 2U);  // Greek
}

}  // namespace
}  // namespace phaze::report
