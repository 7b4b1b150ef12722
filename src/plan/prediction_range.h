#pragma once
// How sure a predicted time is: what limits a run, how far predictions of such runs were off, and
// the range that follows. trust/ makes it; docs/models.md, section 27.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace phaze::plan {

enum class Regime { kCompute, kMemory, kLaunch, kNetwork };
inline constexpr std::size_t kRegimes = 4;
std::string_view to_string(Regime regime);  // "compute"
std::optional<Regime> parse_regime(std::string_view name);

// A run that was measured and predicted.
struct ErrorSample {
  std::string machine;           // kind of it: "a100"
  std::optional<Regime> regime;  // nothing: not known
  std::int64_t devices = 1;
  double ratio = 1;  // measured over predicted

  bool operator==(const ErrorSample&) const = default;
};

// Of the samples of a machine and a regime, or of all where one is not given: 80 % of ratios lie
// between low and high.
struct ErrorQuantiles {
  std::string machine;
  std::optional<Regime> regime;
  std::size_t runs = 0;
  std::int64_t largest_devices = 1;
  double low = 1, median = 1, high = 1;

  bool operator==(const ErrorQuantiles&) const = default;
};

struct PredictionRange {
  Regime regime = Regime::kCompute;
  // Nothing: no measurement stands behind it.
  std::optional<Seconds> low, high;
  std::string basis;  // what the range comes from, for people

  // Half of the range as a share of its middle: plans that differ by less are as good.
  double half_width() const {
    return low && high ? (high->value() - low->value()) / (high->value() + low->value()) : 0;
  }
  bool operator==(const PredictionRange&) const = default;
};

}  // namespace phaze::plan
