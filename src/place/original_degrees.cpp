#include "place/original_degrees.h"

#include <algorithm>

namespace phaze::place::original {
namespace {

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

}  // namespace

std::int64_t microbatches_of(const plan::OriginalInstance& instance, std::int64_t degree) {
  return divided_up(instance.microbatches, degree);
}

Seconds gradient_time(const plan::OriginalInstance& instance, std::int64_t degree,
                      plan::RealBytes parameters) {
  const auto copies = static_cast<double>(degree);
  return Seconds(4 * (copies - 1) * parameters.value() / instance.bandwidth.value() / copies);
}

DataDegrees::DataDegrees(const plan::OriginalInstance& instance) : devices_(instance.devices) {
  const std::int64_t most = std::min(instance.devices, instance.microbatches);
  for (std::int64_t degree = 1; degree <= most;) {
    const std::int64_t microbatches = microbatches_of(instance, degree);
    degrees_.push_back(
        {degree, microbatches, gradient_time(instance, degree, plan::RealBytes(1)).value()});
    if (microbatches == 1) {
      break;
    }
    degree = divided_up(instance.microbatches, microbatches - 1);
  }
}

std::span<const DataDegree> DataDegrees::with(std::int64_t devices_of_pipeline) const {
  const std::int64_t most = devices_ / devices_of_pipeline;
  const auto end = std::ranges::upper_bound(degrees_, most, {}, &DataDegree::degree);
  return {degrees_.begin(), end};
}

}  // namespace phaze::place::original
