// Is the original's area model ours to the last digit?

#include <gtest/gtest.h>

#include "hw/area.h"

namespace phaze::hw {
namespace {

Chip phaze_chip(std::int64_t tensor, std::int64_t vector, std::int64_t width, std::int64_t depth,
                std::int64_t global_bytes) {
  Chip chip;
  chip.tensor.count = tensor;
  chip.tensor.rows = depth;
  chip.tensor.columns = width;
  chip.vector.count = vector;
  chip.tensor.local_buffer = default_local_buffer(width * depth);
  chip.vector.lanes = width;
  chip.vector.local_buffer = default_local_buffer(width);
  chip.global.size = Bytes(global_bytes);
  return chip;
}

// Published with the original's configurations: 8 tensor cores of 128 x 128 and 2 vector cores.
TEST(Phaze22, GivesThePublishedAreas) {
  const struct {
    std::int64_t mib;
    double mm2;
  } rows[] = {{128, 278.83}, {64, 192.01}, {32, 150.15}, {16, 127.15},
              {8, 115.36},   {4, 109.48},  {2, 106.74}};
  for (const auto& row : rows) {
    const Chip chip = phaze_chip(8, 2, 128, 128, row.mib << 20);
    EXPECT_NEAR(total(compute_area_phaze22(chip)).value(), row.mm2, 0.005) << row.mib;
  }
  const Chip reference = phaze_chip(8, 2, 128, 128, 128 << 20);
  EXPECT_NEAR(total(compute_area_phaze22(reference)).value(), 278.826676312, 1e-8);
}

// Three of the original's configurations with areas of its file, in um2.
TEST(Phaze22, AgreesWithConfigurationsToNineDigits) {
  const struct {
    std::int64_t tensor, vector, width, depth, bytes;
    double um2;
  } rows[] = {{4096, 512, 8, 2, 33554432, 127938590.614784},
              {4096, 128, 8, 8, 16777216, 249673480.23705602},
              {4096, 64, 32, 2, 33554432, 273064665.142528}};
  for (const auto& row : rows) {
    const Chip chip = phaze_chip(row.tensor, row.vector, row.width, row.depth, row.bytes);
    EXPECT_NEAR(total(compute_area_phaze22(chip)).value() * 1e6 / row.um2, 1, 1e-9);
  }
}

// Buffers are priced as they are, with the original's table.
TEST(Phaze22, LargerLocalBuffersTakeArea) {
  Chip chip = phaze_chip(8, 2, 128, 128, 128 << 20);
  const double before = total(compute_area_phaze22(chip)).value();
  chip.tensor.local_buffer = chip.tensor.local_buffer * 2;  // 256 to 512 KiB
  EXPECT_NEAR(total(compute_area_phaze22(chip)).value() - before, 8 * (0.897890 - 0.446565), 1e-9);
}

}  // namespace
}  // namespace phaze::hw
