#include "hw/memory.h"

#include "base/check.h"

namespace phaze::hw {

BytesPerSecond most_stack_bandwidth(HbmGeneration generation) {
  constexpr double kBytes = 1024.0 / 8;  // of all pins at once
  switch (generation) {
    case HbmGeneration::kHbm2:
      return BytesPerSecond(2.43e9 * kBytes);
    case HbmGeneration::kHbm2e:
      return BytesPerSecond(3.6e9 * kBytes);
    case HbmGeneration::kHbm3:
      return BytesPerSecond(6.4e9 * kBytes);
    case HbmGeneration::kHbm3e:
      return BytesPerSecond(9.6e9 * kBytes);
  }
  CHECK(false, "unknown generation");
}

bool is_beyond_generation(const Hbm& hbm) {
  constexpr double kRounding = 1.001;
  return hbm.stack_bandwidth > most_stack_bandwidth(hbm.generation) * kRounding;
}

Bytes most_stack_capacity(HbmGeneration generation) {
  constexpr Bytes kGiB(std::int64_t{1} << 30);
  switch (generation) {
    case HbmGeneration::kHbm2:
      return kGiB * 8;
    case HbmGeneration::kHbm2e:
      return kGiB * 16;
    case HbmGeneration::kHbm3:
      return kGiB * 24;
    case HbmGeneration::kHbm3e:
      return kGiB * 36;
  }
  CHECK(false, "unknown generation");
}

}  // namespace phaze::hw
