#include "io/schedule_trace.h"

#include <gtest/gtest.h>

#include <map>

#include "support/documents.h"

namespace phaze::io {
namespace {

using plan::TaskUnit;

// Two tensor cores, one vector core; x and y on nothing overlap; z takes no time.
plan::ScheduleProblem small_problem() {
  plan::ScheduleProblem p;
  p.tensor_cores = 2;
  p.vector_cores = 1;
  p.tasks.push_back({"wide", TaskUnit::kTensor, Picoseconds(9'000'000), Picoseconds(5'000'000)});
  p.tasks.push_back({"both", TaskUnit::kBoth, Picoseconds(1'000'001), {}});
  p.tasks.push_back({"send", TaskUnit::kNetwork, Picoseconds(2'000'000), {}});
  p.tasks.push_back({"x", TaskUnit::kNone, Picoseconds(2'000'000), {}});
  p.tasks.push_back({"y", TaskUnit::kNone, Picoseconds(2'000'000), {}});
  p.tasks.push_back({"z", TaskUnit::kVector, Picoseconds(0), {}});
  return p;
}

plan::Schedule small_schedule() {
  plan::Schedule s;
  s.runs.push_back({Picoseconds(0), Picoseconds(5'000'000), true, {0, 1}, {}});
  s.runs.push_back({Picoseconds(5'000'000), Picoseconds(6'000'001), false, {1}, {0}});
  s.runs.push_back({Picoseconds(0), Picoseconds(2'000'000), false, {}, {}});
  s.runs.push_back({Picoseconds(0), Picoseconds(2'000'000), false, {}, {}});
  s.runs.push_back({Picoseconds(1'000'000), Picoseconds(3'000'000), false, {}, {}});
  s.runs.push_back({Picoseconds(5'500'000), Picoseconds(5'500'000), false, {}, {0}});
  s.makespan = Picoseconds(6'000'001);
  return s;
}

// "tensor 0: wide 0+5, both 5+1.000001"
std::map<std::string, std::string> threads_of(const Value& trace, std::int64_t process) {
  std::map<std::int64_t, std::string> names;
  std::map<std::string, std::string> events;
  for (const Value& event : trace.find("traceEvents")->items) {
    const std::int64_t thread = event.find("tid")->integer;
    if (event.find("pid")->integer != process) {
      continue;
    }
    if (event.find("name")->text == "thread_name") {
      names[thread] = event.find("args")->find("name")->text;
    } else if (event.find("ph")->text == "X") {
      std::string& text = events[names.at(thread)];
      text += (text.empty() ? "" : ", ") + event.find("name")->text + " " + event.find("ts")->text +
              "+" + event.find("dur")->text;
    }
  }
  return events;
}

TEST(ScheduleTrace, AThreadForEachCore) {
  const Value trace = tests::parse(write_trace(small_problem(), small_schedule()));
  EXPECT_EQ(threads_of(trace, 1),
            (std::map<std::string, std::string>{{"tensor 0", "wide 0.0+5.0"},
                                                {"tensor 1", "wide 0.0+5.0, both 5.0+1.000001"},
                                                {"vector 0", "both 5.0+1.000001"},
                                                {"network", "send 0.0+2.0"},
                                                {"none", "x 0.0+2.0, z 5.5+0.0"},
                                                {"none 1", "y 1.0+2.0"}}));
  EXPECT_EQ(trace_events(small_schedule()), 8);
}

TEST(ScheduleTrace, AProcessForEachPassOneAfterAnother) {
  plan::ModelSchedule answer;
  answer.model.name = "llama";
  answer.chip.name = "chip";
  plan::LayerSchedule layer;
  layer.problem = small_problem();
  layer.schedule = small_schedule();
  for (const char* name : {"first", "second"}) {
    for (const plan::LayerPass pass : {plan::LayerPass::kForward, plan::LayerPass::kBackward}) {
      layer.name = name;
      layer.pass = pass;
      layer.repeat = name == std::string("second") ? 32 : 1;
      layer.floor = Picoseconds(10'000'000);
      answer.layers.push_back(layer);
    }
  }
  const Value trace = tests::parse(write_trace(answer));
  std::vector<std::string> processes;
  for (const Value& event : trace.find("traceEvents")->items) {
    if (event.find("name")->text == "process_name") {
      processes.push_back(event.find("args")->find("name")->text);
    }
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"first forward", "second forward, one of 32",
                                                 "second backward, one of 32", "first backward"}));
  EXPECT_EQ(threads_of(trace, 1).at("tensor 0"), "wide 0.0+5.0");
  EXPECT_EQ(threads_of(trace, 4).at("tensor 0"), "wide 30.0+5.0");
  EXPECT_EQ(trace.find("otherData")->find("model")->text, "llama");
  EXPECT_EQ(trace_events(answer), 32);
}

}  // namespace
}  // namespace phaze::io
