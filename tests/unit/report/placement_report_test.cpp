#include "report/placement_report.h"

#include <gtest/gtest.h>

#include "place/original.h"
#include "support/original_chains.h"

namespace phaze::report {
namespace {

TEST(PlacementReport, StagesAndTimes) {
  plan::OriginalInstance instance =
      tests::original_chain({{1, 1, 10}, {1, 1, 10}, {1, 2, 10}}, {0, 1}, -1);
  instance.memory = plan::RealBytes(50);
  instance.devices = 2;
  instance.microbatches = 3;
  instance.fixed = plan::FixedStrategy{2, 1, 1, 1};
  EXPECT_EQ(
      original_answer_text(instance, place::solve_original(instance)),
      R"(20.0 s a batch, proved optimal: 1 pipeline of 2 stages, tensor-parallel width 1, 2 of 2 devices

  stage  layers  devices    load  transfers  of the slowest  memory  head-room
  -----  ------  -------  ------  ---------  --------------  ------  ---------  ----
      1  -1            1  2.00 s        0 s            40 %    20 B       30 B  60 %
      2  0 to 1        1  5.00 s        0 s           100 %    40 B       10 B  20 %

  part of a batch                 time
  ----------------------------  ------  -----
  3 micro-batches of 5.00 s     15.0 s   75 %
  fill and drain of 2 stages    5.00 s   25 %
  gradients of the first stage     0 s    0 %
  ----------------------------  ------  -----
  all                           20.0 s  100 %

best at tensor-parallel width 1: 20.0 s
fixed strategy: 20.0 s, 1 times the best: 1 pipeline of 2 stages, tensor-parallel width 1
)");
}

TEST(PlacementReport, WhyNothingFits) {
  plan::OriginalInstance instance = tests::original_chain({{1, 1, 10}, {1, 1, 20, 5}});
  instance.memory = plan::RealBytes(40);
  EXPECT_EQ(original_obstacle_text(instance),
            "no placement fits; width 1: layer 1 alone needs 45 B of 40 B");
  instance.memory = plan::RealBytes(45);
  EXPECT_EQ(original_obstacle_text(instance),
            "no placement fits; width 1: no cut into stages on 1 device keeps each within 45 B");
  plan::OriginalInstance wide = tests::original_chain({{1, 1, 0, 0, true}}, {}, 0, 8);
  wide.devices = 7;
  EXPECT_EQ(original_obstacle_text(wide), "no placement fits; width 8: there are 7 devices");
}

}  // namespace
}  // namespace phaze::report
