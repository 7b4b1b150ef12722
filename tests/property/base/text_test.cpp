#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace phaze {
namespace {

// Every double but not-a-number and infinity, all sizes alike.
rc::Gen<double> any_double() {
  return rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      [](double value) { return std::isfinite(value); });
}

RC_GTEST_PROP(TextProperty, ThousandsAreOnlySeparators, (std::int64_t value)) {
  std::string text = with_thousands(value);
  std::erase(text, ',');
  RC_ASSERT(text == std::to_string(value));
}

RC_GTEST_PROP(TextProperty, ShortestReadsBack, ()) {
  const double value = *any_double();
  RC_ASSERT(std::strtod(shortest(value).c_str(), nullptr) == value);
}

// Few digits, so that many lie where rounding changes the number of digits or the prefix.
rc::Gen<double> round_double() {
  return rc::gen::apply(
      [](int digits, int exponent) {
        return std::strtod((std::to_string(digits) + "e" + std::to_string(exponent)).c_str(),
                           nullptr);
      },
      rc::gen::oneOf(rc::gen::inRange(1, 100000), rc::gen::inRange(-100000, 0),
                     rc::gen::element(9995, 99949, 99950, 99951, 99999, 100000)),
      rc::gen::inRange(-20, 30));
}

RC_GTEST_PROP(TextProperty, PrefixedNumbersHaveThreeDigits, ()) {
  const double value = *rc::gen::oneOf(round_double(), any_double());
  RC_PRE(value != 0);
  const std::string text = with_prefix(value, "s");
  const std::string number = text.substr(0, text.find_first_of(" e"));
  const auto digits =
      std::ranges::count_if(number, [](unsigned char c) { return std::isdigit(c) != 0; });
  RC_ASSERT(digits == 3);
  RC_ASSERT((number.front() == '-') == (value < 0));
}

}  // namespace
}  // namespace phaze
