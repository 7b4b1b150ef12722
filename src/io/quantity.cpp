#include "io/quantity.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace phaze::io {
namespace {

struct UnitName {
  std::string_view name;
  double factor;
};

constexpr std::array kFrequencies = {UnitName{"Hz", 1}, UnitName{"kHz", 1e3}, UnitName{"MHz", 1e6},
                                     UnitName{"GHz", 1e9}};
constexpr std::array kSizes = {
    UnitName{"B", 1},
    UnitName{"kB", 1e3},
    UnitName{"KB", 1e3},
    UnitName{"MB", 1e6},
    UnitName{"GB", 1e9},
    UnitName{"TB", 1e12},
    UnitName{"KiB", 1024.0},
    UnitName{"MiB", 1024.0 * 1024},
    UnitName{"GiB", 1024.0 * 1024 * 1024},
    UnitName{"TiB", 1024.0 * 1024 * 1024 * 1024},
};
constexpr std::array kBits = {UnitName{"Mb", 1e6 / 8}, UnitName{"Gb", 1e9 / 8},
                              UnitName{"Tb", 1e12 / 8}};
constexpr std::array kTimes = {UnitName{"s", 1}, UnitName{"ms", 1e-3}, UnitName{"us", 1e-6},
                               UnitName{"ns", 1e-9}};
constexpr std::array kPowers = {UnitName{"W", 1}, UnitName{"kW", 1e3}, UnitName{"MW", 1e6}};
constexpr std::array kAreas = {UnitName{"mm2", 1}, UnitName{"um2", 1e-6}, UnitName{"cm2", 100}};
constexpr std::array kMoneys = {UnitName{"USD", 1}};

template <std::size_t N>
std::optional<double> factor_in(const std::array<UnitName, N>& units, std::string_view name) {
  for (const UnitName& unit : units) {
    if (unit.name == name) {
      return unit.factor;
    }
  }
  return std::nullopt;
}

std::optional<double> factor_of(std::string_view unit, Dimension dimension) {
  switch (dimension) {
    case Dimension::kFrequency:
      return factor_in(kFrequencies, unit);
    case Dimension::kBytes:
      return factor_in(kSizes, unit);
    case Dimension::kBytesPerSecond: {
      if (!unit.ends_with("/s")) {
        return std::nullopt;
      }
      unit.remove_suffix(2);
      const std::optional<double> bytes = factor_in(kSizes, unit);
      return bytes ? bytes : factor_in(kBits, unit);
    }
    case Dimension::kSeconds:
      return factor_in(kTimes, unit);
    case Dimension::kPower:
      return factor_in(kPowers, unit);
    case Dimension::kArea:
      return factor_in(kAreas, unit);
    case Dimension::kMoney:
      return factor_in(kMoneys, unit);
  }
  CHECK(false, "unknown dimension");
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Dimension dimension) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::optional<double> factor = factor_of(text, dimension);
  return factor ? std::optional(value * *factor) : std::nullopt;
}

std::string_view key_suffix(Dimension dimension) {
  switch (dimension) {
    case Dimension::kFrequency:
      return "_hz";
    case Dimension::kBytes:
      return "_bytes";
    case Dimension::kBytesPerSecond:
      return "_bytes_per_s";
    case Dimension::kSeconds:
      return "_s";
    case Dimension::kPower:
      return "_w";
    case Dimension::kArea:
      return "_mm2";
    case Dimension::kMoney:
      return "_usd";
  }
  CHECK(false, "unknown dimension");
}

std::string_view example(Dimension dimension) {
  switch (dimension) {
    case Dimension::kFrequency:
      return "a frequency such as \"1.4 GHz\"";
    case Dimension::kBytes:
      return "a size such as \"64 MiB\"";
    case Dimension::kBytesPerSecond:
      return "a bandwidth such as \"1.2 TB/s\" or \"400 Gb/s\"";
    case Dimension::kSeconds:
      return "a time such as \"4 us\"";
    case Dimension::kPower:
      return "a power such as \"700 W\"";
    case Dimension::kArea:
      return "an area such as \"826 mm2\"";
    case Dimension::kMoney:
      return "an amount such as \"300 USD\"";
  }
  CHECK(false, "unknown dimension");
}

}  // namespace phaze::io
