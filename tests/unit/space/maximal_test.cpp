// Chips as bits, and those without a step up, against lists of all chips.
#include "space/maximal.h"

#include <gtest/gtest.h>

#include "presets/spaces.h"
#include "space/enumerate.h"
#include "space/monotone.h"

namespace phaze::space {
namespace {

bool has_no_less(const Standing& more, const Standing& less) {
  if (more.group != less.group) {
    return false;
  }
  for (std::size_t i = 0; i < more.amounts.size(); ++i) {
    if (more.amounts[i] < less.amounts[i]) {
      return false;
    }
  }
  return true;
}

TEST(Maximal, BitsAreTheListWhateverTheThreads) {
  Diagnostics diagnostics;
  const Space space = presets::load_space("phaze2024-small", diagnostics).value();
  const std::vector<std::int64_t> listed = list_chips(space);
  for (const int threads : {1, 2, 3}) {
    const WithinChips within(space, threads);
    EXPECT_EQ(within.count(), static_cast<std::int64_t>(listed.size()));
    EXPECT_EQ(within.combinations(), combinations(space));
    std::vector<std::int64_t> found;
    for (std::int64_t index = 0; index < within.combinations(); ++index) {
      if (within.has(index)) {
        found.push_back(index);
      }
    }
    EXPECT_EQ(found, listed);
    EXPECT_EQ(list_maximal(space, within, threads), list_maximal(space, within, 1));
  }
}

TEST(Maximal, EveryOtherChipIsBelowOneOfThem) {
  Diagnostics diagnostics;
  const Space space = presets::load_space("phaze2024-small", diagnostics).value();
  const WithinChips within(space, 1);
  const StepsUp steps(space);
  const std::vector<std::int64_t> maximal = list_maximal(space, within, 1);
  const std::vector<std::int64_t> all = list_chips(space);
  EXPECT_GT(maximal.size(), 1U);
  EXPECT_LT(maximal.size(), all.size() / 2);
  for (std::int64_t index : all) {
    const Standing standing = standing_of(space, index);
    while (const auto above = steps.above(within, index)) {
      EXPECT_TRUE(within.has(*above));
      EXPECT_TRUE(has_no_less(standing_of(space, *above), standing));
      index = *above;
    }
    EXPECT_TRUE(std::binary_search(maximal.begin(), maximal.end(), index));
  }
}

}  // namespace
}  // namespace phaze::space
