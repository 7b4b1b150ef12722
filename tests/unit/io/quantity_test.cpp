#include "io/quantity.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

TEST(Quantity, ReadsUnitsOfItsDimension) {
  EXPECT_DOUBLE_EQ(*parse_quantity("1.05 GHz", Dimension::kFrequency), 1.05e9);
  EXPECT_DOUBLE_EQ(*parse_quantity("700MHz", Dimension::kFrequency), 7e8);
  EXPECT_DOUBLE_EQ(*parse_quantity("64 MiB", Dimension::kBytes), 67108864);
  EXPECT_DOUBLE_EQ(*parse_quantity("80 GB", Dimension::kBytes), 8e10);
  EXPECT_DOUBLE_EQ(*parse_quantity("1.2 TB/s", Dimension::kBytesPerSecond), 1.2e12);
  EXPECT_DOUBLE_EQ(*parse_quantity("4 GiB/s", Dimension::kBytesPerSecond), 4294967296);
  EXPECT_DOUBLE_EQ(*parse_quantity("400 Gb/s", Dimension::kBytesPerSecond), 5e10);
  EXPECT_DOUBLE_EQ(*parse_quantity("4 us", Dimension::kSeconds), 4e-6);
  EXPECT_DOUBLE_EQ(*parse_quantity("0.7 kW", Dimension::kPower), 700);
  EXPECT_DOUBLE_EQ(*parse_quantity("278826676.312 um2", Dimension::kArea), 278.826676312);
  EXPECT_DOUBLE_EQ(*parse_quantity("300 USD", Dimension::kMoney), 300);
}

TEST(Quantity, RefusesOtherUnitsAndNonsense) {
  EXPECT_FALSE(parse_quantity("1.4 GB", Dimension::kFrequency));
  EXPECT_FALSE(parse_quantity("1.4", Dimension::kFrequency));  // of what?
  EXPECT_FALSE(parse_quantity("GHz", Dimension::kFrequency));
  EXPECT_FALSE(parse_quantity("", Dimension::kBytes));
  EXPECT_FALSE(parse_quantity("1 GB", Dimension::kBytesPerSecond));
  EXPECT_FALSE(parse_quantity("1 GB/s", Dimension::kBytes));
  EXPECT_FALSE(parse_quantity("nan B", Dimension::kBytes));
  EXPECT_FALSE(parse_quantity("inf B", Dimension::kBytes));
  EXPECT_FALSE(parse_quantity("1 gib", Dimension::kBytes));
  EXPECT_FALSE(parse_quantity("1 B B", Dimension::kBytes));
}

}  // namespace
}  // namespace phaze::io
