#include "io/simulation_json.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "io/simulation_trace.h"
#include "simulate/simulate.h"
#include "support/documents.h"
#include "support/pipeline_plans.h"

namespace phaze::io {
namespace {

plan::PlanRecord record_of(const tests::PipelineShape& shape) {
  plan::PlanRecord record;
  record.model = "m";
  record.chip = "a \"chip\"";
  record.layers = {"decoder"};
  record.plan = tests::plan_of(shape);
  record.plan.iteration = Seconds(10);
  record.plan.capacity = Bytes(1000);
  for (plan::PlanStage& stage : record.plan.stages) {
    stage.layers = {{0, 3}};
    stage.saved = Bytes(300);
    stage.memory = {Bytes(10), Bytes(10), Bytes(20), Bytes(600), Bytes(50), Bytes(5)};
    stage.gradients = Seconds(2);
    stage.exposed = Seconds(1);
    stage.optimizer = Seconds(0.5);
  }
  return record;
}

TEST(SimulationJson, KeysThatOthersRelyOn) {
  const plan::PlanRecord record = record_of({{1, 1}, {2, 2}, 0.5, 3});
  const auto simulated = simulate::simulate(record.plan);
  const Value json = tests::parse(
      write_simulation(record, simulated, {{"transfers that take no time", Seconds(13.5)}}));
  const auto number = [&json](const char* key) { return json.find(key)->number; };
  EXPECT_EQ(number("schema"), 1);
  EXPECT_EQ(number("iteration_s"), 15.5);
  EXPECT_EQ(number("closed_form_s"), 10);
  EXPECT_DOUBLE_EQ(number("difference"), 0.55);
  EXPECT_EQ(number("busy_s"), 9);
  EXPECT_EQ(number("transfers_s"), 1);
  EXPECT_EQ(number("reduction_s"), 1);
  EXPECT_EQ(number("optimizer_s"), 0.5);
  EXPECT_EQ(number("bubble_s"), 4);
  EXPECT_DOUBLE_EQ(number("bubble"), 4 / 15.5);
  EXPECT_EQ(number("peak_memory_bytes"), 45 + 600 + 50);
  EXPECT_TRUE(json.find("fits")->boolean);
  EXPECT_EQ(number("events"), 18);
  EXPECT_EQ(json.find("variations")->items[0].find("with")->text, "transfers that take no time");
  EXPECT_EQ(json.find("variations")->items[0].find("iteration_s")->number, 13.5);
  const Value& stage = json.find("stages")->items.at(1);
  EXPECT_EQ(stage.find("busy_s")->number, 9);
  EXPECT_EQ(stage.find("idle_s")->number, 5);
  EXPECT_EQ(stage.find("peak_memory_bytes")->number, 395);
  EXPECT_EQ(stage.find("headroom_bytes")->number, 605);
  EXPECT_EQ(stage.find("planned_memory_bytes")->number, 695);
  EXPECT_EQ(stage.find("memory_bytes")->items.size(), 100U);
}

struct Slice {
  double start, end;
  std::string name;
};

struct ReadTrace {
  std::map<int, std::string> processes;
  std::map<std::pair<int, std::string>, std::vector<Slice>> threads;  // by process and name
  std::map<int, std::vector<double>> memory;
  std::size_t events = 0;
};

ReadTrace read_trace(const std::string& text) {
  const Value json = tests::parse(text);
  ReadTrace trace;
  std::map<std::pair<int, int>, std::string> names;
  for (const Value& event : json.find("traceEvents")->items) {
    const std::string& phase = event.find("ph")->text;
    const std::string& name = event.find("name")->text;
    const int process = static_cast<int>(event.find("pid")->integer);
    const int thread = static_cast<int>(event.find("tid")->integer);
    if (name == "process_name") {
      trace.processes[process] = event.find("args")->find("name")->text;
    } else if (name == "thread_name") {
      names[{process, thread}] = event.find("args")->find("name")->text;
    } else if (phase == "X") {
      const double start = event.find("ts")->number;
      trace.threads[{process, names.at({process, thread})}].push_back(
          {start / 1e6, (start + event.find("dur")->number) / 1e6, name});
      ++trace.events;
    } else if (phase == "C") {
      trace.memory[process].push_back(event.find("args")->find("bytes")->number);
      ++trace.events;
    }
  }
  return trace;
}

TEST(SimulationTrace, PassesTransfersAndMemory) {
  const plan::PlanRecord record = record_of({{1, 1}, {2, 2}, 0.5, 2});
  const auto simulated = simulate::simulate(record.plan);
  const ReadTrace trace = read_trace(write_trace(record, simulated));
  EXPECT_EQ(trace.processes.at(1), "stage 0: decoder x 3");
  EXPECT_EQ(trace.processes.size(), 2U);
  std::string text;
  for (const Slice& slice : trace.threads.at({1, "passes"})) {
    text += slice.name + ", ";
  }
  EXPECT_EQ(text, "F 0, F 1, B 0, B 1, optimizer, ");
  EXPECT_EQ(trace.threads.at({1, "transfers out"}).size(), 2U);
  EXPECT_EQ(trace.threads.at({1, "transfers in"}).size(), 2U);
  EXPECT_EQ(trace.threads.at({1, "transfers in"})[0].name, "gradients 0");
  EXPECT_EQ(trace.threads.at({2, "transfers in"})[0].name, "activations 0");
  EXPECT_EQ(trace.threads.at({2, "transfers in"})[0].start, 1);
  EXPECT_EQ(trace.threads.at({2, "transfers in"})[0].end, 1.5);
  EXPECT_EQ(trace.threads.at({2, "reduction"})[0].name, "gradients");
  const std::vector<double> memory = {45, 395, 345, 695, 645, 695, 345, 395, 45};
  EXPECT_EQ(trace.memory.at(1), memory);
  // The others are memory at the beginning, reduction and optimiser.
  EXPECT_EQ(static_cast<std::int64_t>(trace.events), trace_events(simulated) + 2 * 3);
}

TEST(SimulationTrace, TransfersThatOverlapHaveThreadsOfTheirOwn) {
  const plan::PlanRecord record = record_of({{1, 1, 1}, {1, 1, 1}, 4, 6, 2});
  const ReadTrace trace = read_trace(write_trace(record, simulate::simulate(record.plan)));
  EXPECT_TRUE(trace.threads.contains({1, "transfers out 1"}));
  for (const auto& [thread, slices] : trace.threads) {
    double end = 0;
    for (const Slice& slice : slices) {
      EXPECT_GE(slice.start, end - 1e-9) << thread.second;
      end = slice.end;
    }
  }
  EXPECT_EQ(trace.threads.at({1, "passes"})[3].name, "F 0 chunk 1");
}

}  // namespace
}  // namespace phaze::io
