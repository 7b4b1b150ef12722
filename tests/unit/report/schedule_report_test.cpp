#include "report/schedule_report.h"

#include <gtest/gtest.h>

namespace phaze::report {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskUnit;

constexpr std::int64_t kMillisecond = 1'000'000'000;

Picoseconds ms(std::int64_t count) { return Picoseconds(count * kMillisecond); }

ScheduleProblem small_problem() {
  ScheduleProblem p;
  p.tensor_cores = 4;
  p.vector_cores = 1;
  p.exclusive_wide = false;
  p.tasks.push_back({"one", TaskUnit::kTensor, ms(4), {}});
  p.tasks.push_back({"wide", TaskUnit::kTensor, ms(9), ms(4)});
  p.tasks.push_back({"sum", TaskUnit::kVector, ms(2), {}});
  p.tasks.push_back({"send", TaskUnit::kNetwork, ms(2), {}});
  p.tasks.push_back({"nothing", TaskUnit::kTensor, ms(0), {}});
  p.edges = {{plan::TaskId(1), plan::TaskId(2)}};
  return p;
}

Schedule small_schedule() {
  Schedule s;
  s.runs.push_back({ms(0), ms(4), false, {1}, {}});
  s.runs.push_back({ms(4), ms(8), true, {0, 1, 2, 3}, {}});
  s.runs.push_back({ms(8), ms(10), false, {}, {0}});
  s.runs.push_back({ms(8), ms(10), false, {}, {}});
  s.runs.push_back({ms(8), ms(8), false, {2}, {}});
  s.makespan = s.lower_bound = ms(10);
  s.status = plan::SolveStatus::kOptimal;
  return s;
}

TEST(ScheduleChart, FoldsEqualRows) {
  EXPECT_EQ(schedule_chart(small_problem(), small_schedule(), ms(10), 20),
            "  time   0            10.0 ms\n"
            "  t0     ........|wide===....\n"
            "  t1     |one----|wide===....\n"
            "  t2-t3  ........|wide===....\n"
            "  v0     ................|sum\n"
            "  net    ................|sen\n");
}

TEST(ScheduleChart, ShowsTimeAfterTheLastOperator) {
  EXPECT_EQ(schedule_chart(small_problem(), small_schedule(), ms(20), 20),
            "  time   0            20.0 ms\n"
            "  t0     ....|wid............\n"
            "  t1     |one|wid............\n"
            "  t2-t3  ....|wid............\n"
            "  v0     ........|s..........\n"
            "  net    ........|s..........\n");
  EXPECT_EQ(schedule_chart({}, {}, Picoseconds()), "");
}

TEST(ScheduleChart, NamesThatAreNoAsciiKeepTheirColumns) {
  ScheduleProblem p;
  p.vector_cores = 0;
  p.tasks.push_back({"\xC3\xA9t\x1b", TaskUnit::kTensor, ms(1), {}});
  Schedule s;
  s.runs.push_back({ms(0), ms(1), false, {0}, {}});
  EXPECT_EQ(schedule_chart(p, s, ms(1), 10),
            "  time  0  1.00 ms\n"
            "  t0    |?t\\x1b---\n");
}

// Two tasks in one column look like the one that was drawn last.
TEST(ScheduleChart, CoresShareARowOnlyWithTheSameTasks) {
  ScheduleProblem p;
  p.tensor_cores = 0;
  p.vector_cores = 3;
  Schedule s;
  const auto add = [&](const char* name, std::int64_t start_us, std::int64_t end_us,
                       std::vector<std::int64_t> cores) {
    const Picoseconds start(start_us * 1'000'000), end(end_us * 1'000'000);
    p.tasks.push_back({name, TaskUnit::kVector, end - start, {}});
    s.runs.push_back({start, end, cores.size() > 1, {}, cores});
  };
  add("short", 0, 1, {0});
  add("wide", 1, 1000, {0, 1, 2});
  add("nothing", 1000, 1000, {1});
  EXPECT_EQ(schedule_chart(p, s, ms(1), 10),
            "  time   0  1.00 ms\n"
            "  v0     |wide=====\n"
            "  v1-v2  |wide=====\n");
}

TEST(ScheduleText, SaysHowBusyCoresAreAndWhyNot) {
  const std::string text = schedule_text(small_problem(), small_schedule(), 20);
  EXPECT_NE(text.find("5 operators in 10.0 ms, proved optimal; wide operators leave"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  4 tensor cores 50 % busy; idle: a wide operator needs the cores of one "
                      "30 %, no operator left 20 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  1 vector core 20 % busy; idle: wait for wide 80 %\n"), std::string::npos)
      << text;
  // By their starts, in the order of the problem.
  EXPECT_LT(text.find("\n  one "), text.find("\n  wide "));
  EXPECT_LT(text.find("\n  sum "), text.find("\n  send "));
}

TEST(ScheduleText, SaysWhatIsNotProved) {
  Schedule s = small_schedule();
  s.status = plan::SolveStatus::kFeasible;
  s.lower_bound = ms(9);
  const std::string text = schedule_text(small_problem(), s);
  EXPECT_NE(text.find("in 10.0 ms, not proved: bound 9.00 ms, gap 10 %;"), std::string::npos)
      << text;
}

plan::ModelSchedule small_model() {
  plan::ModelSchedule answer;
  answer.model.name = "llama";
  answer.model.sequence = 8192;
  answer.model.settings = {{"execution", "fused"}};
  answer.chip.name = "chip";
  answer.chip.tensor.count = 4;
  answer.chip.vector.count = 1;
  answer.assumptions = "modern";
  plan::LayerSchedule layer;
  layer.name = "decoder";
  layer.repeat = 32;
  layer.problem = small_problem();
  layer.schedule = small_schedule();
  layer.busy_cores = 2;
  answer.layers.push_back(layer);
  layer.pass = plan::LayerPass::kBackward;
  layer.repeat = 1;
  layer.floor = ms(16);
  layer.floor_reason = plan::TimeFloor::kHbm;
  answer.layers.push_back(layer);
  return answer;
}

TEST(ModelScheduleText, Layers) {
  const std::string text = model_schedule_text(small_model(), false, 20);
  for (const char* line :
       {"llama on chip (4 tensor cores, 1 vector core), sequence 8,192, micro-batch 1\n",
        "assumptions modern: execution fused, wide operators leave the other kind of core free\n",
        "  decoder  forward       32  10.0 ms       320 ms         50 %         20 %  proved "
        "optimal\n",
        "  all      forward                         320 ms\n",
        "  all      backward                       16.0 ms\n",
        "\ndecoder x 32, forward: 10.0 ms, proved optimal\n",
        "  operators on one core: at most 2 of a kind at a time, each with 1/2 of the bandwidths\n",
        "\ndecoder, backward: 16.0 ms, the time of all bytes through HBM; operators end after 10.0 "
        "ms\n",
        "bytes through HBM 37.5 %"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("nothing"), std::string::npos);
  EXPECT_NE(model_schedule_text(small_model(), true).find("\n  nothing "), std::string::npos);
}

TEST(ModelScheduleText, OneAfterAnother) {
  plan::ModelSchedule answer = small_model();
  answer.chip.concurrent_operators = false;
  answer.layers.pop_back();
  answer.layers[0].is_serial = true;
  const std::string text = model_schedule_text(answer);
  EXPECT_NE(text.find("one operator at a time, on all cores of its kind\n"), std::string::npos);
  EXPECT_NE(text.find("decoder x 32, forward: 10.0 ms, the sum of its operators\n"),
            std::string::npos);
  EXPECT_EQ(text.find("at a time, each with"), std::string::npos);
}

}  // namespace
}  // namespace phaze::report
