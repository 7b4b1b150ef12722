#include "io/data_table.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

plan::DataTable sample() {
  return {{"chip", "a, \"b\"", "text"},
          {{std::int64_t{9007199254740993}, 0.1, std::string("plain")},
           {std::monostate(), 1e300, std::string("two\nlines, \"quoted\"")},
           {std::int64_t{-1}, -2.0, std::string()},
           {std::int64_t{0}, 3.0, std::string("# no comment")}}};
}

TEST(DataTable, Csv) {
  EXPECT_EQ(write_csv(sample()),
            "chip,\"a, \"\"b\"\"\",text\n"
            "9007199254740993,0.1,plain\n"
            ",1e+300,\"two\nlines, \"\"quoted\"\"\"\n"
            "-1,-2,\"\"\n"
            "0,3,\"# no comment\"\n");
  EXPECT_EQ(write_csv({{"a"}, {}}), "a\n");
}

TEST(DataTable, Json) {
  const std::string text = write_table({{"a"}, {{std::string("\xff")}, {std::monostate()}}});
  EXPECT_EQ(text,
            "{\n \"schema\": 1,\n \"columns\": [\n  \"a\"\n ],\n \"rows\": [\n  [\n   "
            "\"\xef\xbf\xbd\"\n  ],\n  [\n   null\n  ]\n ]\n}\n");
}

}  // namespace
}  // namespace phaze::io
