// A layer's schedule on all cores of a chip, of which single tasks may take two.
#include "verify/layer_schedule.h"

#include <gtest/gtest.h>

#include <functional>

namespace phaze::verify {
namespace {

using plan::LayerSchedule;
using plan::TaskUnit;

//        0    2    4    6
//   t0   [a   ][w   ]         w is wide: 1 on four cores; a and b on one: 2
//   t1   [b   ][w   ]
//   t2         [w   ]
//   t3         [w   ]
LayerSchedule small_layer() {
  LayerSchedule layer;
  layer.name = "layer";
  layer.busy_cores = 2;
  layer.problem.tensor_cores = 4;
  layer.problem.vector_cores = 1;
  layer.problem.exclusive_wide = false;
  layer.problem.tasks.push_back({"a", TaskUnit::kTensor, Picoseconds(2), {}});
  layer.problem.tasks.push_back({"b", TaskUnit::kTensor, Picoseconds(2), {}});
  layer.problem.tasks.push_back({"w", TaskUnit::kTensor, Picoseconds(9), Picoseconds(1)});
  layer.schedule.runs.push_back({Picoseconds(0), Picoseconds(2), false, {0}, {}});
  layer.schedule.runs.push_back({Picoseconds(0), Picoseconds(2), false, {1}, {}});
  layer.schedule.runs.push_back({Picoseconds(2), Picoseconds(3), true, {0, 1, 2, 3}, {}});
  layer.schedule.makespan = layer.schedule.lower_bound = Picoseconds(3);
  layer.schedule.status = plan::SolveStatus::kOptimal;
  return layer;
}

std::vector<std::string> faults_after(const std::function<void(LayerSchedule&)>& change) {
  LayerSchedule layer = small_layer();
  change(layer);
  return find_faults(layer);
}

TEST(LayerScheduleFaults, SoundOne) {
  EXPECT_EQ(find_faults(small_layer()), std::vector<std::string>{});
}

TEST(LayerScheduleFaults, WideTasksHaveAllCoresOfTheChip) {
  const auto faults = faults_after([](LayerSchedule& l) {
    l.schedule.runs[plan::TaskId(2)].tensor_cores = {0, 1};
  });
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0], "task w: has 2 tensor cores and needs 4");
}

TEST(LayerScheduleFaults, SingleTasksStayOnTheirCores) {
  const auto faults =
      faults_after([](LayerSchedule& l) { l.schedule.runs[plan::TaskId(1)].tensor_cores = {2}; });
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0], "task b: has a tensor core that does not exist");
}

TEST(LayerScheduleFaults, ClaimsAreOfTheCoresThatMayBeBusy) {
  // On one core a and b take 4: the makespan is too short.
  EXPECT_FALSE(faults_after([](LayerSchedule& l) { l.busy_cores = 1; }).empty());
  // A serial chip runs everything wide: all cores count.
  EXPECT_TRUE(faults_after([](LayerSchedule& l) {
                l.is_serial = true;
                l.busy_cores = 1;
              }).empty());
  EXPECT_FALSE(
      faults_after([](LayerSchedule& l) { l.schedule.lower_bound = Picoseconds(2); }).empty());
  EXPECT_FALSE(faults_after([](LayerSchedule& l) { l.repeat = 0; }).empty());
  EXPECT_FALSE(faults_after([](LayerSchedule& l) { l.busy_cores = 0; }).empty());
}

}  // namespace
}  // namespace phaze::verify
