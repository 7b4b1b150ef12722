#include "base/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace phaze {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Subtractable = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept Multipliable = requires(A a, B b) {
  static_cast<void>(a * b);
};
template <class From, class To>
concept ImplicitlyConvertible = std::is_convertible_v<From, To>;

// A unit costs nothing.
static_assert(sizeof(Bytes) == sizeof(std::int64_t) && sizeof(Flops) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Bytes>);

// What must not mix does not compile.
static_assert(Addable<Bytes, Bytes> && !Addable<Bytes, Flops> && !Addable<Bytes, int>);
static_assert(Subtractable<Flops, Flops> && !Subtractable<Bytes, Flops>);
static_assert(Comparable<Bytes, Bytes> && !Comparable<Bytes, Flops> && !Comparable<Bytes, int>);
static_assert(Multipliable<Bytes, std::int64_t> && !Multipliable<Bytes, Bytes>);
static_assert(!ImplicitlyConvertible<std::int64_t, Bytes> &&
              !ImplicitlyConvertible<Bytes, std::int64_t>);

// And all of it works at compile time.
static_assert((Bytes(3) + Bytes(4) - Bytes(2)) * 5 == Bytes(25));
static_assert(Flops(1.5) * 2.0 == Flops(3.0));
static_assert(Bytes().value() == 0 && Flops().value() == 0.0);

TEST(Units, AddAndCompare) {
  Bytes sum(40);
  sum += Bytes(2);
  EXPECT_EQ(sum.value(), 42);
  EXPECT_LT(Bytes(-1), Bytes(0));
  EXPECT_GT(Flops(1.25e19), Flops(9.3e18));
}

TEST(Units, IntegerOverflowIsThrownNotWrapped) {
  EXPECT_EQ((Bytes(kLargest - 1) + Bytes(1)).value(), kLargest);
  EXPECT_THROW(Bytes(kLargest) + Bytes(1), std::logic_error);
  EXPECT_THROW(Bytes(kSmallest) + Bytes(-1), std::logic_error);
  EXPECT_THROW(Bytes(kSmallest) - Bytes(1), std::logic_error);
  EXPECT_THROW(Bytes(kLargest / 2 + 1) * 2, std::logic_error);
  EXPECT_THROW(Bytes(kSmallest) * -1, std::logic_error);
}

// The smallest number has no negative, so that a - b must not be computed as a + (-b).
TEST(Units, SubtractingTheSmallestNumber) {
  EXPECT_EQ((Bytes(-1) - Bytes(kSmallest)).value(), kLargest);
  EXPECT_EQ((Bytes(kSmallest) - Bytes(kSmallest)).value(), 0);
  EXPECT_THROW(Bytes(0) - Bytes(kSmallest), std::logic_error);
}

TEST(Units, CheckedArithmetic) {
  EXPECT_EQ(checked_multiply(std::int64_t{1} << 31, std::int64_t{1} << 31), std::int64_t{1} << 62);
  EXPECT_EQ(checked_multiply(-3, 0), 0);
  EXPECT_THROW(checked_multiply(std::int64_t{1} << 32, std::int64_t{1} << 31), std::logic_error);
  EXPECT_EQ(checked_add(kLargest, kSmallest), -1);
  EXPECT_THROW(checked_add(kLargest, kLargest), std::logic_error);
}

}  // namespace
}  // namespace phaze
