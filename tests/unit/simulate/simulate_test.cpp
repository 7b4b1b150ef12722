#include "simulate/simulate.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "simulate/vary.h"
#include "support/pipeline_plans.h"

namespace phaze::simulate {
namespace {

using plan::PassKind;
using plan::SimulatedIteration;
using plan::SimulatedPass;
using plan::TrainingPlan;

// "F0 0-1, F1 1-2, ..."
std::string text_of(const std::vector<SimulatedPass>& runs) {
  const auto number = [](Seconds time) {
    std::string text = std::to_string(time.value());
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  };
  std::string text;
  for (const SimulatedPass& run : runs) {
    text += (text.empty() ? "" : ", ") + std::string(run.kind == PassKind::kForward ? "F" : "B") +
            std::to_string(run.microbatch) + (run.chunk > 0 ? "'" : "") + " " + number(run.start) +
            "-" + number(run.end);
  }
  return text;
}

double total(const plan::SimulatedStage& stage) {
  return (stage.passes + stage.transfers + stage.reduction + stage.optimizer + stage.bubble)
      .value();
}

//         0   1   2   3   4   5   6   7   8   9  10  11  12
// stage 0 F0  F1          B0......F2  B1......    B2......
// stage 1     F0  B0......F1  B1......F2  B2......
TEST(Simulate, TwoStagesThreeMicrobatches) {
  const SimulatedIteration s = simulate(tests::plan_of({{1, 1}, {2, 2}, 0, 3}));
  EXPECT_EQ(text_of(s.stages[0].runs), "F0 0-1, F1 1-2, B0 4-6, F2 6-7, B1 7-9, B2 10-12");
  EXPECT_EQ(text_of(s.stages[1].runs), "F0 1-2, B0 2-4, F1 4-5, B1 5-7, F2 7-8, B2 8-10");
  EXPECT_EQ(s.iteration, Seconds(12));
  EXPECT_EQ(s.stages[0].passes, Seconds(9));
  EXPECT_EQ(s.stages[0].bubble, Seconds(3));
  EXPECT_EQ(s.stages[0].transfers, Seconds(0));
  EXPECT_EQ(s.stages[0].in_flight, 2);
  EXPECT_EQ(s.stages[1].in_flight, 1);
  EXPECT_EQ(s.parts.bubble, Seconds(3));
}

//         0     1     2     3     4     5     6     7     8     9    10    11    12    13
// stage 0 F0    F1                   (a half)    B0..........F2    B1..........      B2..
// stage 1      ~ F0    B0..........F1    B1..........    ~ F2    B2..........
TEST(Simulate, TransfersDelayTheReceiverOnly) {
  const SimulatedIteration s = simulate(tests::plan_of({{1, 1}, {2, 2}, 0.5, 3}));
  EXPECT_EQ(text_of(s.stages[1].runs),
            "F0 1.5-2.5, B0 2.5-4.5, F1 4.5-5.5, B1 5.5-7.5, "
            "F2 8.5-9.5, B2 9.5-11.5");
  EXPECT_EQ(text_of(s.stages[0].runs), "F0 0-1, F1 1-2, B0 5-7, F2 7-8, B1 8-10, B2 12-14");
  EXPECT_EQ(text_of(s.stages[0].sent), "F0 1-1.5, F1 2-2.5, F2 8-8.5");
  EXPECT_EQ(text_of(s.stages[1].sent), "B0 4.5-5, B1 7.5-8, B2 11.5-12");
  // Stage 0 waits from 2 to 5 for B0, whose gradients are under way from 4.5 on, and for B2.
  EXPECT_EQ(s.stages[0].transfers, Seconds(1));
  EXPECT_EQ(s.stages[0].bubble, Seconds(4));
  EXPECT_EQ(s.stages[1].transfers, Seconds(1));  // before F0 and F2
  EXPECT_EQ(s.stages[1].bubble, Seconds(4));
}

// Two forwards of 1 on a link that takes 3 for each alone: the first has had 1 when the second
// comes, and takes 4 for the rest; then the second has 1 left.
TEST(Simulate, TransfersGoOneAfterAnother) {
  TrainingPlan plan = tests::plan_of({{1, 1}, {1, 1}, 3, 2});
  EXPECT_EQ(text_of(simulate(plan).stages[0].sent), "F0 1-4, F1 2-7");
  SimulationOptions options;
  options.shares_links = false;
  EXPECT_EQ(text_of(simulate(plan, options).stages[0].sent), "F0 1-4, F1 2-5");
}

TEST(Simulate, Gpipe) {
  const SimulatedIteration s = simulate(tests::plan_of({{1, 1}, {2, 2}, 0, 3, 1, true}));
  EXPECT_EQ(text_of(s.stages[0].runs), "F0 0-1, F1 1-2, F2 2-3, B0 6-8, B1 8-10, B2 10-12");
  EXPECT_EQ(text_of(s.stages[1].runs), "F0 1-2, F1 2-3, F2 3-4, B0 4-6, B1 6-8, B2 8-10");
  EXPECT_EQ(s.stages[0].in_flight, 3);
}

// Chunks take half as long; a group of two micro-batches goes through the first and the second.
TEST(Simulate, Interleaved) {
  const SimulatedIteration s = simulate(tests::plan_of({{2, 2}, {4, 4}, 0, 2, 2}));
  EXPECT_EQ(text_of(s.stages[0].runs),
            "F0 0-1, F1 1-2, F0' 2-3, F1' 3-4, B0' 6-8, B1' 9-11, B0 11-13, B1 13-15");
  EXPECT_EQ(text_of(s.stages[1].runs),
            "F0 1-2, F1 2-3, F0' 3-4, B0' 4-6, F1' 6-7, B1' 7-9, B0 9-11, B1 11-13");
  // (m + (p - 1) / v) x (F + B)
  EXPECT_EQ(s.iteration, Seconds(15));
  EXPECT_EQ(simulate(tests::plan_of({{2, 2}, {4, 4}, 0, 4, 2})).iteration, Seconds(27));
  EXPECT_EQ(s.stages[0].in_flight, 4);
  EXPECT_EQ(s.stages[1].in_flight, 3);
}

// The last chunk of the last stage is longer and keeps more.
TEST(Simulate, UnevenChunks) {
  TrainingPlan plan = tests::plan_of({{2, 3}, {4, 6}, 0, 2, 2});
  plan.stages[1].saved = Bytes(110);
  plan.stages[1].chunks = {{Seconds(1), Seconds(2), Bytes(10)},
                           {Seconds(2), Seconds(4), Bytes(100)}};
  const SimulatedIteration s = simulate(plan);
  EXPECT_EQ(text_of(s.stages[1].runs),
            "F0 1-2, F1 2-3, F0' 3-5, B0' 5-9, F1' 9-11, B1' 11-15, B0 15-17, B1 17-19");
  EXPECT_EQ(s.iteration, Seconds(21));
  EXPECT_EQ(s.stages[1].passes, Seconds(18));
  EXPECT_EQ(s.stages[1].in_flight, 3);
  EXPECT_EQ(s.stages[1].peak_memory, Bytes(120));  // two of the first, one of the second
}

TEST(Simulate, OneStage) {
  for (const std::int64_t chunks : {1, 3}) {
    const SimulatedIteration s = simulate(tests::plan_of({{1.5}, {3}, 100, 4, chunks}));
    EXPECT_EQ(s.iteration, Seconds(18)) << chunks;
    EXPECT_TRUE(s.stages[0].sent.empty());
    EXPECT_EQ(s.parts.bubble, Seconds(0));
  }
}

TEST(Simulate, WithoutTime) {
  const SimulatedIteration s = simulate(tests::plan_of({{0, 0, 0}, {0, 0, 0}, 0, 5}));
  EXPECT_EQ(s.iteration, Seconds(0));
  EXPECT_EQ(s.difference(), 0);
  EXPECT_EQ(s.stages[0].runs.size(), 10U);
}

// Backwards end at 8 (stage 0), 6 (stage 1).
TEST(Simulate, ReductionTiedEmbeddingsOptimizer) {
  TrainingPlan plan = tests::plan_of({{1, 1}, {2, 2}, 0, 2});
  plan.stages[0].gradients = Seconds(3);
  plan.stages[0].exposed = Seconds(1);
  plan.stages[1].gradients = plan.stages[1].exposed = Seconds(4);
  plan.tied = Seconds(0.5);
  plan.stages[0].optimizer = Seconds(0.25);
  plan.stages[1].optimizer = Seconds(1);
  plan.iteration = Seconds(10);
  const SimulatedIteration s = simulate(plan);
  EXPECT_EQ(s.stages[0].runs.back().end, Seconds(9));
  EXPECT_EQ(s.stages[1].runs.back().end, Seconds(7));
  EXPECT_EQ(s.stages[0].reduction_start, Seconds(7));  // two of three beside the last backward
  EXPECT_EQ(s.stages[0].reduction_end, Seconds(10));
  EXPECT_EQ(s.stages[1].reduction_start, Seconds(7));
  EXPECT_EQ(s.stages[1].reduction_end, Seconds(11));
  EXPECT_EQ(s.tied_start, Seconds(11));
  EXPECT_EQ(s.tied_end, Seconds(11.5));
  EXPECT_EQ(s.optimizer_start, Seconds(11.5));
  EXPECT_EQ(s.iteration, Seconds(12.5));
  EXPECT_DOUBLE_EQ(s.difference(), 0.25);
  EXPECT_EQ(s.stages[0].reduction, Seconds(1.5));
  EXPECT_EQ(s.stages[1].reduction, Seconds(4.5));
  EXPECT_EQ(total(s.stages[0]), 12.5);
  EXPECT_EQ(total(s.stages[1]), 12.5);
}

// A stage between waits for the gradients of the others before it steps.
TEST(Simulate, OptimizerWaitsForAllGradients) {
  TrainingPlan plan = tests::plan_of({{1, 1, 1}, {2, 2, 2}, 0, 1});
  plan.stages[1].exposed = Seconds(5);  // after its backward, at 7
  plan.stages[1].gradients = Seconds(5);
  plan.stages[0].optimizer = Seconds(1);
  const SimulatedIteration s = simulate(plan);
  EXPECT_EQ(s.optimizer_start, Seconds(12));
  EXPECT_EQ(s.iteration, Seconds(13));
}

TEST(Simulate, HiddenReductionCannotStartBeforeTheIteration) {
  TrainingPlan plan = tests::plan_of({{1}, {2}, 0, 1});
  plan.stages[0].gradients = Seconds(100);
  EXPECT_EQ(simulate(plan).stages[0].reduction_start, Seconds(0));
  EXPECT_EQ(simulate(plan).iteration, Seconds(3));
}

TEST(Simulate, PeakMemory) {
  TrainingPlan plan = tests::plan_of({{1, 1, 1}, {2, 2, 2}, 0, 8});
  for (plan::PlanStage& stage : plan.stages) {
    stage.saved = Bytes(100);
    stage.memory = {Bytes(1), Bytes(2), Bytes(3), Bytes(0), Bytes(40), Bytes(5)};
  }
  const SimulatedIteration s = simulate(plan);
  EXPECT_EQ(s.stages[0].peak_memory, Bytes(11 + 300 + 40));
  EXPECT_EQ(s.stages[1].peak_memory, Bytes(11 + 200 + 40));
  EXPECT_EQ(s.stages[2].peak_memory, Bytes(11 + 100 + 40));
  EXPECT_EQ(s.peak_memory(), Bytes(351));
}

// In flight at stage i: as many as there are stages from it on, never more than there are.
TEST(Simulate, InFlight) {
  for (const std::int64_t stages : {1, 2, 5, 8}) {
    for (const std::int64_t microbatches : {1, 2, 4, 5, 9, 30}) {
      const auto count = static_cast<std::size_t>(stages);
      const std::vector<double> forward(count, 1.0);
      const std::vector<double> backward(count, 2.0);
      const SimulatedIteration s = simulate(tests::plan_of({forward, backward, 0.1, microbatches}));
      for (std::int64_t i = 0; i < stages; ++i) {
        EXPECT_EQ(s.stages[static_cast<std::size_t>(i)].in_flight,
                  std::min(microbatches, stages - i));
      }
    }
  }
}

TEST(Simulate, RunsAreLeftOutOnRequest) {
  const TrainingPlan plan = tests::plan_of({{1, 1}, {2, 2}, 0.5, 3});
  SimulationOptions options;
  options.keeps_runs = false;
  SimulatedIteration with = simulate(plan);
  const SimulatedIteration without = simulate(plan, options);
  for (plan::SimulatedStage& stage : with.stages) {
    EXPECT_FALSE(stage.runs.empty());
    stage.runs.clear();
    stage.sent.clear();
  }
  EXPECT_EQ(with, without);
  EXPECT_EQ(count_passes(plan), 12);
  EXPECT_EQ(without.events, 12 + 6);
}

TEST(Simulate, RefusesWhatIsNoPlan) {
  TrainingPlan plan = tests::plan_of({{1, 1}, {2, 2}, 0, 3});
  plan.strategy.interleave = 2;
  EXPECT_THROW(simulate(plan), std::logic_error);
  plan = tests::plan_of({{1, 1}, {2, 2}, 0, 3});
  plan.stages.pop_back();
  EXPECT_THROW(simulate(plan), std::logic_error);
  // Five stages of two chunks, seven micro-batches: nothing can go on.
  plan = tests::plan_of({{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, 7, 2});
  EXPECT_THROW(simulate(plan), std::logic_error);
}

TEST(Vary, OneThingAtATime) {
  TrainingPlan plan = tests::plan_of({{1, 2}, {2, 4}, 0.5, 3});
  plan.stages[0].exposed = plan.stages[0].gradients = Seconds(1);
  const std::vector<plan::PlanVariation> variations = vary(plan);
  ASSERT_EQ(variations.size(), 4U);
  EXPECT_EQ(variations[0].what, "transfers that take no time");
  EXPECT_EQ(variations[0].iteration, Seconds(1 + 18 + 2 + 1));
  EXPECT_EQ(variations[1].what, "transfers that never wait for one another");
  EXPECT_EQ(variations[1].iteration, simulate(plan).iteration);
  EXPECT_EQ(variations[2].what, "stages that are all alike");
  EXPECT_EQ(variations[2].iteration,
            simulate(tests::plan_of({{1.5, 1.5}, {3, 3}, 0.5, 3})).iteration + Seconds(1));
  EXPECT_EQ(variations[3].what, "gradients reduced in no time");
  EXPECT_EQ(variations[3].iteration + Seconds(1), simulate(plan).iteration);
  EXPECT_TRUE(vary(tests::plan_of({{1}, {2}, 1, 3})).empty());
}

}  // namespace
}  // namespace phaze::simulate
