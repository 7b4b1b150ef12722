// Is the original's area model ours to the last digit, and its space the same set of chips?

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "hw/area.h"
#include "hw/phaze_space.h"

namespace phaze::hw {
namespace {

Chip phaze_chip(std::int64_t tensor, std::int64_t vector, std::int64_t width, std::int64_t depth,
                std::int64_t global_bytes) {
  Chip chip;
  chip.tensor.count = tensor;
  chip.tensor.rows = depth;
  chip.tensor.columns = width;
  chip.vector.count = vector;
  chip.vector.lanes = width;
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
  EXPECT_NEAR(total(compute_area_phaze22(reference)).value(), kPhazeAreaLimit.value(), 1e-8);
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

TEST(Phaze22, SpaceHasThePublishedNumberOfChips) {
  const std::vector<Chip> chips = enumerate_phaze_chips(Chip{});
  EXPECT_EQ(chips.size(), 29360U);
  // Counts by global buffer and by width, as published.
  std::map<std::int64_t, int> by_buffer;
  std::map<std::int64_t, int> by_width;
  for (const Chip& chip : chips) {
    ++by_buffer[chip.global.size.value() >> 20];
    ++by_width[chip.tensor.columns];
  }
  EXPECT_EQ(by_buffer,
            (std::map<std::int64_t, int>{
                {2, 2968}, {4, 3010}, {8, 3066}, {16, 3224}, {32, 3918}, {64, 7029}, {128, 6145}}));
  EXPECT_EQ(by_width, (std::map<std::int64_t, int>{{2, 4100},
                                                   {4, 4118},
                                                   {8, 4068},
                                                   {16, 4087},
                                                   {32, 3909},
                                                   {64, 3555},
                                                   {128, 3024},
                                                   {256, 2499}}));
}

}  // namespace
}  // namespace phaze::hw
