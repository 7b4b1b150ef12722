#include "plan/prediction_range.h"

namespace phaze::plan {

std::string_view to_string(Regime regime) {
  switch (regime) {
    case Regime::kCompute:
      return "compute";
    case Regime::kMemory:
      return "memory";
    case Regime::kLaunch:
      return "launch";
    case Regime::kNetwork:
      return "network";
  }
  return "";
}

std::optional<Regime> parse_regime(std::string_view name) {
  for (std::size_t i = 0; i < kRegimes; ++i) {
    if (to_string(static_cast<Regime>(i)) == name) {
      return static_cast<Regime>(i);
    }
  }
  return std::nullopt;
}

}  // namespace phaze::plan
