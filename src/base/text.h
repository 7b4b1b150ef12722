#pragma once
// Numbers for people: the same everywhere, whatever the locale.

#include <cstdint>
#include <string>
#include <string_view>

namespace phaze {

// 8030261248 -> "8,030,261,248"
std::string with_thousands(std::int64_t value);

// Three significant digits and a decimal prefix from p (1e-12) to Y (1e24), "u" for micro:
// 1.23e12, "FLOP" -> "1.23 TFLOP". Beyond the prefixes: "1.23e+30 FLOP".
std::string with_prefix(double value, std::string_view unit);

// Three significant digits and a binary prefix: 1536 -> "1.50 KiB". Below 1 KiB exact: "12 B".
std::string with_binary_prefix(std::int64_t bytes);

// Text from outside as it may go to a terminal: control characters as \n, \t, \x1b.
std::string printable(std::string_view text);

// The text, of a long one the beginning and "...", cut between characters of UTF-8.
std::string shortened(std::string_view text, std::size_t most_bytes = 60);

// The shortest text that reads back as the same number.
std::string shortest(double value);

}  // namespace phaze
