#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace phaze {
namespace {

TEST(WithThousands, GroupsFromTheRight) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(8030261248), "8,030,261,248");
  EXPECT_EQ(with_thousands(123456), "123,456");
}

TEST(WithThousands, NegativeNumbers) {
  EXPECT_EQ(with_thousands(-1), "-1");
  EXPECT_EQ(with_thousands(-999), "-999");
  EXPECT_EQ(with_thousands(-1000), "-1,000");
  EXPECT_EQ(with_thousands(-123456), "-123,456");
  EXPECT_EQ(with_thousands(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(WithPrefix, ThreeSignificantDigits) {
  EXPECT_EQ(with_prefix(0, "FLOP"), "0 FLOP");
  EXPECT_EQ(with_prefix(1, "FLOP"), "1.00 FLOP");
  EXPECT_EQ(with_prefix(12.34, "FLOP"), "12.3 FLOP");
  EXPECT_EQ(with_prefix(123.4, "FLOP"), "123 FLOP");
  EXPECT_EQ(with_prefix(1234, "FLOP"), "1.23 kFLOP");
  EXPECT_EQ(with_prefix(1.23e12, "FLOP"), "1.23 TFLOP");
  EXPECT_EQ(with_prefix(1.25e19, "FLOP"), "12.5 EFLOP");
  EXPECT_EQ(with_prefix(-1234, "FLOP"), "-1.23 kFLOP");
}

// A number that rounds up to another digit or prefix must not print four digits.
TEST(WithPrefix, RoundsUpAcrossDigitsAndPrefixes) {
  EXPECT_EQ(with_prefix(9.994, "B"), "9.99 B");
  EXPECT_EQ(with_prefix(9.995, "B"), "10.0 B");
  EXPECT_EQ(with_prefix(99.94, "B"), "99.9 B");
  EXPECT_EQ(with_prefix(99.95, "B"), "100 B");
  EXPECT_EQ(with_prefix(999.4, "B"), "999 B");
  EXPECT_EQ(with_prefix(999.5, "B"), "1.00 kB");
  EXPECT_EQ(with_prefix(-999.5, "B"), "-1.00 kB");
  EXPECT_EQ(with_prefix(999499, "B"), "999 kB");
  EXPECT_EQ(with_prefix(999500, "B"), "1.00 MB");
}

TEST(WithPrefix, NumbersBelowOne) {
  EXPECT_EQ(with_prefix(0.25, "s"), "250 ms");
  EXPECT_EQ(with_prefix(0.00123, "s"), "1.23 ms");
  EXPECT_EQ(with_prefix(4.56e-5, "s"), "45.6 us");
  EXPECT_EQ(with_prefix(-3.3e-9, "s"), "-3.30 ns");
  EXPECT_EQ(with_prefix(7.8e-12, "J"), "7.80 pJ");
  EXPECT_EQ(with_prefix(0.9994, "s"), "999 ms");
  EXPECT_EQ(with_prefix(0.9995, "s"), "1.00 s");
}

TEST(WithPrefix, BeyondThePrefixes) {
  EXPECT_EQ(with_prefix(1e27, "B"), "1.00e+27 B");
  EXPECT_EQ(with_prefix(-1.234e300, "B"), "-1.23e+300 B");
  EXPECT_EQ(with_prefix(1.234e-20, "s"), "1.23e-20 s");
}

TEST(WithPrefix, NotANumberAndInfinity) {
  EXPECT_EQ(with_prefix(std::numeric_limits<double>::infinity(), "s"), "inf s");
  EXPECT_EQ(with_prefix(-std::numeric_limits<double>::infinity(), "s"), "-inf s");
  EXPECT_EQ(with_prefix(std::nan(""), "s"), "nan s");
  EXPECT_EQ(with_prefix(-0.0, "s"), "0 s");
}

TEST(WithPrefix, WithoutAUnit) {
  EXPECT_EQ(with_prefix(12.34, ""), "12.3");
  EXPECT_EQ(with_prefix(6.74e9, ""), "6.74 G");
}

TEST(WithBinaryPrefix, BytesAreWhole) {
  EXPECT_EQ(with_binary_prefix(0), "0 B");
  EXPECT_EQ(with_binary_prefix(1), "1 B");
  EXPECT_EQ(with_binary_prefix(12), "12 B");
  EXPECT_EQ(with_binary_prefix(1023), "1023 B");
  EXPECT_EQ(with_binary_prefix(-12), "-12 B");
}

TEST(WithBinaryPrefix, ThreeSignificantDigits) {
  EXPECT_EQ(with_binary_prefix(1024), "1.00 KiB");
  EXPECT_EQ(with_binary_prefix(1536), "1.50 KiB");
  EXPECT_EQ(with_binary_prefix(-1536), "-1.50 KiB");
  EXPECT_EQ(with_binary_prefix(80LL << 30), "80.0 GiB");
  EXPECT_EQ(with_binary_prefix(1000LL << 20), "1000 MiB");
  EXPECT_EQ(with_binary_prefix(std::numeric_limits<std::int64_t>::max()), "8.00 EiB");
  EXPECT_EQ(with_binary_prefix(std::numeric_limits<std::int64_t>::min()), "-8.00 EiB");
}

TEST(WithBinaryPrefix, RoundsUpToTheNextPrefix) {
  EXPECT_EQ(with_binary_prefix((1LL << 20) - 1), "1.00 MiB");
  EXPECT_EQ(with_binary_prefix(1023 * 1024 + 511), "1023 KiB");
  EXPECT_EQ(with_binary_prefix(1023 * 1024 + 512), "1.00 MiB");
}

TEST(Shortest, ReadsBackAsTheSameNumber) {
  EXPECT_EQ(shortest(0), "0");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(3.3e-9), "3.3e-09");
  EXPECT_EQ(shortest(1e300), "1e+300");
  EXPECT_EQ(shortest(-2.5), "-2.5");
  EXPECT_EQ(shortest(-2.2250738585072014e-308), "-2.2250738585072014e-308");  // 24 characters
}

}  // namespace
}  // namespace phaze
