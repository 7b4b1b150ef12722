#include "io/schedule_json.h"

#include <gtest/gtest.h>

#include "io/document.h"
#include "io/schedule_reader.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskUnit;

ScheduleProblem small_problem() {
  ScheduleProblem p;
  p.tensor_cores = 2;
  p.vector_cores = 1;
  p.tasks.push_back({"q", TaskUnit::kTensor, Picoseconds(3'300), Picoseconds(2'000)});
  p.tasks.push_back({"f", TaskUnit::kBoth, Picoseconds(1'000'000'000), {}});
  p.tasks.push_back({"n", TaskUnit::kNetwork, Picoseconds(0), {}});
  p.edges = {{plan::TaskId(0), plan::TaskId(1)}};
  return p;
}

Schedule small_schedule() {
  Schedule s;
  s.runs.push_back({Picoseconds(0), Picoseconds(2'000), true, {0, 1}, {}});
  s.runs.push_back({Picoseconds(2'000), Picoseconds(1'000'002'000), false, {1}, {0}});
  s.runs.push_back({Picoseconds(0), Picoseconds(0), false, {}, {}});
  s.makespan = Picoseconds(1'000'002'000);
  s.lower_bound = Picoseconds(750'001'500);
  s.work = 17;
  return s;
}

constexpr const char* kOperators = R"("operators": [
    {
      "id": "q",
      "unit": "tensor",
      "start_s": 0.0,
      "end_s": 2e-09,
      "wide": true,
      "cores": [
        "t0",
        "t1"
      ]
    },
    {
      "id": "f",
      "unit": "both",
      "start_s": 2e-09,
      "end_s": 0.001000002,
      "wide": false,
      "cores": [
        "t1",
        "v0"
      ]
    },
    {
      "id": "n",
      "unit": "network",
      "start_s": 0.0,
      "end_s": 0.0,
      "wide": false,
      "cores": []
    }
  ])";

TEST(ScheduleJson, Schedule) {
  EXPECT_EQ(write_schedule(small_problem(), small_schedule()), std::string(R"({
  "schema": 1,
  "makespan_s": 0.001000002,
  "lower_bound_s": 0.0007500015,
  "gap": 0.25,
  "status": "feasible",
  "work": 17,
  "cores": {
    "tensor": 2,
    "vector": 1
  },
  "exclusive_wide": true,
  "utilisation": {
    "tensor": 0.500000999998,
    "vector": 0.999998000004
  },
  "idle": [
    {
      "unit": "tensor",
      "reason": "done",
      "core_s": 0.001
    },
    {
      "unit": "vector",
      "reason": "operator",
      "operator": "q",
      "core_s": 2e-09
    }
  ],
  )") + kOperators + "\n}\n");
}

TEST(ScheduleJson, NothingToDo) {
  Schedule nothing;
  nothing.status = plan::SolveStatus::kOptimal;
  EXPECT_EQ(write_schedule({}, nothing), R"({
  "schema": 1,
  "makespan_s": 0.0,
  "lower_bound_s": 0.0,
  "gap": 0.0,
  "status": "optimal",
  "work": 0,
  "cores": {
    "tensor": 1,
    "vector": 1
  },
  "exclusive_wide": true,
  "utilisation": {
    "tensor": 0.0,
    "vector": 0.0
  },
  "idle": [],
  "operators": []
}
)");
}

// A layer holds the keys of a schedule, the same values in them, and its own.
TEST(ScheduleJson, Layers) {
  plan::LayerSchedule layer;
  layer.name = "decoder";
  layer.pass = plan::LayerPass::kBackward;
  layer.repeat = 32;
  layer.problem = small_problem();
  layer.schedule = small_schedule();
  layer.busy_cores = 2;
  layer.floor = Picoseconds(2'000'004'000);
  layer.floor_reason = plan::TimeFloor::kHbm;
  plan::ModelSchedule answer;
  answer.model.name = "llama";
  answer.model.settings = {{"attention", "flash"}};
  answer.model.sequence = 8192;
  answer.chip.name = "h100";
  answer.chip_settings = {"clock=+10%"};
  answer.assumptions = "modern";
  answer.method = "exact";
  answer.layers = {layer, layer};
  const Value all = tests::parse(write_model_schedule(answer));
  EXPECT_EQ(all.find("schema")->integer, 1);
  EXPECT_EQ(all.find("model")->text, "llama");
  EXPECT_EQ(all.find("chip")->text, "h100");
  EXPECT_EQ(all.find("chip_settings")->items[0].text, "clock=+10%");
  EXPECT_EQ(all.find("cluster")->kind, ValueKind::kNull);
  EXPECT_EQ(all.find("assumptions")->text, "modern");
  EXPECT_EQ(all.find("settings")->find("attention")->text, "flash");
  EXPECT_EQ(all.find("sequence")->integer, 8192);
  EXPECT_EQ(all.find("tensor")->integer, 1);
  EXPECT_EQ(all.find("method")->text, "exact");
  EXPECT_EQ(all.find("forward_s")->number, 0);
  EXPECT_DOUBLE_EQ(all.find("backward_s")->number, 2 * 32 * 0.002000004);
  ASSERT_EQ(all.find("layers")->items.size(), 2U);
  const Value& first = all.find("layers")->items[0];
  std::string keys;
  for (const Member& member : first.members) {
    keys += member.first + " ";
  }
  EXPECT_EQ(
      keys,
      "name pass repeat time_s proved busy_cores serial floor_s floor makespan_s lower_bound_s gap "
      "status work cores exclusive_wide utilisation idle operators ");
  EXPECT_EQ(first.find("name")->text, "decoder");
  EXPECT_EQ(first.find("pass")->text, "backward");
  EXPECT_EQ(first.find("repeat")->integer, 32);
  EXPECT_EQ(first.find("busy_cores")->integer, 2);
  EXPECT_FALSE(first.find("serial")->boolean);
  EXPECT_EQ(first.find("time_s")->number, 0.002000004);
  EXPECT_EQ(first.find("floor_s")->number, 0.002000004);
  EXPECT_EQ(first.find("floor")->text, "hbm");
  EXPECT_EQ(first.find("makespan_s")->number, 0.001000002);
  EXPECT_EQ(first.find("operators")->items.size(), 3U);
  // Two cores for 2,000 ps and one for 1e9, of two for twice the makespan; and one of one.
  const Value* utilisation = first.find("utilisation");
  EXPECT_DOUBLE_EQ(utilisation->find("tensor")->number, 1'000'004'000.0 / (2 * 2'000'004'000.0));
  EXPECT_DOUBLE_EQ(utilisation->find("vector")->number, 1e9 / 2'000'004'000.0);
}

TEST(ScheduleJson, ProblemReadsBack) {
  Diagnostics diagnostics;
  const auto again =
      read_schedule_problem(tests::parse(write_schedule_problem(small_problem())), diagnostics);
  ASSERT_TRUE(again) << to_string(diagnostics);
  EXPECT_EQ(*again, small_problem());
}

}  // namespace
}  // namespace phaze::io
