#include "plan/original_placement.h"

#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace phaze::plan {

std::string to_string(RealBytes bytes) {
  constexpr double kMostWhole =
      9e15;  // doubles beyond have no fractions, and int64 is near its end
  const double value = bytes.value();
  const bool is_whole = std::abs(value) < kMostWhole && value == std::floor(value);
  return is_whole ? with_binary_prefix(static_cast<std::int64_t>(value)) : with_prefix(value, "B");
}

std::string_view to_string(OriginalOptimizer optimizer) {
  switch (optimizer) {
    case OriginalOptimizer::kSgd:
      return "SGD";
    case OriginalOptimizer::kAdam:
      return "Adam";
  }
  CHECK(false, "unknown optimizer");
}

std::optional<OriginalOptimizer> parse_original_optimizer(std::string_view name) {
  for (const OriginalOptimizer optimizer : {OriginalOptimizer::kSgd, OriginalOptimizer::kAdam}) {
    if (to_string(optimizer) == name) {
      return optimizer;
    }
  }
  return std::nullopt;
}

}  // namespace phaze::plan
