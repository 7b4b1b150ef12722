// Placements against those of the original Phaze's program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "place/original.h"
#include "support/recorded_placements.h"
#include "verify/original_placement.h"

namespace phaze::tests {
namespace {

TEST(PlacementValidation, EqualsTheOriginal) {
  const auto folder = recorded_placements_folder();
  if (!folder) {
    GTEST_SKIP() << "the original's answers are not part of the project: name the folder that "
                 << "holds placement_dev.jsonl.gz in PHAZE_PLACEMENT to compare with them";
  }
  const std::vector<RecordedPlacement> cases = read_recorded_placements(*folder);
  ASSERT_GT(cases.size(), 100U);
  double worst = 0;
  int infeasible = 0;
  const auto hold = [&](std::optional<Seconds> ours, std::optional<double> theirs) {
    ASSERT_EQ(ours.has_value(), theirs.has_value());
    if (ours) {
      const double difference = std::abs(ours->value() / *theirs - 1);
      worst = std::max(worst, difference);
      EXPECT_LE(difference, 1e-9);
    }
  };
  for (const RecordedPlacement& recorded : cases) {
    SCOPED_TRACE(recorded.id);
    const plan::OriginalAnswer answer = place::solve_original(recorded.instance);
    EXPECT_EQ(verify::find_faults(recorded.instance, answer), std::vector<std::string>{});
    hold(answer.best ? std::optional(answer.best->time) : std::nullopt, recorded.time);
    infeasible += answer.best ? 0 : 1;
    for (const plan::OriginalWidthTime& width : answer.widths) {
      hold(width.time, recorded.time_of_width.at(width.width));
    }
  }
  std::printf("%zu cases, %d without a placement; largest relative difference %g\n", cases.size(),
              infeasible, worst);
}

}  // namespace
}  // namespace phaze::tests
