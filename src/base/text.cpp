#include "base/text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace phaze {

std::string with_thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_upper_control = byte == 0xC2U && next >= 0x80U && next < 0xA0U;  // U+0080-9F
    if (byte == '\n' || byte == '\t') {
      result += byte == '\n' ? "\\n" : "\\t";
    } else if (byte < 0x20U || byte == 0x7FU || is_upper_control) {
      const unsigned code = is_upper_control ? next : byte;
      result += {'\\', 'x', kHex[code / 16], kHex[code % 16]};
      i += is_upper_control ? 1 : 0;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) {
    return std::string(text);
  }
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t end = most_bytes;
  while (end > 0 && continues(end)) {
    --end;
  }
  return std::string(text.substr(0, end)) + "...";
}

namespace {

std::string printed(double value, std::chars_format format, int decimals) {
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, decimals);
  return {buffer.data(), end.ptr};
}

// Three significant digits of a number from 1 to 1023.
std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return printed(value, std::chars_format::fixed, decimals);
}

}  // namespace

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 13> kPrefixes = {"p", "n", "u", "m", "",  "k", "M",
                                                          "G", "T", "P", "E", "Z", "Y"};
  constexpr double kRoundsToThousand = 999.5;
  std::size_t at = 4;
  double scaled = value;
  while (std::abs(scaled) >= kRoundsToThousand && at + 1 < kPrefixes.size()) {
    scaled /= 1000;
    ++at;
  }
  while (std::abs(scaled) * 1000 < kRoundsToThousand && at > 0) {
    scaled *= 1000;
    --at;
  }
  std::string number;
  std::string suffix(unit);
  if (value == 0) {
    number = "0";
  } else if (std::abs(scaled) >= kRoundsToThousand || std::abs(scaled) * 1000 < kRoundsToThousand) {
    number = printed(value, std::chars_format::scientific, 2);
  } else {
    number = three_digits(scaled);
    suffix.insert(0, kPrefixes[at]);
  }
  return suffix.empty() ? number : number + " " + suffix;
}

std::string with_binary_prefix(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                      "TiB", "PiB", "EiB"};
  if (-1024 < bytes && bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  std::size_t at = 0;
  auto scaled = static_cast<double>(bytes);
  while (std::abs(scaled) >= 1023.5) {
    scaled /= 1024;
    ++at;
  }
  return three_digits(scaled) + " " + std::string(kUnits.at(at));
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

}  // namespace phaze
