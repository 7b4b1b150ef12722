#include "plan/measured_run.h"

#include "base/check.h"

namespace phaze::plan {

std::string_view to_string(Measure measure) {
  switch (measure) {
    case Measure::kIteration:
      return "iteration_s";
    case Measure::kLayerForward:
      return "layer_forward_s";
    case Measure::kLayerBackward:
      return "layer_backward_s";
    case Measure::kPeakMemory:
      return "peak_memory_bytes";
    case Measure::kStateMemory:
      return "state_memory_bytes";
    case Measure::kActivationMemory:
      return "activation_memory_bytes";
  }
  return "";
}

bool is_time(Measure measure) {
  return measure == Measure::kIteration || measure == Measure::kLayerForward ||
         measure == Measure::kLayerBackward;
}

Measure ValidatedRun::measure() const {
  for (std::size_t i = 0; i < kMeasures; ++i) {
    if (run.measured[i]) {
      return static_cast<Measure>(i);
    }
  }
  CHECK(false, "a run measures something");
  return Measure::kIteration;
}

std::optional<double> ValidatedRun::error(Measure measure) const {
  const auto i = static_cast<std::size_t>(measure);
  if (!run.measured[i] || !prediction || !prediction->predicted[i]) {
    return std::nullopt;
  }
  return *prediction->predicted[i] / *run.measured[i] - 1;
}

}  // namespace phaze::plan
