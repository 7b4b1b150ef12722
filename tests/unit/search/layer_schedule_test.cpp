// Layers of models on the cores of chips.
#include "search/layer_schedule.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/rng.h"
#include "graph/builder.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"
#include "presets/chips.h"
#include "schedule/exact.h"
#include "support/chips.h"
#include "verify/layer_schedule.h"

namespace phaze::search {
namespace {

using plan::LayerPass;
using plan::LayerSchedule;
using plan::Schedule;
using plan::ScheduleProblem;

graph::Model training_of(const std::string& name) {
  Diagnostics diagnostics;
  const auto loaded = models::load_model(name, diagnostics);
  return graph::to_training(
      models::build_model(std::get<models::ModelSpec>(loaded.value()), {}, diagnostics).value(),
      {});
}

Schedule solve(const ScheduleProblem& problem, const Wanted& /*wanted*/) {
  return schedule::solve_exact(problem);
}

void expect_on_chip(const LayerSchedule& layer, const hw::Chip& chip) {
  EXPECT_EQ(verify::find_faults(layer), std::vector<std::string>{}) << layer.name;
  EXPECT_EQ(layer.problem.tensor_cores, chip.tensor.count);
  EXPECT_EQ(layer.problem.vector_cores, chip.vector.count);
}

TEST(LayerSchedules, AreOnAllCoresOfTheChip) {
  const graph::Model model = training_of("bert-large");
  for (const char* name : {"tpuv4", "phaze-reference", "h100"}) {
    Diagnostics diagnostics;
    const hw::Chip chip = presets::load_chip(name, {}, diagnostics).value();
    const cost::CostContext context = cost::make_context(chip);
    for (const graph::Layer& layer : model.layers) {
      for (const LayerPass pass : {LayerPass::kForward, LayerPass::kBackward}) {
        const LayerSchedule found = schedule_layer(context, layer, pass, false, solve);
        expect_on_chip(found, chip);
        for (const plan::TaskRun& run : found.schedule.runs) {
          // One operator at a time has all cores of its kind.
          EXPECT_TRUE(!found.is_serial || run.wide) << name;
        }
      }
    }
  }
}

// One product of 64 x 64 x 64.
graph::Layer product_layer() {
  graph::LayerBuilder build("layer");
  const graph::TensorId x = build.input("x", {64, 64}, graph::ElementType::kBf16);
  const graph::TensorId weight = build.parameter("w", {64, 64}, graph::ElementType::kBf16);
  build.hand_over(build.linear("y", x, weight));
  return std::move(build).finish();
}

// The bound holds for every number of busy cores: where one of them stays open, so does the layer.
TEST(LayerSchedules, AreProvedWhenAllNumbersOfBusyCoresAre) {
  const hw::Chip chip = tests::round_chip();
  const cost::CostContext context = cost::make_context(chip);
  const graph::Layer layer = product_layer();
  const LayerSchedule closed = schedule_layer(context, layer, LayerPass::kForward, false, solve);
  EXPECT_EQ(closed.schedule.status, plan::SolveStatus::kOptimal);
  EXPECT_TRUE(closed.is_proved());
  ASSERT_LT(closed.floor, closed.schedule.makespan);

  const Picoseconds bound = closed.schedule.makespan - Picoseconds(1);
  const LayerSchedule open =
      schedule_layer(context, layer, LayerPass::kForward, false,
                     [bound](const ScheduleProblem& problem, const Wanted& /*wanted*/) {
                       Schedule schedule = solve(problem, {});
                       if (problem.tensor_cores == 1) {
                         schedule.status = plan::SolveStatus::kFeasible;
                         schedule.lower_bound = std::min(schedule.lower_bound, bound);
                       }
                       return schedule;
                     });
  EXPECT_EQ(open.time(), closed.time());
  EXPECT_EQ(open.schedule.lower_bound, bound);
  EXPECT_FALSE(open.is_proved());
  EXPECT_EQ(verify::find_faults(open), std::vector<std::string>{});
}

// No schedule outruns the bytes that pass the memory: then there is no need to look further.
TEST(LayerSchedules, StopAtTheFloor) {
  hw::Chip chip = tests::round_chip();
  chip.hbm.stack_bandwidth = BytesPerSecond(1e3);
  const cost::CostContext context = cost::make_context(chip);
  int solved = 0;
  const LayerSchedule found =
      schedule_layer(context, product_layer(), LayerPass::kForward, false,
                     [&solved](const ScheduleProblem& problem, const Wanted& /*wanted*/) {
                       ++solved;
                       Schedule schedule = solve(problem, {});
                       // As if operators hid all that the memory takes.
                       schedule.makespan = schedule.lower_bound = Picoseconds(1);
                       return schedule;
                     });
  EXPECT_EQ(solved, 1);
  EXPECT_EQ(found.time(), found.floor);
  EXPECT_EQ(found.floor_reason, plan::TimeFloor::kHbm);
  EXPECT_TRUE(found.is_proved());
}

// Two tasks on one core each take as long as both wide, one after another: by rounding alone
// neither is the faster way. And all tasks together are not rounded by more than is said.
TEST(BusyCores, RoundingKeepsHowManyTimesSlowerOneCoreIs) {
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    ScheduleProblem exact;
    std::int64_t sum = 0;
    for (int i = 0; i < 100; ++i) {
      const auto all = static_cast<std::int64_t>(1 + rng.below(std::size_t{1} << (20 + i % 20)));
      const std::int64_t times = i % 10 == 9 ? 50 : 1 + i % 8;
      exact.tasks.push_back(
          {"t", plan::TaskUnit::kTensor, Picoseconds(times * all), Picoseconds(all)});
      sum += all;
    }
    ScheduleProblem rounded = exact;
    round_durations(rounded);
    std::int64_t difference = 0;
    for (const plan::TaskId id : ids_of(exact.tasks)) {
      const std::int64_t one = exact.tasks[id].one_core.value();
      const std::int64_t all = exact.tasks[id].all_cores->value();
      const std::int64_t rounded_one = rounded.tasks[id].one_core.value();
      const std::int64_t rounded_all = rounded.tasks[id].all_cores->value();
      if (one < 5 * all && one <= sum) {
        EXPECT_EQ(rounded_one, one / all * rounded_all);
      }
      if (one <= sum) {
        difference += std::max(std::abs(rounded_one - one), std::abs(rounded_all - all));
      }
      EXPECT_LE(rounded_one, sum + sum / 100'000);
    }
    EXPECT_GT(difference, 0);
    EXPECT_LT(static_cast<double>(difference), kDurationRounding * static_cast<double>(sum));
  }
}

// Equal tasks one after another are all rounded the same way.
TEST(BusyCores, RoundingOfManyEqualTasksIsNoMoreThanSaid) {
  ScheduleProblem exact;
  for (int i = 0; i < 100; ++i) {
    exact.tasks.push_back(
        {"t", plan::TaskUnit::kVector, Picoseconds(200'209'998), Picoseconds(100'104'999)});
  }
  // Longer than anything needs.
  exact.tasks.push_back(
      {"long", plan::TaskUnit::kTensor, Picoseconds(1'000'000'000'000'000), Picoseconds(100)});
  ScheduleProblem rounded = exact;
  round_durations(rounded);
  Picoseconds sum, rounded_sum;
  for (const plan::TaskId id : ids_of(exact.tasks)) {
    sum += *exact.tasks[id].all_cores;
    rounded_sum += *rounded.tasks[id].all_cores;
  }
  const auto share =
      static_cast<double>((rounded_sum - sum).value()) / static_cast<double>(sum.value());
  EXPECT_GT(std::abs(share), kDurationRounding / 10);
  EXPECT_LT(std::abs(share), kDurationRounding);
  const Picoseconds longest = rounded.tasks[plan::TaskId(100)].one_core;
  EXPECT_GT(longest, rounded_sum);
  EXPECT_LT(longest.value(), rounded_sum.value() + rounded_sum.value() / 100'000);
}

// A schedule that ends before the floor is good enough, but not the shortest for that.
TEST(BusyCores, ClaimNoMoreThanTheirSolver) {
  LayerSchedule frame;
  frame.floor = Picoseconds(9);
  BusyCores choice;
  for (const char* name : {"a", "b"}) {
    choice.problem.tasks.push_back({name, plan::TaskUnit::kTensor, Picoseconds(4), std::nullopt});
  }
  choice.problem.tensor_cores = 2;
  const auto solve = [](const ScheduleProblem& problem, const Wanted& /*wanted*/) {
    Schedule serial = schedule::solve_exact(problem);
    serial.runs[plan::TaskId(1)].start += Picoseconds(4);
    serial.runs[plan::TaskId(1)].end += Picoseconds(4);
    serial.makespan += Picoseconds(4);
    serial.status = plan::SolveStatus::kFeasible;
    return serial;
  };
  LayerSchedule best = choose_busy_cores(frame, {choice}, solve);
  best.busy_cores = 2;
  EXPECT_EQ(best.schedule.lower_bound, Picoseconds(4));
  EXPECT_EQ(verify::find_faults(best), std::vector<std::string>{});
  EXPECT_TRUE(best.is_proved());
}

// As they come, each only for less than the best so far, and all for the floor.
TEST(BusyCores, AreAskedForLessThanTheBestSoFar) {
  LayerSchedule frame;
  frame.floor = Picoseconds(3);
  std::vector<BusyCores> choices;
  for (const std::int64_t one : {8, 5, 6}) {
    BusyCores choice;
    choice.count = static_cast<std::int64_t>(choices.size()) + 1;
    choice.problem.tasks.push_back({"t", plan::TaskUnit::kTensor, Picoseconds(one), std::nullopt});
    choices.push_back(choice);
  }
  std::vector<std::optional<Picoseconds>> cutoffs;
  const auto solve = [&cutoffs](const ScheduleProblem& problem, const Wanted& wanted) {
    EXPECT_EQ(wanted.enough, Picoseconds(3));
    cutoffs.push_back(wanted.cutoff);
    return schedule::solve_exact(problem);
  };
  const LayerSchedule best = choose_busy_cores(frame, choices, solve);
  EXPECT_EQ(best.busy_cores, 2);
  EXPECT_EQ(best.time(), Picoseconds(5));
  EXPECT_TRUE(best.is_proved());
  const std::vector<std::optional<Picoseconds>> expected = {std::nullopt, Picoseconds(8),
                                                            Picoseconds(5)};
  EXPECT_EQ(cutoffs, expected);
}

TEST(BusyCores, AGlanceIsNextToNoWork) {
  const Wanted wanted{Picoseconds(7), Picoseconds(3), Wanted::Effort::kGlance};
  EXPECT_EQ(exact_options(wanted, 1'000).work_limit, 1);
  EXPECT_EQ(exact_options(wanted, 0).work_limit, 0);
  EXPECT_EQ(exact_options(wanted, 1'000).cutoff, Picoseconds(7));
  EXPECT_EQ(exact_options(wanted, 1'000).enough, Picoseconds(3));
  EXPECT_EQ(exact_options({}, 1'000).work_limit, 1'000);
  Wanted less;
  less.effort = Wanted::Effort::kEighth;
  EXPECT_EQ(exact_options(less, 1'000).work_limit, 125);
  EXPECT_EQ(exact_options(less, 4).work_limit, 1);
}

// What cannot be proved any more is only asked for a little; what could be after all, again.
TEST(BusyCores, GetLessWorkBesideOneThatIsOpen) {
  std::vector<BusyCores> choices(3);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    choices[i].count = choices[i].problem.tensor_cores = static_cast<std::int64_t>(i) + 1;
  }
  std::vector<std::string> asked;
  std::int64_t third = 0;  // what the third one finds
  const auto solve = [&](const ScheduleProblem& problem, const Wanted& wanted) {
    const bool is_all = wanted.effort == Wanted::Effort::kAll;
    asked.push_back(std::to_string(problem.tensor_cores) + (is_all ? "" : "/8"));
    Schedule schedule;
    const std::int64_t bound = problem.tensor_cores == 3 ? 50 : 90;
    schedule.makespan = Picoseconds(problem.tensor_cores == 3 ? third : 100);
    schedule.lower_bound = Picoseconds(problem.tensor_cores == 3 && is_all ? third : bound);
    return schedule;
  };
  third = 95;
  EXPECT_FALSE(choose_busy_cores({}, choices, solve).is_proved());
  EXPECT_EQ(asked, (std::vector<std::string>{"1", "2/8", "3/8"}));
  asked.clear();
  third = 80;  // now the others are of no use, and it alone is open
  const LayerSchedule best = choose_busy_cores({}, choices, solve);
  EXPECT_TRUE(best.is_proved());
  EXPECT_EQ(best.time(), Picoseconds(80));
  EXPECT_EQ(asked, (std::vector<std::string>{"1", "2/8", "3/8", "3"}));
}

// As long as bounds fall, a glance at the next one; then for the least bound first.
TEST(BusyCores, WithManyTasksTheMostPromisingIsFirst) {
  struct Known {
    std::int64_t glance, best;  // bounds
  };
  const std::map<std::int64_t, Known> known = {
      {1, {1200, 1200}}, {2, {1100, 1150}}, {4, {600, 640}}, {8, {700, 800}}, {16, {500, 630}}};
  const auto choices = [&known](std::size_t tasks, bool exclusive_wide) {
    std::vector<BusyCores> all;
    for (const auto& [count, bounds] : known) {
      BusyCores& choice = all.emplace_back();
      choice.count = choice.problem.tensor_cores = count;
      choice.problem.exclusive_wide = exclusive_wide;
      for (std::size_t i = 0; i < tasks; ++i) {
        choice.problem.tasks.push_back(
            {"t", plan::TaskUnit::kTensor, Picoseconds(10'000), Picoseconds(30)});
      }
    }
    return all;
  };
  LayerSchedule frame;
  std::vector<std::string> asked;
  const auto solve = [&](const ScheduleProblem& problem, const Wanted& wanted) {
    const Known& one = known.at(problem.tensor_cores);
    asked.push_back(std::to_string(problem.tensor_cores) + (wanted.is_glance() ? "?" : ""));
    Schedule schedule;
    schedule.makespan = Picoseconds(wanted.is_glance() ? 1200 : one.best);
    schedule.lower_bound = Picoseconds(wanted.is_glance() ? one.glance : one.best);
    return schedule;
  };
  const LayerSchedule best = choose_busy_cores(frame, choices(40, true), solve);
  EXPECT_EQ(best.busy_cores, 16);
  EXPECT_TRUE(best.is_proved());
  // What a bound settles is not asked for again.
  EXPECT_EQ(asked, (std::vector<std::string>{"1?", "2?", "4?", "8?", "4", "16"}));
  // Few tasks, or others beside wide ones: as they come.
  for (const bool is_few : {false, true}) {
    asked.clear();
    const std::vector<BusyCores> others = choices(is_few ? 32 : 40, is_few);
    EXPECT_EQ(choose_busy_cores(frame, others, solve).busy_cores, 16);
    EXPECT_EQ(asked, (std::vector<std::string>{"1", "2", "4", "8", "16"}));
  }
}

}  // namespace
}  // namespace phaze::search
