#include "hw/phaze_space.h"

#include "hw/area.h"

namespace phaze::hw {

std::vector<Chip> enumerate_phaze_chips(const Chip& base) {
  constexpr std::int64_t kMostCores = 4096;
  constexpr std::int64_t kMostSide = 256;
  constexpr std::int64_t kMostMiB = 128;
  constexpr double kLeastShare = 0.3;
  // The limit is printed to nine decimals of a square millimetre: equal must stay equal.
  constexpr double kTolerance = 1e-8;
  std::vector<Chip> chips;
  Chip chip = base;
  for (std::int64_t tensor = 1; tensor <= kMostCores; tensor *= 2) {
    for (std::int64_t vector = 1; vector <= kMostCores; vector *= 2) {
      for (std::int64_t width = 2; width <= kMostSide; width *= 2) {
        for (std::int64_t depth = 2; depth <= kMostSide; depth *= 2) {
          for (std::int64_t mib = 2; mib <= kMostMiB; mib *= 2) {
            chip.tensor.count = chip.tensor.fabricated = tensor;
            chip.tensor.rows = depth;
            chip.tensor.columns = width;
            chip.tensor.local_buffer = default_local_buffer(width * depth);
            chip.tensor.local_bytes_per_cycle = default_local_bytes_per_cycle(depth, width);
            chip.tensor.port_bytes_per_cycle = default_port_bytes_per_cycle(depth, width);
            chip.vector.count = chip.vector.fabricated = vector;
            chip.vector.lanes = width;
            chip.vector.local_buffer = default_local_buffer(width);
            chip.global.size = chip.global.fabricated = Bytes(mib << 20);
            chip.global.bytes_per_cycle = default_global_bytes_per_cycle(chip.tensor);
            const double area = total(compute_area_phaze22(chip)).value();
            const double limit = kPhazeAreaLimit.value();
            const bool is_large_enough = tensor == 1 || vector == 1 || area >= kLeastShare * limit;
            if (area <= limit + kTolerance && is_large_enough) {
              chips.push_back(chip);
            }
          }
        }
      }
    }
  }
  return chips;
}

}  // namespace phaze::hw
