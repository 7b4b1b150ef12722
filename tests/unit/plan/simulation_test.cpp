#include "plan/simulation.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "plan/plan_record.h"

namespace phaze::plan {
namespace {

PlanStage stage_of(std::int64_t saved, std::int64_t transient, std::int64_t weights) {
  PlanStage stage;
  stage.saved = Bytes(saved);
  stage.memory.transient = Bytes(transient);
  stage.memory.weights = Bytes(weights);
  stage.memory.activations = Bytes(1'000'000);  // the closed form's, which does not count
  return stage;
}

TEST(SharesOfChunks, EqualUnlessTheStageSaysOtherwise) {
  PlanStage stage = stage_of(11, 7, 100);
  stage.forward = Seconds(3);
  stage.backward = Seconds(6);
  const std::vector<PlanChunk> equal = {{Seconds(1), Seconds(2), Bytes(4)},
                                        {Seconds(1), Seconds(2), Bytes(4)},
                                        {Seconds(1), Seconds(2), Bytes(3)}};
  EXPECT_EQ(shares_of_chunks(stage, 3), equal);
  stage.chunks = {{Seconds(1), Seconds(1), Bytes(1)}, {Seconds(2), Seconds(5), Bytes(10)}};
  EXPECT_EQ(shares_of_chunks(stage, 2), stage.chunks);
  EXPECT_THROW(shares_of_chunks(stage, 3), std::logic_error);
}

TEST(MemoryInUse, CountsEveryPart) {
  PlanStage stage;
  stage.memory = {Bytes(1), Bytes(20), Bytes(300), Bytes(9), Bytes(4000), Bytes(50000)};
  EXPECT_EQ(memory_in_use(stage, Bytes(), false), Bytes(50321));
  EXPECT_EQ(memory_in_use(stage, Bytes(600000), true), Bytes(654321));
}

TEST(MemoryOverTime, TheMostOfEachPiece) {
  TrainingPlan plan;
  plan.stages = {stage_of(10, 5, 100)};
  SimulatedIteration simulated;
  simulated.iteration = Seconds(8);
  SimulatedStage stage;
  //                      1.5 F 2.5  3.5 F 4.5    5 B 6
  stage.runs = {{PassKind::kForward, 0, 0, Seconds(1.5), Seconds(2.5)},
                {PassKind::kForward, 0, 1, Seconds(3.5), Seconds(4.5)},
                {PassKind::kBackward, 0, 0, Seconds(5), Seconds(5.5)},
                {PassKind::kBackward, 0, 1, Seconds(5.5), Seconds(5.75)}};
  simulated.stages = {stage};
  const std::vector<Bytes> expected = {Bytes(100), Bytes(115), Bytes(115), Bytes(125),
                                       Bytes(125), Bytes(125), Bytes(100), Bytes(100)};
  EXPECT_EQ(memory_over_time(plan, simulated, 0, 8), expected);
  EXPECT_EQ(memory_over_time(plan, simulated, 0, 1), std::vector{Bytes(125)});
}

TEST(MemoryOverTime, AnIterationWithoutTime) {
  TrainingPlan plan;
  plan.stages = {stage_of(10, 5, 100)};
  SimulatedIteration simulated;
  simulated.stages.resize(1);
  simulated.stages[0].runs = {{PassKind::kForward, 0, 0, Seconds(0), Seconds(0)}};
  EXPECT_EQ(memory_over_time(plan, simulated, 0, 2), (std::vector{Bytes(115), Bytes(100)}));
}

TEST(ReceiverOf, InACircle) {
  EXPECT_EQ(receiver_of(0, PassKind::kForward, 3), 1U);
  EXPECT_EQ(receiver_of(2, PassKind::kForward, 3), 0U);
  EXPECT_EQ(receiver_of(0, PassKind::kBackward, 3), 2U);
  EXPECT_EQ(receiver_of(2, PassKind::kBackward, 3), 1U);
  EXPECT_EQ(receiver_of(0, PassKind::kBackward, 1), 0U);
}

TEST(PlanRecord, Summaries) {
  TrainingPlan plan;
  EXPECT_EQ(throughput(plan), 0);
  plan.global_batch = 6;
  plan.iteration = Seconds(1.5);
  EXPECT_EQ(throughput(plan), 4);
  EXPECT_EQ(recompute_of(plan), "none");
  plan.stages.resize(2);
  plan.stages[0].recompute = plan.stages[1].recompute = Recompute::kFull;
  EXPECT_EQ(recompute_of(plan), "full");
  plan.stages[1].recompute = Recompute::kSelective;
  EXPECT_EQ(recompute_of(plan), "mixed");
}

}  // namespace
}  // namespace phaze::plan
