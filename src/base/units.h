#pragma once
// Numbers with units. Sums and comparisons stay within one unit; products and quotients across
// units exist only where declared. value() is the one way out. Integer units check for overflow.

#include <compare>
#include <cstdint>
#include <type_traits>

#include "base/check.h"

namespace phaze {

// a * b, or a thrown std::logic_error when the result does not fit. Callers bound user input
// before they come here, so that an overflow is a bug of ours.
constexpr std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  CHECK(!__builtin_mul_overflow(a, b, &result), "integer overflow in a product of sizes");
  return result;
}

constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  CHECK(!__builtin_add_overflow(a, b, &result), "integer overflow in a sum of sizes");
  return result;
}

constexpr std::int64_t checked_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  CHECK(!__builtin_sub_overflow(a, b, &result), "integer overflow in a difference of sizes");
  return result;
}

template <class Unit, class Rep>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep value) : value_(value) {}
  constexpr Rep value() const { return value_; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    if constexpr (std::is_integral_v<Rep>) {
      return Quantity(checked_add(a.value_, b.value_));
    } else {
      return Quantity(a.value_ + b.value_);
    }
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    if constexpr (std::is_integral_v<Rep>) {
      return Quantity(checked_subtract(a.value_, b.value_));
    } else {
      return Quantity(a.value_ - b.value_);
    }
  }
  friend constexpr Quantity operator*(Quantity a, Rep k) {
    if constexpr (std::is_integral_v<Rep>) {
      return Quantity(checked_multiply(a.value_, k));
    } else {
      return Quantity(a.value_ * k);
    }
  }
  constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }
  constexpr auto operator<=>(const Quantity&) const = default;

 private:
  Rep value_{};
};

using Bytes = Quantity<struct BytesUnit, std::int64_t>;
using Flops = Quantity<struct FlopsUnit, double>;
using Seconds = Quantity<struct SecondsUnit, double>;
// Time of schedules, where equal must mean equal.
using Picoseconds = Quantity<struct PicosecondsUnit, std::int64_t>;
using Hertz = Quantity<struct HertzUnit, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondUnit, double>;
using Joules = Quantity<struct JoulesUnit, double>;
using Watts = Quantity<struct WattsUnit, double>;
using SquareMillimetres = Quantity<struct SquareMillimetresUnit, double>;
using Dollars = Quantity<struct DollarsUnit, double>;
using Kilograms = Quantity<struct KilogramsUnit, double>;  // of carbon dioxide or its equivalent

constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds(static_cast<double>(bytes.value()) / rate.value());
}

// The nearest number of seconds.
constexpr Seconds to_seconds(Picoseconds time) {
  return Seconds(static_cast<double>(time.value()) / 1e12);
}

}  // namespace phaze
